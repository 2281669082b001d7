// What --json prints of mirrors.
import { snakeKeys } from '../../core/snake-keys.ts';
import type { ConflictView, MirrorView, Settlement } from '../../runtime.ts';
import { isoOrNull } from './iso-time.ts';

/** One mirror of `mirrors`. */
export function mirrorJson(mirror: MirrorView): unknown {
  const { remoteUpdatedAt, syncedAt, dueAt } = mirror;
  return snakeKeys({
    ...mirror,
    remoteUpdatedAt: isoOrNull(remoteUpdatedAt || null),
    syncedAt: isoOrNull(syncedAt || null),
    dueAt: isoOrNull(dueAt),
    conflicts: mirror.conflicts.map(conflictJson),
  });
}

/** One of `conflicts` of a mirror, or a conflict that was settled. */
export function conflictJson<Shown extends ConflictView | Settlement>(conflict: Shown): unknown {
  return snakeKeys({ ...conflict, at: isoOrNull(conflict.at) });
}
