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

/** Why a task waits for its person. */
export function distrustOf({ author, role }: Author, what: 'opened' | 'changed'): string {
  const who = role === null ? author : `${author} (${role})`;
  return `${what === 'opened' ? 'Opened' : 'Changed upstream'} by ${who}, whom this mirror does not trust: read it, then \`taskroom resume\`.`;
}
