// Comments of a Taskwarrior task: its annotations. Ours are known by their keys, and only they are edited.
import { RoomError } from '../../core/errors.ts';
import type { Provider, RemoteComment, RemoteRef } from '../provider.ts';
import type { Database } from './database.ts';
import type { DatabaseWriter } from './database-writer.ts';
import { keysOf, withKeys } from './keys.ts';
import { assertLength } from './profile.ts';
import { annotationsOf, storable, type TaskRecord, withAnnotations } from './record.ts';
import { commentsOf, secondOfComment } from './to-remote-task.ts';

export function createAnnotationWrites(
  writer: DatabaseWriter,
  database: Database,
): NonNullable<Provider['comment']> {
  return {
    add: (ref, body, attempt, signal) =>
      writer.write(signal, async () => {
        assertText(body);
        const { record, lossy } = await writer.read(ref, signal);
        // A key is looked for on every try: it costs nothing here.
        const earlier = commentOfKey(record, attempt.key);
        if (earlier) return earlier;
        const next = withComment(record, body, attempt.key, database.nowSecond());
        return known(commentOfKey((await writer.put(next, lossy)).record, attempt.key), ref);
      }),
    edit: (ref, id, body, signal) =>
      writer.write(signal, async () => {
        assertText(body);
        const { record, lossy } = await writer.read(ref, signal);
        const second = secondOfComment(record, id);
        const present = annotationsOf(record).find((each) => each.second === second);
        if (!present) throw new RoomError('gone', `comment ${id} of ${ref} was deleted`);
        const key = keysOf(record).annotations.get(present.second);
        if (key === undefined) throw new RoomError('refused', `comment ${id} is not ours`);
        const text = storable(body);
        if (present.text === text) return known(commentOfKey(record, key), ref);
        const rest = annotationsOf(record).filter((each) => each.second !== second);
        const next = withAnnotations(record, [...rest, { second: present.second, text }]);
        return known(commentOfKey((await writer.put(next, lossy)).record, key), ref);
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

function assertText(body: string): void {
  if (body.trim() === '') throw new RoomError('bad_input', 'an annotation needs a text');
  assertLength('comment', body);
}
