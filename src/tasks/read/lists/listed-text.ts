// What a list says of each task beside its line, and the JSON of some tasks one after the other: for lists that are put together
// from lines, whoever keeps those.
import type { TurnId } from '../../../core/ids.ts';
import type { WhyNot } from '../../../core/rules/why-not.ts';
import {
  addListed,
  blockersOf,
  isPaused,
  type ListedFacts,
  type ListedLine,
  ownerOf,
  splitLine,
  isWaiting as waitsForAnswer,
} from '../../../core/task/listed-line.ts';
import { isFinished, type Status } from '../../../core/task/status.ts';
import { nameOfPath } from '../../../core/task/task-name.ts';
import type { AgentProblemOf } from '../../agent-problems.ts';
import { isWaiting, statusesOf } from '../../observe/snapshot.ts';
import { idOfRef } from '../../references.ts';
import type { RoomHandle } from '../../room-handle.ts';
import { type ListedWaiting, mayBeKept, readObstacles } from '../obstacles.ts';
import { readTrouble } from '../why-not.ts';
import { readTurnFacts, type TurnFacts } from './list-tasks.ts';

export const CHUNK_TASKS = 500;

export interface Listed extends Pick<ListedLine, 'id' | 'status' | 'rank' | 'sort' | 'created'> {
  path: string;
  line: string;
  /** The line taken apart; null for a task that is kept, whose line is taken apart when it is written again. */
  parts: ListedLine | null;
}

/** Kept from one list to the next, of ten thousand tasks: no more than what each list asks of all of them. */
export interface KeptTask extends Listed {
  parts: null;
  /** As written. */
  owner: string | null;
  blockedBy: readonly string[];
  /** Of its JSON as it was last made. */
  facts: Facts | null;
  /** Number of the list it was last in. */
  seenIn: number;
}

export interface LookedUp {
  factsOf(task: Listed): Facts;
  obstacles: ReadonlyMap<string, WhyNot>;
}

/** Looks at what all of them share once. */
export function lookUp(handle: RoomHandle, tasks: readonly Listed[], problemOf: AgentProblemOf): LookedUp {
  const turns = readTurnFacts(handle);
  const blockers = waitedFor(handle, tasks);
  const factsOf = (task: Listed) => listedFacts(task, turns, blockers);
  return { factsOf, obstacles: obstaclesOf(handle, tasks, { turns, factsOf, blockers, problemOf }) };
}

/** Single tasks of all those of the room. */
export function someAsText(
  handle: RoomHandle,
  tasks: readonly Listed[],
  ids: ReadonlySet<string>,
  problemOf: AgentProblemOf,
): { chunks: string[]; count: number } {
  const asked = tasks.filter(({ id }) => id !== null && ids.has(id));
  const turns = readTurnFacts(handle);
  // A circle of tasks that wait for each other is seen by all that wait.
  const isWaitingSome = asked.some((task) => writtenBlockers(task).length > 0);
  const blockers = waitedFor(handle, isWaitingSome ? tasks : asked, tasks);
  const near = isWaitingSome
    ? tasks.filter((task) => blockers.refs.has(task) || asked.includes(task))
    : asked;
  const factsOf = (task: Listed) => listedFacts(task, turns, blockers);
  const obstacles = obstaclesOf(handle, near, { turns, factsOf, blockers, problemOf });
  return { chunks: [listedText(asked, asked.map(factsOf), obstacles, true)], count: asked.length };
}

export type Facts = Omit<ListedFacts, 'whyNot'>;

const AT_REST: Facts = {
  blocked: false,
  running: null,
  pending: false,
  held: false,
  retryAt: null,
  parkedUntil: null,
  nothingWritten: false,
  finishedAt: null,
};
/** Facts are looked up here, since most of ten thousand are what they were: then no object is made. */
const scratch: { -readonly [Key in keyof Facts]: Facts[Key] } = { ...AT_REST };

/** The same object as before where nothing is another. */
function listedFacts(task: Listed & { facts?: Facts | null }, known: TurnFacts, blockers: Blockers): Facts {
  const now = scratch;
  const { id, status } = task;
  const waiting = id === null ? undefined : known.waiting.get(id);
  const blockedBy = blockers.refs.get(task);
  now.blocked = blockedBy !== undefined && isWaiting(blockers, { blockedBy, status });
  now.running = (id !== null && known.running.get(id)) || null;
  now.pending = id !== null && known.pending.has(id);
  now.held = waiting?.held ?? false;
  now.retryAt = waiting?.retryAt ?? null;
  now.parkedUntil = (id !== null && known.parked.get(id)) || null;
  now.nothingWritten = !isFinished(status) && id !== null && known.silent.has(id);
  now.finishedAt = isFinished(status) ? (waiting?.finishedAt ?? null) : null;
  if (task.facts && sameFacts(task.facts, now)) return task.facts;
  return sameFacts(AT_REST, now) ? AT_REST : { ...now };
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

function writtenOwner(task: Listed | KeptTask): string | null {
  return task.parts === null ? (task as KeptTask).owner : ownerOf(task.parts);
}

function writtenBlockers(task: Listed | KeptTask): readonly string[] {
  return task.parts === null ? (task as KeptTask).blockedBy : blockersOf(task.parts);
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
    const { id, path, status } = task;
    const isNear =
      inTrouble ||
      blockers.refs.has(task) ||
      (id !== null && turns.pending.has(id)) ||
      problemOf(writtenOwner(task)) !== null;
    if (!isNear || !mayBeKept({ status, running: null })) continue;
    const facts = factsOf(task) as Facts & { running: TurnId | null };
    const { blocked, running, pending, held, retryAt, parkedUntil } = facts;
    const blockedBy = blockers.refs.get(task) ?? [];
    const parts = task.parts ?? splitLine(task.line);
    const said = { id, name: nameOfPath(path), path, status, blockedBy: [...blockedBy] };
    const flags = { paused: isPaused(parts), waiting: waitsForAnswer(parts) };
    views.push({
      ...said,
      ...flags,
      owner: writtenOwner(task),
      blocked,
      running,
      pending,
      held,
      retryAt,
      parkedUntil,
    });
  }
  return readObstacles(handle, views, problemOf);
}

interface Blockers {
  refs: ReadonlyMap<Listed, readonly string[]>;
  statusOf(ref: string): Status | null;
}

function waitedFor(handle: RoomHandle, tasks: readonly Listed[], all: readonly Listed[] = tasks): Blockers {
  const refs = new Map<Listed, readonly string[]>();
  for (const task of tasks) {
    const blockedBy = writtenBlockers(task);
    if (blockedBy.length > 0) refs.set(task, blockedBy);
  }
  const statuses = statusesOf(handle, all, [...refs.values()].flat());
  return { refs, statusOf: (ref: string) => statuses.get(idOfRef(ref)) ?? null };
}

/** Members of an array, with a comma before the first one unless that is the first of all. */
export function listedText(
  tasks: readonly Listed[],
  facts: readonly Facts[],
  obstacles: ReadonlyMap<string, WhyNot>,
  isFirst: boolean,
): string {
  const pieces: string[] = [];
  for (const [at, task] of tasks.entries()) {
    if (at > 0 || !isFirst) pieces.push(',');
    const whyNot = obstacles.get(task.path) ?? null;
    addListed(pieces, task.parts ?? splitLine(task.line), facts[at]!, whyNot);
  }
  return pieces.join('');
}
