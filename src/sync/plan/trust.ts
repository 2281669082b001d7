// Whose words may start a turn (N8).
import type { MirrorConfig } from '../../core/chore/chore.ts';
import type { Profile } from '../../providers/provider.ts';

interface Author {
  author: string;
  role: string | null;
  /** The account of these credentials: the person's own. */
  mine: boolean;
}

/**
 * Whether the mirror trusts an author: by login, else by role; where the tracker has no roles, everybody, unless the
 * mirror names people.
 */
export function isTrusted(
  { author, role, mine }: Author,
  { trust }: Pick<MirrorConfig, 'trust'>,
  { trustedRoles }: Pick<Profile, 'trustedRoles'>,
): boolean {
  if (mine) return true;
  const login = author.toLowerCase();
  if (trust.logins.some((one) => one.toLowerCase() === login)) return true;
  if (trust.roles === null && trustedRoles.length === 0) return trust.logins.length === 0;
  const roles = trust.roles ?? trustedRoles;
  return role !== null && roles.some((one) => one.toLowerCase() === role.toLowerCase());
}

/** Why a task waits for its person. */
export function distrustOf({ author, role }: Author, what: 'opened' | 'changed'): string {
  const who = role === null ? author : `${author} (${role})`;
  return `${what === 'opened' ? 'Opened' : 'Changed upstream'} by ${who}, whom this mirror does not trust: read it, then \`taskroom resume\`.`;
}
