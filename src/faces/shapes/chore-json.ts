// What --json prints of a chore: names in snake_case, times as ISO text. A field is added, never renamed.

import { isoOrNull } from '../../core/time/iso-time.ts';
import type { Runtime } from '../../runtime.ts';

export type ChoreList = Awaited<ReturnType<Runtime['chores']['list']>>;
export type ChoreView = ChoreList['chores'][number];

/** One chore of `chores`. */
export function choreJson(view: ChoreView) {
  const { result } = view;
  return {
    name: view.name,
    path: view.path,
    kind: view.kind,
    source: view.source,
    schedule: view.schedule,
    paused: view.paused,
    stopped: view.stopped,
    running: view.running,
    pending: view.pending,
    started_at: isoOrNull(view.startedAt),
    ended_at: isoOrNull(view.endedAt),
    result: result && {
      ok: result.ok,
      message: result.message,
      turn: result.turn ?? null,
      counts: result.counts ?? {},
    },
    failures: view.failures,
    sync: view.sync && { synced_at: isoOrNull(view.sync.syncedAt), error: view.sync.error },
    next_at: isoOrNull(view.nextAt),
  };
}
