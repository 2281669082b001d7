// What --json prints of a token of the API: never the token.
import type { ApiToken } from '../../runtime.ts';
import { isoOrNull } from './iso-time.ts';

export function tokenJson({ id, kind, name, access, tasks, agents, createdAt, expiresAt, usedAt }: ApiToken) {
  return {
    ...{ id, kind, name, access, tasks, agents },
    created_at: isoOrNull(createdAt),
    expires_at: isoOrNull(expiresAt),
    used_at: isoOrNull(usedAt),
  };
}
