// The whole list as JSON text, put together from the lines the ledger keeps: the same as `listTasks` printed, for
// scripts that ask for it at every prompt.
import { splitLine } from '../../../core/task/listed-line.ts';
import { isReadable } from '../../../core/task/packed-reading.ts';
import type { InvalidFile, TaskReading } from '../../../core/task/task.ts';
import { type AgentProblemOf, readAgentProblems } from '../../agent-problems.ts';
import type { ListText } from '../../contract/operations.ts';
import { type FileLine, isTask } from '../../file-lines.ts';
import { readLines } from '../../observe/snapshot.ts';
import type { RoomHandle } from '../../room-handle.ts';
import { inOrder } from './list-tasks.ts';
import { CHUNK_TASKS, type Listed, listedText, lookUp, someAsText } from './listed-text.ts';

/**
 * Every task and every file that can't be read; null where ids are given twice, which takes a closer look.
 * @param ids only these tasks, of those that are there
 * @throws RoomError `room_gone`, `io`
 */
export async function listAsJson(handle: RoomHandle, ids?: ReadonlySet<string>): Promise<ListText | null> {
  const { files, odd, isKept = false } = await readLines(handle);
  const invalid = ids === undefined ? invalidOf(files) : [];
  if (isKept) {
    const list = await (await import('./kept-list.ts')).readKeptList(handle, files, ids);
    return list && { ...list, invalid, odd };
  }
  const tasks = readableOf(files);
  if (givesIdsTwice(tasks)) return null;
  const problemOf = await readAgentProblems(handle);
  if (ids !== undefined) return { ...someAsText(handle, tasks, ids, problemOf), invalid, odd };
  return { chunks: chunksOf(handle, tasks, problemOf), count: tasks.length, invalid, odd };
}

function invalidOf(files: readonly FileLine[]): InvalidFile[] {
  const invalid: InvalidFile[] = [];
  for (const file of files) {
    if (isTask(file)) continue;
    const reading = JSON.parse(file.line) as Extract<TaskReading, { ok: false }>;
    invalid.push(reading.invalid);
  }
  return invalid;
}

function readableOf(files: readonly FileLine[]): Listed[] {
  const tasks: Listed[] = [];
  for (const { path, line } of files) {
    if (!isReadable(line)) continue;
    const parts = splitLine(line);
    const { id, status, rank, sort, created } = parts;
    tasks.push({ id, status, rank, sort, created, path, line, parts });
  }
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

function* chunksOf(
  handle: RoomHandle,
  tasks: readonly Listed[],
  problemOf: AgentProblemOf,
): Generator<string, void, void> {
  const { factsOf, obstacles } = lookUp(handle, tasks, problemOf);
  const ordered = inOrder(tasks, ({ rank }) => rank, handle.deps.ledger.tasks.firstSeen);
  for (let at = 0; at < ordered.length; at += CHUNK_TASKS) {
    const part = ordered.slice(at, at + CHUNK_TASKS);
    yield listedText(part, part.map(factsOf), obstacles, at === 0);
  }
}
