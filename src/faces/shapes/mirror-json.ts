// What --json prints of mirrors, and which of them a filter means.
import type { MirrorState } from '../../core/chore/mirror-state.ts';
import { snakeKeys } from '../../core/snake-keys.ts';
import { isoOrNull } from '../../core/time/iso-time.ts';
import type { ConflictView, MirrorView, Settlement } from '../../runtime.ts';

export interface MirrorFilter {
  chore?: string | undefined;
  /** Any of them; all where it is absent or empty. */
  state?: readonly MirrorState[] | undefined;
}

export function mirrorFilter({ chore, state = [] }: MirrorFilter): (mirror: MirrorView) => boolean {
  return (mirror) =>
    (chore === undefined || mirror.chore === chore) && (state.length === 0 || state.includes(mirror.state));
}

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
