// What --json prints of mirrors.
import { snakeKeys } from '../../core/snake-keys.ts';
import type { MirrorView } from '../../runtime.ts';
import { isoOrNull } from './iso-time.ts';

/** One mirror of `mirrors`. */
export function mirrorJson(mirror: MirrorView): unknown {
  const { remoteUpdatedAt, syncedAt, dueAt } = mirror;
  return snakeKeys({
    ...mirror,
    remoteUpdatedAt: isoOrNull(remoteUpdatedAt || null),
    syncedAt: isoOrNull(syncedAt || null),
    dueAt: isoOrNull(dueAt),
  });
}
