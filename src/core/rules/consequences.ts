// What follows when a task is seen to have changed, whoever changed it. Whoever observes the change first applies it, once.
import { isFinished, isReopen, type Status } from '../task/status.ts';

/** What was known of a task before, or is seen now. */
export type Observed = { status: Status; paused: boolean; present: boolean };

export type Consequence =
  /** A history line with a full snapshot (S6). */
  | { kind: 'history' }
  /** The parent's owner is woken (S13). */
  | { kind: 'wake_parent' }
  /** Tasks blocked by this one are looked at again; those now free are woken. */
  | { kind: 'recheck_dependents' }
  | { kind: 'wake'; wake: 'resumed' | 'reopened' }
  /** A running turn must stop, and a pending request goes away. */
  | { kind: 'stop_turn'; reason: 'paused' | 'canceled' }
  /** The running turn gets a minute to end by itself. */
  | { kind: 'wind_down' }
  /** The count of failed attempts starts anew. */
  | { kind: 'reset_attempts' }
  | { kind: 'drop_request' }
  /** Its open subtasks are canceled too, and theirs when they are seen to be (S11). */
  | { kind: 'cancel_subtasks' };

/** Of going from `before` (null: seen for the first time). A task first seen finished has none: nobody saw it become so. */
export function consequencesOf(before: Observed | null, after: Observed): Consequence[] {
  if (before === null) return [];
  const list: Consequence[] = [];
  const finishedNow = !isFinished(before.status) && isFinished(after.status);
  const gone = before.present && !after.present;
  // Canceled after it was done, by hand or by its tracker, is another end: each has its line.
  if (isFinished(after.status) && before.status !== after.status) list.push({ kind: 'history' });
  if (finishedNow) {
    list.push({ kind: 'wake_parent' }, { kind: 'drop_request' });
    list.push(after.status === 'done' ? { kind: 'wind_down' } : { kind: 'stop_turn', reason: 'canceled' });
  }
  if (before.status !== 'canceled' && after.status === 'canceled') list.push({ kind: 'cancel_subtasks' });
  if (before.status !== after.status || gone) list.push({ kind: 'recheck_dependents' });
  if (gone && !finishedNow) list.push({ kind: 'drop_request' }, { kind: 'stop_turn', reason: 'canceled' });
  if (after.present && !isFinished(after.status)) list.push(...whileOpen(before, after));
  return list;
}

function whileOpen(before: Observed, after: Observed): Consequence[] {
  const list: Consequence[] = [];
  if (isReopen(before.status, after.status))
    list.push({ kind: 'wake', wake: 'reopened' }, { kind: 'reset_attempts' });
  if (before.paused && !after.paused)
    list.push({ kind: 'wake', wake: 'resumed' }, { kind: 'reset_attempts' });
  const stopped = (!before.paused && after.paused) || (before.status !== 'draft' && after.status === 'draft');
  if (stopped) list.push({ kind: 'drop_request' }, { kind: 'stop_turn', reason: 'paused' });
  return list;
}
