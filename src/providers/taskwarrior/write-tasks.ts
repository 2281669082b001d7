// Tasks made and changed: read, look whether it is as expected, import whole, read again.
import type { Attempt, Provider, RemoteDraft } from '../provider.ts';
import { applyChange, assertExpected, type ChangeOptions } from './change-record.ts';
import type { Database } from './database.ts';
import type { DatabaseWriter } from './database-writer.ts';
import { uuidOfKey, withKeys } from './keys.ts';
import { assertLength } from './profile.ts';
import { formatSecond, type TaskRecord } from './record.ts';
import type { SourceSettings } from './to-remote-task.ts';

export function createTaskWrites(
  writer: DatabaseWriter,
  database: Database,
  { calendar, bodyAttribute }: SourceSettings,
): NonNullable<Provider['write']> {
  const changing = (): ChangeOptions => ({ nowSecond: database.nowSecond(), calendar, bodyAttribute });
  return {
    create: (draft, attempt, signal) =>
      writer.write(signal, async () => {
        assertLength('title', draft.title);
        assertLength('body', draft.body);
        const earlier = (await database.find([uuidOfKey(attempt.key)], signal)).values().next().value;
        return (earlier ?? (await writer.put(newRecord(draft, attempt, changing()), false))).task;
      }),
    update: (ref, change, expected, signal) =>
      writer.write(signal, async () => {
        assertLength('title', change.title);
        assertLength('body', change.body);
        const { record, task, lossy } = await writer.read(ref, signal);
        const next = applyChange(record, change, changing());
        if (JSON.stringify(next) === JSON.stringify(record)) return task;
        assertExpected(task, database.shape(next, task), expected);
        return (await writer.put(next, lossy)).task;
      }),
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
