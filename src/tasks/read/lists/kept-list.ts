// The list as the daemon keeps it: of ten thousand tasks few are others a moment later, so that their text is written again in
// parts, and nothing that is as large as the list is made anew for each.
import type { TaskId } from '../../../core/ids.ts';
import { blockersOf, ownerOf, splitLine } from '../../../core/task/listed-line.ts';
import type { Status } from '../../../core/task/status.ts';
import { type AgentProblemOf, readAgentProblems } from '../../agent-problems.ts';
import type { ListText } from '../../contract/operations.ts';
import { type FileLine, isTask } from '../../file-lines.ts';
import type { RoomHandle } from '../../room-handle.ts';
import { inOrder } from './list-tasks.ts';
import { CHUNK_TASKS, type Facts, type KeptTask, listedText, lookUp, someAsText } from './listed-text.ts';

/** What a daemon keeps of its last list: of ten thousand tasks few are others a moment later. */
interface KeptList {
  /** How many lists there were. */
  number: number;
  byId: Map<TaskId, KeptTask>;
  chunks: readonly Chunk[];
}

const keptLists = new WeakMap<RoomHandle['deps'], KeptList>();

/**
 * Of lines that stay the same objects from one list to the next; null where ids are given twice.
 * @param ids only these: nothing is kept of them
 */
export async function readKeptList(
  handle: RoomHandle,
  files: readonly FileLine[],
  ids?: ReadonlySet<string>,
): Promise<Omit<ListText, 'invalid' | 'odd'> | null> {
  const kept = keptListOf(handle);
  const tasks = keptTasksOf(files);
  if (givesIdsTwice(kept, tasks)) return null;
  const problemOf = await readAgentProblems(handle);
  if (ids !== undefined) return someAsText(handle, tasks, ids, problemOf);
  const bytes = keptBytes(handle, kept, tasks, problemOf);
  return { chunks: textsOf(bytes), bytes, count: tasks.length };
}

function keptListOf({ deps }: RoomHandle): KeptList {
  const known = keptLists.get(deps);
  if (known !== undefined) return known;
  const kept: KeptList = { number: 0, byId: new Map(), chunks: [] };
  keptLists.set(deps, kept);
  return kept;
}

function keptTasksOf(files: readonly FileLine[]): KeptTask[] {
  const tasks: KeptTask[] = [];
  for (const file of files) {
    if (!isTask(file)) continue;
    file.listed ??= new Kept(file);
    tasks.push(file.listed as KeptTask);
  }
  return tasks;
}

const NONE: readonly string[] = [];
const NOTHING_SEEN: ReadonlyMap<TaskId, string> = new Map();

class Kept implements KeptTask {
  readonly #file: FileLine;
  readonly path: string;
  readonly id: TaskId | null;
  readonly status: Status;
  readonly rank: number;
  readonly sort: number | null;
  created: string;
  readonly owner: string | null;
  readonly blockedBy: readonly string[];
  readonly parts = null;
  facts: Facts | null = null;
  seenIn = 0;

  constructor(file: FileLine) {
    const parts = splitLine(file.line);
    const blockedBy = blockersOf(parts);
    this.#file = file;
    this.path = file.path;
    this.id = parts.id;
    this.status = parts.status;
    this.rank = parts.rank;
    this.sort = parts.sort;
    this.created = parts.created;
    this.owner = ownerOf(parts);
    this.blockedBy = blockedBy.length === 0 ? NONE : blockedBy;
  }

  get line(): string {
    return this.#file.line;
  }
}

/** When files that don't say when they were made were first seen: that stays as it is, and is asked for once. */
function fillMoments({ deps }: RoomHandle, tasks: readonly KeptTask[]): void {
  const undated = tasks.filter(({ id, created }) => created === '' && id !== null);
  const seen = undated.length === 0 ? null : deps.ledger.tasks.firstSeen();
  for (const task of undated) task.created = seen!.get(task.id!) ?? '';
}

/** Without a set of ten thousand ids that is thrown away after each list. */
function givesIdsTwice(kept: KeptList, tasks: readonly KeptTask[]): boolean {
  kept.number += 1;
  const { byId, number } = kept;
  let isTwice = false;
  for (const task of tasks) {
    const { id } = task;
    if (id === null) continue;
    const other = byId.get(id);
    if (other !== task) {
      if (other?.seenIn === number) isTwice = true;
      byId.set(id, task);
    }
    task.seenIn = number;
  }
  if (byId.size > tasks.length) for (const [id, { seenIn }] of byId) if (seenIn !== number) byId.delete(id);
  return isTwice;
}

/** A part of the list, as it was last written. */
interface Chunk {
  tasks: readonly KeptTask[];
  /** Its JSON; the same object as long as nothing of it is another. */
  bytes: Uint8Array;
  /** Nothing of it depends on more than its tasks and their facts. */
  isPlain: boolean;
}

function* keptBytes(
  handle: RoomHandle,
  kept: KeptList,
  tasks: readonly KeptTask[],
  problemOf: AgentProblemOf,
): Generator<Uint8Array, void, void> {
  const { factsOf, obstacles } = lookUp(handle, tasks, problemOf);
  fillMoments(handle, tasks);
  const before = kept.chunks;
  const after: Chunk[] = [];
  const ordered = inOrder(
    tasks,
    ({ rank }) => rank,
    () => NOTHING_SEEN,
  );
  for (let at = 0; at < ordered.length; at += CHUNK_TASKS) {
    const part = ordered.slice(at, at + CHUNK_TASKS);
    const isPlain = !part.some(({ path }) => obstacles.has(path));
    const known = before[after.length];
    const hasOthers = takeFacts(part, factsOf) || known?.tasks.length !== part.length;
    const isSame = !hasOthers && known.isPlain && isPlain && part.every((task, n) => known.tasks[n] === task);
    const chunk = isSame
      ? known
      : {
          tasks: part,
          bytes: Buffer.from(listedText(part, part.map(keptFacts), obstacles, at === 0)),
          isPlain,
        };
    after.push(chunk);
    yield chunk.bytes;
  }
  kept.chunks = after;
}

const keptFacts = ({ facts }: KeptTask) => facts!;

/** @returns whether any of them has other facts than when it was last written */
function takeFacts(tasks: readonly KeptTask[], factsOf: (task: KeptTask) => Facts): boolean {
  let hasOthers = false;
  for (const task of tasks) {
    const facts = factsOf(task);
    if (facts !== task.facts) hasOthers = true;
    task.facts = facts;
  }
  return hasOthers;
}

function* textsOf(bytes: Iterable<Uint8Array>): Generator<string, void, void> {
  const decoder = new TextDecoder();
  for (const chunk of bytes) yield decoder.decode(chunk);
}
