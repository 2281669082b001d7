// The writing half of a Taskwarrior source: read, look whether it is as expected, import whole, read again.
import { RoomError } from '../../core/errors.ts';
import type { Attempt, Profile, Provider, RemoteComment, RemoteDraft, RemoteRef } from '../provider.ts';
import { applyChange, assertExpected, type ChangeOptions } from './change-record.ts';
import type { Database, Found } from './database.ts';
import { keysOf, uuidOfKey, withKeys } from './keys.ts';
import type { TaskProgram } from './program.ts';
import { annotationsOf, formatSecond, isUuid, storable, type TaskRecord, withAnnotations } from './record.ts';
import { commentsOf, type Reading, secondOfComment } from './to-remote-task.ts';

/** Runs one piece of work after the other, in the order they came. */
export type InTurn = <T>(work: () => Promise<T>) => Promise<T>;

export function createInTurn(): InTurn {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const mine = last.then(work);
    // What failed is its caller's to know; the next one goes on.
    last = mine.catch(() => {});
    return mine;
  };
}

export interface WritingOptions {
  program: TaskProgram;
  database: Database;
  reading: Reading;
  profile: Profile;
  inTurn: InTurn;
}

export function createWriting(options: WritingOptions): Required<Pick<Provider, 'write' | 'comment'>> {
  const { program, database, reading, profile, inTurn } = options;
  const { limits } = profile;
  const { bodyAttribute, calendar } = reading;
  const changing = (): ChangeOptions => ({ nowSecond: database.nowSecond(), calendar, bodyAttribute });

  const call = <T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> =>
    inTurn(async () => {
      if (signal.aborted) throw new RoomError('interrupted', 'stopped', { cause: signal.reason });
      return work();
    });

  async function find(ref: RemoteRef, signal?: AbortSignal): Promise<Found> {
    if (!isUuid(ref)) throw new RoomError('bad_input', `${JSON.stringify(ref)} is not a Taskwarrior UUID`);
    const found = (await database.find([ref], signal)).get(ref);
    if (!found) throw new RoomError('gone', `Taskwarrior has no task ${ref} any more`);
    return found;
  }

  async function put(record: TaskRecord, lossy: boolean): Promise<Found> {
    if (lossy) {
      const hint = `Mend its text with \`task ${record.uuid.slice(0, 8)} edit\`.`;
      throw new RoomError('refused', `task ${record.uuid} holds text that is not UTF-8`, { hint });
    }
    await program.importTask({ ...record, modified: formatSecond(database.nowSecond()) });
    // It is written: the answer is read whatever the caller's signal says.
    return find(record.uuid);
  }

  return {
    write: {
      create: (draft, attempt, signal) =>
        call(signal, async () => {
          assertWithin(limits.title, draft.title, 'title');
          assertWithin(limits.body, draft.body, 'body');
          const earlier = (await database.find([uuidOfKey(attempt.key)], signal)).values().next().value;
          return (earlier ?? (await put(newRecord(draft, attempt, changing()), false))).task;
        }),
      update: (ref, change, expected, signal) =>
        call(signal, async () => {
          assertWithin(limits.title, change.title, 'title');
          assertWithin(limits.body, change.body, 'body');
          const { record, task, lossy } = await find(ref, signal);
          const next = applyChange(record, change, changing());
          if (JSON.stringify(next) === JSON.stringify(record)) return task;
          assertExpected(task, database.shape(next, task), expected);
          return (await put(next, lossy)).task;
        }),
    },
    comment: {
      add: (ref, body, attempt, signal) =>
        call(signal, async () => {
          assertComment(body, limits.comment);
          const { record, lossy } = await find(ref, signal);
          // A key is looked for on every try: it costs nothing here.
          const earlier = commentOfKey(record, attempt.key);
          if (earlier) return earlier;
          const next = withComment(record, body, attempt.key, database.nowSecond());
          return known(commentOfKey((await put(next, lossy)).record, attempt.key), ref);
        }),
      edit: (ref, id, body, signal) =>
        call(signal, async () => {
          assertComment(body, limits.comment);
          const { record, lossy } = await find(ref, signal);
          const second = secondOfComment(record, id);
          const present = annotationsOf(record).find((each) => each.second === second);
          if (!present) throw new RoomError('gone', `comment ${id} of ${ref} was deleted`);
          const key = keysOf(record).annotations.get(present.second);
          if (key === undefined) throw new RoomError('refused', `comment ${id} is not ours`);
          const text = storable(body);
          if (present.text === text) return known(commentOfKey(record, key), ref);
          const rest = annotationsOf(record).filter((each) => each.second !== second);
          const next = withAnnotations(record, [...rest, { second: present.second, text }]);
          return known(commentOfKey((await put(next, lossy)).record, key), ref);
        }),
    },
  };
}

function newRecord(draft: RemoteDraft, { key }: Attempt, options: ChangeOptions): TaskRecord {
  const uuid = uuidOfKey(key);
  const empty = { uuid, status: 'pending', entry: formatSecond(options.nowSecond) };
  const { title, status, priority, due } = draft;
  const labels = { add: draft.labels, remove: [] };
  // Without an attribute for it the body stays in the room; `writable` says so.
  const body = options.bodyAttribute === null ? {} : { body: draft.body };
  const record = applyChange(empty, { title, status, priority, due, labels, ...body }, options);
  return withKeys(record, { task: key, annotations: new Map() });
}

/** In the first free second from now on: Taskwarrior keeps one annotation a second. */
function withComment(record: TaskRecord, body: string, key: string, nowSecond: number): TaskRecord {
  const present = annotationsOf(record);
  const taken = new Set(present.map(({ second }) => second));
  let second = nowSecond;
  while (taken.has(second)) second += 1;
  const next = withAnnotations(record, [...present, { second, text: storable(body) }]);
  const keys = keysOf(record);
  return withKeys(next, { task: keys.task, annotations: new Map([...keys.annotations, [second, key]]) });
}

function commentOfKey(record: TaskRecord, key: string): RemoteComment | undefined {
  return commentsOf(record).find((comment) => comment.key === key);
}

function known(comment: RemoteComment | undefined, ref: RemoteRef): RemoteComment {
  if (!comment) throw new RoomError('gone', `the annotation was taken from ${ref} while it was written`);
  return comment;
}

function assertComment(body: string, limit: number): void {
  if (body.trim() === '') throw new RoomError('bad_input', 'an annotation needs a text');
  assertWithin(limit, body, 'comment');
}

function assertWithin(limit: number, text: string | undefined, what: string): void {
  if (text !== undefined && text.length > limit) {
    throw new RoomError('bad_input', `the ${what} has ${text.length} characters, ${limit} at most`);
  }
}
