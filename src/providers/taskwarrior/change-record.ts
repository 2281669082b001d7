// A task's next record: what is asked for put into what is there, everything else untouched. Pure.
import { RoomError } from '../../core/errors.ts';
import type { Priority } from '../../core/task/priority.ts';
import type { Status } from '../../core/task/status.ts';
import type { ListChange, RemoteChange, RemoteDraft } from '../provider.ts';
import { withLabels } from './labels.ts';
import { type Calendar, isDay } from './local-day.ts';
import {
  formatSecond,
  isUuid,
  listOf,
  secondOf,
  storable,
  type TaskRecord,
  uuidOfKey,
  withKeys,
  withValue,
} from './record.ts';

/** What `wait:someday` means to Taskwarrior 2.6; later ones take any moment that far off alike. */
const SOMEDAY = '20380118T000000Z';

const LETTERS: Readonly<Record<Priority, string>> = { high: 'H', medium: 'M', low: 'L' };

interface ChangeOptions {
  nowSecond: number;
  calendar: Calendar;
  bodyAttribute: string | null;
}

/** @throws RoomError `bad_input` for what a task can't hold */
export function assertPossible(change: RemoteChange, bodyAttribute: string | null): void {
  const lacking = [
    change.body !== undefined && bodyAttribute === null ? 'body' : [],
    change.assignees && change.assignees.add.length > 0 ? 'assignees' : [],
    change.parent ? 'parent' : [],
  ].flat();
  if (lacking.length === 0) return;
  throw new RoomError('bad_input', `Taskwarrior has no place for ${lacking.join(', ')} of a task`);
}

/**
 * The record as it shall be.
 * @param change what differs from what the record says
 * @throws RoomError `bad_input` for what a task can't hold
 */
export function applyChange(record: TaskRecord, change: RemoteChange, options: ChangeOptions): TaskRecord {
  const { title, body, status, labels, priority, due, blockedBy } = change;
  let next = record;
  if (title !== undefined) {
    const line = onOneLine(title);
    if (line === '') throw new RoomError('bad_input', 'a Taskwarrior task needs a description');
    next = withValue(next, 'description', line);
  }
  if (body !== undefined) next = withValue(next, options.bodyAttribute!, body === '' ? null : storable(body));
  if (status !== undefined) next = withStatus(next, status, options.nowSecond);
  if (labels) next = withLabels(next, labels);
  if (priority !== undefined)
    next = withValue(next, 'priority', priority === null ? null : LETTERS[priority]);
  if (due !== undefined) next = withDue(next, due, options.calendar);
  if (blockedBy) next = withBlockers(next, blockedBy);
  return next;
}

/** A title as Taskwarrior holds it. */
export function onOneLine(title: string): string {
  return storable(title)
    .replaceAll(/\s*[\r\n]\s*/g, ' ')
    .trim();
}

/** As Taskwarrior's own start, stop, done and delete do it; a draft waits for someday. */
function withStatus(record: TaskRecord, status: Status, nowSecond: number): TaskRecord {
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
  if (due === null) return withValue(record, 'due', null);
  if (!isDay(due)) throw new RoomError('bad_input', `${JSON.stringify(due)} is no day`);
  return withValue(record, 'due', formatSecond(calendar.momentOf(due, secondOf(record, 'due'))));
}

function withBlockers(record: TaskRecord, { add, remove }: ListChange): TaskRecord {
  const bad = add.find((ref) => !isUuid(ref) || ref === record.uuid);
  if (bad !== undefined)
    throw new RoomError('bad_input', `${JSON.stringify(bad)} can't block ${record.uuid}`);
  const kept = listOf(record, 'depends').filter((uuid) => !remove.includes(uuid.toLowerCase()));
  const next = [...new Set([...kept, ...add])];
  return withValue(record, 'depends', next.length === 0 ? null : next);
}

/** The record of a task that is made. */
export function newRecord(draft: RemoteDraft, key: string, options: ChangeOptions): TaskRecord {
  const empty = { uuid: uuidOfKey(key), status: 'pending', entry: formatSecond(options.nowSecond) };
  const { title, body, status, priority, due } = draft;
  const change: RemoteChange = {
    title,
    labels: { add: draft.labels, remove: [] },
    ...(status === 'todo' ? {} : { status }),
    ...(priority === null ? {} : { priority }),
    ...(due === null ? {} : { due }),
    // Without an attribute for it the body stays in the room; `writable` says so.
    ...(options.bodyAttribute === null ? {} : { body }),
  };
  return withKeys(applyChange(empty, change, options), { task: key, annotations: new Map() });
}
