// The whole list as JSON text, put together from the lines the ledger keeps: the same as `listTasks` printed, for
// scripts that ask for it at every prompt.
import type { TurnId } from '../../core/ids.ts';
import type { WhyNot } from '../../core/rules/why-not.ts';
import {
  addListed,
  blockersOf,
  isPaused,
  type ListedFacts,
  type ListedLine,
  ownerOf,
  splitLine,
  isWaiting as waitsForAnswer,
} from '../../core/task/listed-line.ts';
import { isReadable } from '../../core/task/packed-reading.ts';
import { isFinished, type Status } from '../../core/task/status.ts';
import type { TaskReading } from '../../core/task/task.ts';
import { nameOfPath } from '../../core/task/task-name.ts';
import { type AgentProblemOf, readAgentProblems } from '../agent-problems.ts';
import type { ListText } from '../contract/operations.ts';
import type { FileLine } from '../file-lines.ts';
import { isWaiting, readLines, statusesOf } from '../observe/snapshot.ts';
import { idOfRef } from '../references.ts';
import type { RoomHandle } from '../room-handle.ts';
import { inOrder, readTurnFacts, type TurnFacts } from './list-tasks.ts';
import { type ListedWaiting, mayBeKept, readObstacles } from './obstacles.ts';
import { readTrouble } from './why-not.ts';

interface Listed extends ListedLine {
  name: string;
  path: string;
  /** As written, where the task is kept from one list to the next. */
  owner?: string | null;
  blockedBy?: string[];
  /** Of its JSON as it was last made. */
  facts?: Facts;
}

const CHUNK_TASKS = 500;

/**
 * Every task and every file that can't be read; null where ids are given twice, which takes a closer look.
 * @param ids only these tasks, of those that are there
 * @throws RoomError `room_gone`, `io`
 */
export async function listAsJson(handle: RoomHandle, ids?: ReadonlySet<string>): Promise<ListText | null> {
  const { files, odd, isKept = false } = await readLines(handle);
  const tasks = isKept ? files.flatMap(keptTaskOf) : readableOf(files);
  if (givesIdsTwice(tasks)) return null;
  const problemOf = await readAgentProblems(handle);
  if (ids !== undefined) {
    const asked = tasks.filter(({ id }) => id !== null && ids.has(id));
    return {
      chunks: [textOfSome(handle, { asked, tasks, problemOf })],
      count: asked.length,
      invalid: [],
      odd,
    };
  }
  const invalid = files.flatMap(({ line }) => {
    const reading = isReadable(line) ? null : (JSON.parse(line) as Extract<TaskReading, { ok: false }>);
    return reading === null ? [] : [reading.invalid];
  });
  const chunks = chunksOf(handle, tasks, problemOf);
  return { chunks, count: tasks.length, invalid, odd };
}

// Of lines that stay the same objects from one list to the next.
const keptTasks = new WeakMap<FileLine, [Listed] | []>();

function keptTaskOf(file: FileLine): [Listed] | [] {
  let known = keptTasks.get(file);
  if (known === undefined) {
    const [task] = readableOf([file]);
    known = task === undefined ? [] : [task];
    if (task !== undefined) Object.assign(task, { owner: ownerOf(task), blockedBy: blockersOf(task) });
    keptTasks.set(file, known);
  }
  return known;
}

function readableOf(files: readonly FileLine[]): Listed[] {
  const tasks: Listed[] = [];
  for (const { path, line } of files)
    if (isReadable(line)) tasks.push(Object.assign(splitLine(line), { name: nameOfPath(path), path }));
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
  const turns = readTurnFacts(handle);
  const blockers = waitedFor(handle, tasks);
  const factsOf = (task: Listed) => listedFacts(task, turns, blockers);
  const obstacles = obstaclesOf(handle, tasks, { turns, factsOf, blockers, problemOf });
  const before = keptChunks.get(handle.deps) ?? [];
  const after: Chunk[] = [];
  const ordered = inOrder(tasks, ({ rank }) => rank);
  for (let at = 0; at < ordered.length; at += CHUNK_TASKS) {
    const part = ordered.slice(at, at + CHUNK_TASKS);
    const known = before[after.length];
    const chunk = chunkOf(part, known, { factsOf, obstacles, isFirst: at === 0 });
    // Only of tasks that stay the same objects from one list to the next.
    if (part[0]?.owner !== undefined) after.push(chunk);
    yield chunk.text;
  }
  keptChunks.set(handle.deps, after);
}

interface SomeTasks {
  asked: readonly Listed[];
  /** All of the room. */
  tasks: readonly Listed[];
  problemOf: AgentProblemOf;
}

/** Nothing is kept of it: the chunks of the whole list stay as they were made. */
function textOfSome(handle: RoomHandle, { asked, tasks, problemOf }: SomeTasks): string {
  const turns = readTurnFacts(handle);
  // A circle of tasks that wait for each other is seen by all that wait.
  const isWaitingSome = asked.some((task) => (task.blockedBy ?? blockersOf(task)).length > 0);
  const blockers = waitedFor(handle, isWaitingSome ? tasks : asked, tasks);
  const near = isWaitingSome
    ? tasks.filter((task) => blockers.refs.has(task) || asked.includes(task))
    : asked;
  const factsOf = (task: Listed) => listedFacts(task, turns, blockers);
  const obstacles = obstaclesOf(handle, near, { turns, factsOf, blockers, problemOf });
  const pieces: string[] = [];
  for (const task of asked) {
    if (pieces.length > 0) pieces.push(',');
    addListed(pieces, task, { ...factsOf(task), whyNot: obstacles.get(task.path) ?? null });
  }
  return pieces.join('');
}

