// A Taskwarrior database as a provider. Tasks and annotations are made and changed alike: read, look whether they are as
// expected, import whole, read again. Annotations of ours are known by their keys, and only they are edited.
import { FIELDS } from '../../core/chore/fields.ts';
import { RoomError } from '../../core/errors.ts';
import type { SerialQueue } from '../../core/keyed-mutex.ts';
import type { Effects } from '../../effects.ts';
import type { Profile, Provider, RemoteComment, RemoteRef, SourceConfig } from '../provider.ts';
import { assertTexts, changesLeft } from '../tracker-rules.ts';
import { applyChange, assertPossible, newRecord, onOneLine } from './change-record.ts';
import { type Database, findTasks, inTurn, putTask, readTask } from './database.ts';
import { listPages } from './listing.ts';
import { createCalendar } from './local-day.ts';
import type { TaskwarriorOptions } from './options.ts';
import { assertNotStopped, type TaskProgram } from './program.ts';
import {
  annotationsOf,
  keysOf,
  storable,
  type TaskRecord,
  uuidOfKey,
  withAnnotations,
  withKeys,
} from './record.ts';
import { commentsOf, secondOfComment, silentFields } from './to-remote-task.ts';

/** Taskwarrior has no limits of its own: these keep one text from filling the database. */
const LIMITS = { title: 1000, body: 250_000, comment: 65_536 };

export interface SourceOptions {
  config: SourceConfig;
  options: TaskwarriorOptions;
  program: TaskProgram;
  effects: Effects;
  serially: SerialQueue['add'];
}

export function createSource({ config, options, program, effects, serially }: SourceOptions): Provider {
  const silent = silentFields(config, options.body);
  const settings = { config, calendar: createCalendar(effects.env), bodyAttribute: options.body, silent };
  const nowSecond = () => Math.floor(effects.now() / 1000);
  const database: Database = { program, settings, nowSecond, serially };
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
      for (const page of listPages(
        [...found.values()].map(({ task }) => task),
        cursor,
      )) {
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
function normalise(text: string): string {
  return storable(text.replace(/\r\n?/g, '\n').replaceAll('&open;', '[').replaceAll('&close;', ']'));
}

function taskWrites(database: Database, profile: Profile): NonNullable<Provider['write']> {
  const { calendar, bodyAttribute } = database.settings;
  const changing = () => ({ nowSecond: database.nowSecond(), calendar, bodyAttribute });
  return {
    create: (draft, { key }, signal) =>
      inTurn(database, signal, async () => {
        assertTexts('Taskwarrior', LIMITS, { title: draft.title, body: draft.body });
        const uuid = uuidOfKey(key);
        const earlier = (await findTasks(database, [uuid], signal)).get(uuid);
        return (earlier ?? (await putTask(database, newRecord(draft, key, changing()), false))).task;
      }),
    update: (ref, change, expected, signal) =>
      inTurn(database, signal, async () => {
        assertTexts('Taskwarrior', LIMITS, change);
        assertPossible(change, bodyAttribute);
        const { record, task, lossy } = await readTask(database, ref, signal);
        const left = changesLeft(change, task, expected, { ...profile, title: onOneLine });
        if (Object.keys(left).length === 0) return task;
        return (await putTask(database, applyChange(record, left, changing()), lossy)).task;
      }),
  };
}

function annotationWrites(database: Database): NonNullable<Provider['comment']> {
  return {
    add: (ref, body, { key }, signal) =>
      inTurn(database, signal, async () => {
        assertAnnotation(body);
        const { record, lossy } = await readTask(database, ref, signal);
        // A key is looked for on every try: it costs nothing here.
        const earlier = commentOfKey(record, key);
        if (earlier) return earlier;
        const next = withComment(record, body, key, database.nowSecond());
        return known(commentOfKey((await putTask(database, next, lossy)).record, key), ref);
      }),
    edit: (ref, id, body, signal) =>
      inTurn(database, signal, async () => {
        assertAnnotation(body);
        const { record, lossy } = await readTask(database, ref, signal);
        const second = secondOfComment(record, id);
        const annotations = annotationsOf(record);
        const present = annotations.find((each) => each.second === second);
        if (!present) throw new RoomError('gone', `comment ${id} of ${ref} was deleted`);
        const key = keysOf(record).annotations.get(present.second);
        if (key === undefined) throw new RoomError('refused', `comment ${id} is not ours`);
        const text = storable(body);
        if (present.text === text) return known(commentOfKey(record, key), ref);
        const next = annotations.map((each) => (each === present ? { ...each, text } : each));
        const written = await putTask(database, withAnnotations(record, next), lossy);
        return known(commentOfKey(written.record, key), ref);
      }),
  };
}

/** In the first free second from now on: Taskwarrior keeps one annotation a second. */
function withComment(record: TaskRecord, body: string, key: string, nowSecond: number): TaskRecord {
  const present = annotationsOf(record);
  const taken = new Set(present.map(({ second }) => second));
  let second = nowSecond;
  while (taken.has(second)) second += 1;
  const next = withAnnotations(record, [...present, { second, text: storable(body) }]);
  const { task, annotations } = keysOf(record);
  return withKeys(next, { task, annotations: new Map([...annotations, [second, key]]) });
}

function commentOfKey(record: TaskRecord, key: string): RemoteComment | undefined {
  return commentsOf(record).find((comment) => comment.key === key);
}

function known(comment: RemoteComment | undefined, ref: RemoteRef): RemoteComment {
  if (!comment) throw new RoomError('gone', `the annotation was taken from ${ref} while it was written`);
  return comment;
}

function assertAnnotation(body: string): void {
  if (body.trim() === '') throw new RoomError('bad_input', 'an annotation needs a text');
  assertTexts('Taskwarrior', LIMITS, { comment: body });
}
