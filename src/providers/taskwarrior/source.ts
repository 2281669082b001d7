// A Taskwarrior database as a provider. Tasks and annotations are made and changed alike: read, look whether they are as
// expected, import whole, read again. Annotations of ours are known by their keys, and only they are edited.
import { FIELDS } from '../../core/chore/fields.ts';
import { RoomError } from '../../core/errors.ts';
import type { SerialQueue } from '../../core/keyed-mutex.ts';
import type { Priority, Status } from '../../core/task/status.ts';
import { readDue } from '../../core/time/durations.ts';
import type { Effects } from '../../effects.ts';
import type {
  Profile,
  Provider,
  RemoteChange,
  RemoteComment,
  RemoteDraft,
  SourceConfig,
} from '../provider.ts';
import { assertTexts, changesLeft } from '../tracker-rules.ts';
import { type Database, findTasks, inTurn, listPages, putTask, readTask } from './database.ts';
import { assertNotStopped, type TaskProgram } from './program.ts';
import {
  annotationsOf,
  formatSecond,
  isUuid,
  keysOf,
  listOf,
  secondOf,
  storable,
  type TaskRecord,
  uuidOfKey,
  withAnnotations,
  withKeys,
  withLabels,
  withValue,
} from './record.ts';
import { commentsOf, createCalendar, secondOfComment, silentFields } from './to-remote-task.ts';

/** Taskwarrior has no limits of its own: these keep one text from filling the database. */
const LIMITS = { title: 1000, body: 250_000, comment: 65_536 };

export function createSource(
  config: SourceConfig,
  bodyAttribute: string | null,
  program: TaskProgram,
  effects: Effects,
  serially: SerialQueue['add'],
): Provider {
  const silent = silentFields(config, bodyAttribute);
  const nowSecond = () => Math.floor(effects.now() / 1000);
  const settings = { config, calendar: createCalendar(effects.env), bodyAttribute, silent };
  const database: Database = { ...settings, program, nowSecond, serially };
  const profile: Profile = {
    limits: LIMITS,
    writable: FIELDS.filter((field) => !silent.includes(field)),
    normalise,
    classOf: (status) => status,
    trustedRoles: [],
    remote: false,
  };
  return {
    name: 'taskwarrior',
    profile,
    async *list(cursor, signal) {
      const found = await findTasks(database, null, signal);
      const tasks = [...found.values()].map(({ task }) => task);
      for (const page of listPages(tasks, cursor)) {
        assertNotStopped(signal);
        yield page;
      }
    },
    async get(refs, signal) {
      const found = await findTasks(database, refs, signal);
      return new Map([...found].map(([uuid, { task }]) => [uuid, task]));
    },
    write: taskWrites(database, profile),
    ...(silent.includes('comments') ? {} : { comment: annotationWrites(database) }),
    usage: () => ({ requests: program.runs(), notModified: 0, remaining: null, resetAt: null }),
    close: () => serially(async () => {}),
  };
}

/** The data file of 2.6 writes brackets as `&open;` and `&close;`, and reads a typed one as a bracket. */
const normalise = (text: string): string =>
  storable(text.replace(/\r\n?/g, '\n').replaceAll('&open;', '[').replaceAll('&close;', ']'));

const taskWrites = (database: Database, profile: Profile): NonNullable<Provider['write']> => ({
  create: (draft, { key }, signal) =>
    inTurn(database, signal, async () => {
      assertTexts('Taskwarrior', LIMITS, { title: draft.title, body: draft.body });
      const uuid = uuidOfKey(key);
      const earlier = (await findTasks(database, [uuid], signal)).get(uuid);
      return (earlier ?? (await putTask(database, newRecord(draft, key, database), false))).task;
    }),
  update: (ref, change, expected, signal) =>
    inTurn(database, signal, async () => {
      assertTexts('Taskwarrior', LIMITS, change);
      assertPossible(change, database.bodyAttribute);
      const { record, task, lossy } = await readTask(database, ref, signal);
      const left = changesLeft(change, task, expected, { ...profile, title: onOneLine });
      if (Object.keys(left).length === 0) return task;
      return (await putTask(database, applyChange(record, left, database), lossy)).task;
    }),
});

/** @throws RoomError `bad_input` for what a task can't hold */
function assertPossible(change: RemoteChange, bodyAttribute: string | null): void {
  const lacking = [
    change.body !== undefined && bodyAttribute === null ? 'body' : [],
    change.assignees && change.assignees.add.length > 0 ? 'assignees' : [],
    change.parent ? 'parent' : [],
  ].flat();
  if (lacking.length > 0)
    throw new RoomError('bad_input', `Taskwarrior has no place for ${lacking.join(', ')} of a task`);
}

