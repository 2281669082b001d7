// The whole list as JSON text, put together from the lines the ledger keeps: the same as `listPage` printed, for scripts that ask
// for it at every prompt, and for the board.
import { splitLine } from '../../../core/task/listed-line.ts';
import { isReadable } from '../../../core/task/packed-reading.ts';
import type { InvalidFile, TaskReading } from '../../../core/task/task.ts';
import { type AgentProblemOf, readAgentProblems } from '../../agent-problems.ts';
import { type FileLine, isTask } from '../../file-lines.ts';
import { readLines } from '../../observe/snapshot.ts';
import type { RoomHandle } from '../../room-handle.ts';
import type { ListInput, TaskList } from '../../shapes/list.ts';
import type { Actor } from '../../task-room.ts';
import { assertAlone, readBeside } from './list-page.ts';
import { inOrder } from './list-tasks.ts';
import { CHUNK_TASKS, type Listed, listedText, lookUp, someAsText } from './listed-text.ts';

/**
 * The whole list, or single tasks of it, in pieces of JSON; null where only `listPage` can tell: with a filter, and where ids are
 * given twice, which takes a closer look.
 * @throws RoomError `room_gone`, `io`, `bad_input`, `not_allowed`
 */
export async function listAsJson(
  handle: RoomHandle,
  input: ListInput,
  actor: Actor,
): Promise<Iterable<string> | null> {
  const { all, ids, agents, turns, ...filter } = input;
  assertAlone(input);
  if (Object.keys(filter).length > 0 || (!all && ids === undefined)) return null;
  const { files, odd } = await readLines(handle);
  const tasks = readableOf(files);
  if (givesIdsTwice(tasks)) return null;
  const problemOf = await readAgentProblems(handle);
  const beside = await readBeside(handle, input, actor);
  const wanted = ids === undefined ? null : new Set(ids);
  const { chunks, total } =
    wanted === null
      ? { chunks: chunksOf(handle, tasks, problemOf), total: tasks.length }
      : someAsText(handle, tasks, wanted, problemOf);
  const broken = wanted === null ? { invalid: invalidOf(files), odd } : { invalid: [], odd: [] };
  return pieces(chunks, { ...beside, ...broken, total, next_offset: null });
}

function* pieces(chunks: Iterable<string>, rest: Omit<TaskList, 'tasks'>): Generator<string, void, void> {
  yield '{"tasks":[';
  yield* chunks;
  yield `],${JSON.stringify(rest).slice(1)}`;
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
    tasks.push({ id, status, rank, sort, created, path, parts });
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
