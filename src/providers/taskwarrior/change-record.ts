// A task's next record: what is asked for put into what is there, everything else untouched. Pure.
import { RoomError } from '../../core/errors.ts';
import type { Priority } from '../../core/task/priority.ts';
import type { Status } from '../../core/task/status.ts';
import type { RemoteChange, RemoteTask } from '../provider.ts';
import { withLabels } from './labels.ts';
import { type Calendar, isDay } from './local-day.ts';
import {
  formatSecond,
  isUuid,
  listOf,
  secondOf,
  storable,
  type TaskRecord,
  textOf,
  withValue,
} from './record.ts';
import { priorityOf, stateOf, statusOf } from './to-remote-task.ts';

/** What `wait:someday` means to Taskwarrior 2.6; later ones take any moment that far off alike. */
const SOMEDAY = '20380118T000000Z';

const LETTERS: Readonly<Record<Priority, string>> = { high: 'H', medium: 'M', low: 'L' };

export interface ChangeOptions {
  nowSecond: number;
  calendar: Calendar;
  bodyAttribute: string | null;
}

/**
 * The record as it shall be; fields that say already what is wanted are left as they stand.
 * @throws RoomError `bad_input` for what a task can't hold
 */
export function applyChange(record: TaskRecord, change: RemoteChange, options: ChangeOptions): TaskRecord {
  assertPossible(change, options);
  let next = record;
  if (change.title !== undefined) next = withTitle(next, change.title);
  if (change.body !== undefined && change.body !== textOf(next, options.bodyAttribute!)) {
    next = withValue(next, options.bodyAttribute!, change.body === '' ? null : storable(change.body));
  }
  if (change.status !== undefined) next = withStatus(next, change.status, options.nowSecond);
  if (change.labels) next = withLabels(next, change.labels);
  if (change.priority !== undefined && change.priority !== priorityOf(next)) {
    next = withValue(next, 'priority', change.priority === null ? null : LETTERS[change.priority]);
  }
  if (change.due !== undefined) next = withDue(next, change.due, options.calendar);
  if (change.blockedBy) next = withBlockers(next, change.blockedBy);
  return next;
}

function assertPossible(change: RemoteChange, { bodyAttribute }: ChangeOptions): void {
  const lacking = [
    change.body !== undefined && bodyAttribute === null ? 'body' : [],
    change.assignees && change.assignees.add.length > 0 ? 'assignees' : [],
    change.parent ? 'parent' : [],
  ].flat();
  if (lacking.length > 0) {
    throw new RoomError('bad_input', `Taskwarrior has no place for ${lacking.join(', ')} of a task`);
  }
}

function withTitle(record: TaskRecord, title: string): TaskRecord {
  const line = onOneLine(storable(title));
  if (line === '') throw new RoomError('bad_input', 'a Taskwarrior task needs a description');
  // A description of several lines stays as it is while its words do.
  return line === onOneLine(textOf(record, 'description')) ? record : withValue(record, 'description', line);
}

function onOneLine(text: string): string {
  return text.replaceAll(/\s*[\r\n]\s*/g, ' ').trim();
}

/** As Taskwarrior's own start, stop, done and delete do it; a draft waits for someday. */
function withStatus(record: TaskRecord, status: Status, nowSecond: number): TaskRecord {
  const state = stateOf(record, nowSecond);
  if (statusOf(state) === status) return record;
  const now = formatSecond(nowSecond);
  if (status === 'done' || status === 'canceled') {
    const over = { ...record, status: status === 'done' ? 'completed' : 'deleted', end: now };
    return withValue(over, 'start', null);
  }
  const { end: _end, start: _start, wait: _wait, ...rest } = record;
  const open = { ...rest, uuid: record.uuid, status: 'pending' };
  if (status === 'doing') return { ...open, start: now };
  return status === 'draft' ? { ...open, wait: SOMEDAY } : open;
}

/** Another day at the same time of day. */
function withDue(record: TaskRecord, due: string | null, calendar: Calendar): TaskRecord {
  const present = secondOf(record, 'due');
  if (due === (present === null ? null : calendar.dayOf(present))) return record;
  if (due === null) return withValue(record, 'due', null);
  if (!isDay(due)) throw new RoomError('bad_input', `${JSON.stringify(due)} is no day`);
  return withValue(record, 'due', formatSecond(calendar.momentOf(due, present)));
}

function withBlockers(
  record: TaskRecord,
  { add, remove }: { add: readonly string[]; remove: readonly string[] },
): TaskRecord {
  const bad = add.find((ref) => !isUuid(ref) || ref === record.uuid);
  if (bad !== undefined)
    throw new RoomError('bad_input', `${JSON.stringify(bad)} can't block ${record.uuid}`);
  const present = listOf(record, 'depends');
  const next = [...new Set([...present.filter((uuid) => !remove.includes(uuid.toLowerCase())), ...add])];
  if (next.length === present.length && next.every((uuid) => present.includes(uuid))) return record;
  return withValue(record, 'depends', next.length === 0 ? null : next);
}

/**
 * Looks whether the fields that `next` is about to change are as the caller knows them.
 * @throws RoomError `conflict`
 */
export function assertExpected(present: RemoteTask, next: RemoteTask, expected: RemoteTask): void {
  const [now, then, wanted] = [comparable(present), comparable(expected), comparable(next)];
  for (const [field, value] of Object.entries(now)) {
    if (wanted[field] !== value && then[field] !== value) {
      throw new RoomError('conflict', `${field} of ${present.ref} changed meanwhile`);
    }
  }
}

function comparable(task: RemoteTask): Record<string, string> {
  const set = (items: readonly string[]): string => JSON.stringify([...items].sort());
  return {
    title: task.title,
    body: task.body,
    status: task.state,
    labels: set(task.labels),
    priority: String(task.priority),
    due: String(task.due),
    blocked_by: set(task.blockedBy.map(({ ref }) => ref)),
  };
}