function newRecord(draft: RemoteDraft, key: string, database: Database): TaskRecord {
  const empty = { uuid: uuidOfKey(key), status: 'pending', entry: formatSecond(database.nowSecond()) };
  const { body, status, due, labels, ...others } = draft;
  const change: RemoteChange = {
    ...others,
    labels: { add: labels, remove: [] },
    ...(status === 'todo' ? {} : { status }),
    ...(due === null ? {} : { due }),
    // Without an attribute for it the body stays in the room; `writable` says so.
    ...(database.bodyAttribute === null ? {} : { body }),
  };
  return withKeys(applyChange(empty, change, database), { task: key, annotations: new Map() });
}

const LETTERS: Readonly<Record<Priority, string>> = { high: 'H', medium: 'M', low: 'L' };

/** The record with the change in it, everything else untouched. @throws RoomError `bad_input` for what a task can't hold */
function applyChange(record: TaskRecord, change: RemoteChange, database: Database): TaskRecord {
  const { title, body, status, labels, priority, due, blockedBy } = change;
  const { bodyAttribute, calendar } = database;
  let next = record;
  if (title !== undefined) {
    if (onOneLine(title) === '') throw new RoomError('bad_input', 'a Taskwarrior task needs a description');
    next = withValue(next, 'description', onOneLine(title));
  }
  if (body !== undefined) next = withValue(next, bodyAttribute!, storable(body));
  if (status !== undefined) next = withStatus(next, status, database.nowSecond());
  if (labels) next = withLabels(next, labels);
  if (priority !== undefined) next = withValue(next, 'priority', priority && LETTERS[priority]);
  if (due !== undefined) {
    if (due !== null && (due.length !== 10 || readDue(due) === null))
      throw new RoomError('bad_input', `${JSON.stringify(due)} is no day`);
    // Another day at the same time of day.
    const moment = due === null ? null : calendar.momentOf(due, secondOf(record, 'due'));
    next = withValue(next, 'due', moment === null ? null : formatSecond(moment));
  }
  if (blockedBy) {
    const bad = blockedBy.add.find((ref) => !isUuid(ref) || ref === record.uuid);
    if (bad !== undefined)
      throw new RoomError('bad_input', `${JSON.stringify(bad)} can't block ${record.uuid}`);
    const isKept = (uuid: string) => !blockedBy.remove.includes(uuid.toLowerCase());
    const blockers = new Set([...listOf(record, 'depends').filter(isKept), ...blockedBy.add]);
    next = withValue(next, 'depends', [...blockers]);
  }
  return next;
}

const onOneLine = (title: string): string =>
  storable(title)
    .replaceAll(/\s*[\r\n]\s*/g, ' ')
    .trim();

/** What `wait:someday` means to Taskwarrior 2.6; later ones take any moment that far off alike. */
const SOMEDAY = '20380118T000000Z';

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

function annotationWrites(database: Database): NonNullable<Provider['comment']> {
  /** @param change gives the record as it shall be (the same object when nothing is to be written), and the annotation's key */
  const write = (ref: string, body: string, signal: AbortSignal, change: Change) =>
    inTurn(database, signal, async () => {
      if (body.trim() === '') throw new RoomError('bad_input', 'an annotation needs a text');
      assertTexts('Taskwarrior', LIMITS, { comment: body });
      const { record, lossy } = await readTask(database, ref, signal);
      const { next, key } = change(record);
      const written = next === record ? record : (await putTask(database, next, lossy)).record;
      const comment = commentOfKey(written, key);
      if (comment) return comment;
      throw new RoomError('gone', `the annotation was taken from ${ref} while it was written`);
    });
  return {
    // A key is looked for on every try: it costs nothing here.
    add: (ref, body, { key }, signal) =>
      write(ref, body, signal, (record) => ({
        key,
        next: commentOfKey(record, key) ? record : withComment(record, body, key, database.nowSecond()),
      })),
    edit: (ref, id, body, signal) =>
      write(ref, body, signal, (record) => {
        const annotations = annotationsOf(record);
        const second = secondOfComment(record, id);
        const present = annotations.find((each) => each.second === second);
        if (!present) throw new RoomError('gone', `comment ${id} of ${ref} was deleted`);
        const key = keysOf(record).annotations.get(present.second);
        if (key === undefined) throw new RoomError('refused', `comment ${id} is not ours`);
        const text = storable(body);
        if (present.text === text) return { key, next: record };
        const next = annotations.map((each) => (each === present ? { ...each, text } : each));
        return { key, next: withAnnotations(record, next) };
      }),
  };
}

type Change = (record: TaskRecord) => { next: TaskRecord; key: string };

/** In the first free second from now on: Taskwarrior keeps one annotation a second. */
function withComment(record: TaskRecord, body: string, key: string, nowSecond: number): TaskRecord {
  const present = annotationsOf(record);
  let second = nowSecond;
  while (present.some((each) => each.second === second)) second += 1;
  const next = withAnnotations(record, [...present, { second, text: storable(body) }]);
  const { task, annotations } = keysOf(record);
  return withKeys(next, { task, annotations: new Map([...annotations, [second, key]]) });
}

const commentOfKey = (record: TaskRecord, key: string): RemoteComment | undefined =>
  commentsOf(record).find((comment) => comment.key === key);
