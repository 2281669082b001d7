// Whose words may start a turn (N8).
import type { MirrorConfig } from '../../core/chore/chore.ts';
import type { Profile } from '../../providers/provider.ts';

interface Author {
  author: string;
  role: string | null;
  /** The account of these credentials: the person's own. */
  mine: boolean;
}

/** Whose words count: by role (null for everybody's) or login. */
export interface Trusted {
  roles: string[] | null;
  logins: string[];
}

/** Whether the mirror trusts an author. */
export function isTrusted(
  author: Author,
  config: Pick<MirrorConfig, 'trust'>,
  profile: Pick<Profile, 'trustedRoles'>,
): boolean {
  return isAmong(author, trustedBy(config, profile));
}

/** The same for who has no settings of the mirror at hand. */
export function isAmong({ author, role, mine }: Author, { roles, logins }: Trusted): boolean {
  if (mine || roles === null) return true;
  const login = author.toLowerCase();
  if (logins.some((one) => one.toLowerCase() === login)) return true;
  return role !== null && roles.some((one) => one.toLowerCase() === role.toLowerCase());
}

/** Whose words a mirror trusts: where the tracker has no roles, everybody's, unless the mirror names people. */
export function trustedBy(
  { trust }: Pick<MirrorConfig, 'trust'>,
  { trustedRoles }: Pick<Profile, 'trustedRoles'>,
): Trusted {
  const { logins } = trust;
  if (trust.roles === null && trustedRoles.length === 0)
    return { roles: logins.length === 0 ? null : [], logins };
  return { roles: trust.roles ?? [...trustedRoles], logins };
}

/** Somebody whose words wait for a person: `anybody` where the mirror trusts no edit, `nobody named` where the tracker is silent. */
export type Stranger = Pick<Author, 'author' | 'role'> | 'anybody' | 'nobody named';

export const READ_IT = 'Read it, then `taskroom resume`.';

/** Why a task waits for its person, as part of a sentence. */
export function whyShut(who: Stranger): string {
  if (who === 'anybody') return 'this mirror trusts no edit';
  if (who === 'nobody named') return 'the tracker does not say who did it';
  return `${who.author} is not trusted by this mirror`;
}

const ACTS = { opened: 'Opened', edited: 'Changed upstream', reopened: 'Opened again upstream' } as const;

/** The same, for its Notes. */
export function noteOf(who: Stranger, act: keyof typeof ACTS): string {
  if (typeof who === 'string') return `${ACTS[act]}: ${whyShut(who)}. ${READ_IT}`;
  const name = who.role === null ? who.author : `${who.author} (${who.role})`;
  return `${ACTS[act]} by ${name}, whom this mirror does not trust. ${READ_IT}`;
}