interface Chunk {
  tasks: readonly Listed[];
  text: string;
  /** Nothing of it depends on more than its tasks and their facts. */
  isPlain: boolean;
}

/** Those of the last list, where the daemon keeps what files say: of ten thousand tasks few are others a moment later. */
const keptChunks = new WeakMap<RoomHandle['deps'], Chunk[]>();

interface ChunkFacts {
  factsOf(task: Listed): Facts;
  obstacles: ReadonlyMap<string, WhyNot>;
  isFirst: boolean;
}

function chunkOf(
  tasks: readonly Listed[],
  before: Chunk | undefined,
  { factsOf, obstacles, isFirst }: ChunkFacts,
): Chunk {
  let isSame = before?.isPlain === true && before.tasks.length === tasks.length;
  let isPlain = true;
  const facts = tasks.map((task, at) => {
    const now = factsOf(task);
    if (obstacles.has(task.path)) isPlain = false;
    if (task.facts === undefined || !sameFacts(task.facts, now) || before?.tasks[at] !== task) isSame = false;
    task.facts = now;
    return now;
  });
  if (isSame && isPlain && before !== undefined) return before;
  const pieces: string[] = [];
  for (const [at, task] of tasks.entries()) {
    if (at > 0 || !isFirst) pieces.push(',');
    addListed(pieces, task, { ...facts[at]!, whyNot: obstacles.get(task.path) ?? null });
  }
  return { tasks, text: pieces.join(''), isPlain };
}

function sameFacts(a: Facts, b: Facts): boolean {
  return (
    a.finishedAt === b.finishedAt &&
    a.blocked === b.blocked &&
    a.running === b.running &&
    a.pending === b.pending &&
    a.held === b.held &&
    a.retryAt === b.retryAt &&
    a.parkedUntil === b.parkedUntil &&
    a.nothingWritten === b.nothingWritten
  );
}

type Facts = Omit<ListedFacts, 'whyNot'>;

function listedFacts(task: Listed, facts: TurnFacts, blockers: Blockers): Facts {
  const { id, status } = task;
  const waiting = id === null ? undefined : facts.waiting.get(id);
  const blockedBy = blockers.refs.get(task);
  return {
    blocked: blockedBy !== undefined && isWaiting(blockers, { blockedBy, status }),
    running: (id !== null && facts.running.get(id)) || null,
    pending: id !== null && facts.pending.has(id),
    held: waiting?.held ?? false,
    retryAt: waiting?.retryAt ?? null,
    parkedUntil: (id !== null && facts.parked.get(id)) || null,
    nothingWritten: !isFinished(status) && id !== null && facts.silent.has(id),
    finishedAt: isFinished(status) ? (waiting?.finishedAt ?? null) : null,
  };
}

function writtenOwner(task: Listed): string | null {
  return task.owner === undefined ? ownerOf(task) : task.owner;
}

interface ObstacleFacts {
  turns: TurnFacts;
  factsOf(task: Listed): Facts;
  blockers: Blockers;
  problemOf: AgentProblemOf;
}

/** Only those that may have one are looked at as objects: among ten thousand they are few. */
function obstaclesOf(
  handle: RoomHandle,
  tasks: readonly Listed[],
  { turns, factsOf, blockers, problemOf }: ObstacleFacts,
): ReadonlyMap<string, WhyNot> {
  const views: ListedWaiting[] = [];
  const inTrouble = readTrouble(handle) !== null;
  for (const task of tasks) {
    const { id, name, path, status } = task;
    const isNear =
      inTrouble ||
      blockers.refs.has(task) ||
      (id !== null && turns.pending.has(id)) ||
      problemOf(writtenOwner(task)) !== null;
    if (!isNear || !mayBeKept({ status, running: null })) continue;
    const facts = factsOf(task) as Facts & { running: TurnId | null };
    const { blocked, running, pending, held, retryAt, parkedUntil } = facts;
    const blockedBy = blockers.refs.get(task) ?? [];
    const said = { id, name, path, status, paused: isPaused(task), owner: writtenOwner(task), blockedBy };
    const waiting = waitsForAnswer(task);
    views.push({ ...said, waiting, blocked, running, pending, held, retryAt, parkedUntil });
  }
  return readObstacles(handle, views, problemOf);
}

interface Blockers {
  refs: ReadonlyMap<Listed, string[]>;
  statusOf(ref: string): Status | null;
}

function waitedFor(handle: RoomHandle, tasks: readonly Listed[], all: readonly Listed[] = tasks): Blockers {
  const refs = new Map<Listed, string[]>();
  for (const task of tasks) {
    const blockedBy = task.blockedBy ?? blockersOf(task);
    if (blockedBy.length > 0) refs.set(task, blockedBy);
  }
  const statuses = statusesOf(handle, all, [...refs.values()].flat());
  return { refs, statusOf: (ref: string) => statuses.get(idOfRef(ref)) ?? null };
}
