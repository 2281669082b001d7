// A sync as a chore runs it: whole, both ways, and with one line for how it went.
import type { ChoreResult, SyncChore } from '../../chores/sync-runs.ts';
import { RoomError } from '../../core/errors.ts';
import type { Sync } from '../../sync/sync.ts';
import type { SyncReport } from '../../sync/sync-pass.ts';

/** Runs chores by the sync engine. A report that ended early becomes the error it names, so that the chore backs off.
 * A source that another process syncs right now is waited for. */
export function syncChoreWith(sync: Pick<Sync, 'syncChore'>): SyncChore {
  return async ({ name }, signal) => {
    const report = await sync.syncChore(name, { pull: true, push: true, wait: true }, signal);
    if (report.error === null) return resultOf(report);
    const { code, message, hint, ...wait } = report.error;
    throw new RoomError(code, message, { ...(hint === null ? {} : { hint }), ...wait });
  };
}

function resultOf(report: SyncReport): ChoreResult {
  const { created, updated, pushed, commentsIn, commentsOut, conflicts, detached, skipped } = report;
  const counts = {
    ...{ created, updated, pushed, comments_in: commentsIn, comments_out: commentsOut, conflicts, detached },
    ...{ skipped: skipped.length, requests: report.requests },
  };
  const said: (readonly [number, string])[] = [
    [created, 'created'],
    [updated, 'updated'],
    [pushed, 'pushed'],
    [commentsIn, commentsIn === 1 ? 'comment in' : 'comments in'],
    [commentsOut, commentsOut === 1 ? 'comment out' : 'comments out'],
    [conflicts, conflicts === 1 ? 'conflict' : 'conflicts'],
    [detached, 'detached'],
    [skipped.length, 'skipped'],
    [report.waiting, 'waiting to be sent'],
  ];
  const words = said.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`);
  return { message: words.join(', ') || 'nothing new', counts };
}
