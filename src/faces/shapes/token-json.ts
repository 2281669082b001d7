// What --json prints of a token of the API: never the token.

import { isoOrNull } from '../../core/time/iso-time.ts';
import type { ApiToken } from '../../runtime.ts';

export function tokenJson({ id, kind, name, access, tasks, agents, createdAt, expiresAt, usedAt }: ApiToken) {
  return {
    ...{ id, kind, name, access, tasks, agents },
    created_at: isoOrNull(createdAt),
    expires_at: isoOrNull(expiresAt),
    used_at: isoOrNull(usedAt),
  };
}
