// The whole list as JSON text, put together from the lines the ledger keeps: the same as `listTasks` printed, for
// scripts that ask for it at every prompt.
import { addListed, blockersOf, type ListedLine, splitLine } from '../../core/task/listed-line.ts';
import { isReadable } from '../../core/task/packed-reading.ts';
import { isFinished } from '../../core/task/status.ts';
import type { TaskReading } from '../../core/task/task.ts';
import { nameOfPath } from '../../core/task/task-name.ts';
import { type FileLine, isWaiting, readLines, statusesOf } from '../observe/snapshot.ts';
import type { ListText } from '../operations.ts';
import { idOfRef } from '../references.ts';
import type { RoomHandle } from '../room-handle.ts';
import { inOrder, readTurnFacts } from './list-tasks.ts';

interface Listed extends ListedLine {
  name: string;
}

const CHUNK_TASKS = 500;

/**
 * Every task and every file that can't be read; null where ids are given twice, which takes a closer look.
 * @throws RoomError `room_gone`, `io`
 */
export async function listAsJson(handle: RoomHandle): Promise<ListText | null> {
  const { files, odd } = await readLines(handle);
  const tasks = readableOf(files);
  if (givesIdsTwice(tasks)) return null;
  const invalid = files.flatMap(({ line }) => {
    const reading = isReadable(line) ? null : (JSON.parse(line) as Extract<TaskReading, { ok: false }>);
    return reading === null ? [] : [reading.invalid];
  });
  return { chunks: chunksOf(handle, tasks), invalid, odd };
}

function readableOf(files: readonly FileLine[]): Listed[] {
  const tasks: Listed[] = [];
  for (const { path, line } of files)
    if (isReadable(line)) tasks.push(Object.assign(splitLine(line), { name: nameOfPath(path) }));
  return tasks;
}

function givesIdsTwice(tasks: readonly Listed[]): boolean {
  const ids = new Set<string>();
  let withId = 0;
  for (const { id } of tasks) {
    if (id === null) continue;
    withId += 1;
    ids.add(id);
  }
  return ids.size < withId;
}

function* chunksOf(handle: RoomHandle, tasks: readonly Listed[]): Generator<string, void, void> {
  const facts = readTurnFacts(handle);
  const blockers = waitedFor(handle, tasks);
  let pieces: string[] = [];
  let count = 0;
  for (const task of inOrder(tasks, ({ rank }) => rank)) {
    const { id, status } = task;
    const waiting = id === null ? undefined : facts.waiting.get(id);
    const blockedBy = blockers.refs.get(task);
    if (count > 0) pieces.push(',');
    addListed(pieces, task, {
      blocked: blockedBy !== undefined && isWaiting(blockers, { blockedBy, status }),
      running: (id !== null && facts.running.get(id)) || null,
      pending: id !== null && facts.pending.has(id),
      held: waiting?.held ?? false,
      retryAt: waiting?.retryAt ?? null,
      parkedUntil: (id !== null && facts.parked.get(id)) || null,
      nothingWritten: !isFinished(status) && id !== null && facts.silent.has(id),
      finishedAt: isFinished(status) ? (waiting?.finishedAt ?? null) : null,
    });
    count += 1;
    if (count % CHUNK_TASKS > 0) continue;
    yield pieces.join('');
    pieces = [];
  }
  yield pieces.join('');
}

function waitedFor(handle: RoomHandle, tasks: readonly Listed[]) {
  const refs = new Map<Listed, string[]>();
  for (const task of tasks) {
    const blockedBy = blockersOf(task);
    if (blockedBy.length > 0) refs.set(task, blockedBy);
  }
  const statuses = statusesOf(handle, tasks, [...refs.values()].flat());
  return { refs, statusOf: (ref: string) => statuses.get(idOfRef(ref)) ?? null };
}
