// What a list says of each task beside its line, and the JSON of some tasks one after the other.
import type { TurnId } from '../../../core/ids.ts';
import type { WhyNot } from '../../../core/rules/why-not.ts';
import {
  addListed,
  blockersOf,
  isPaused,
  type ListedFacts,
  type ListedLine,
  ownerOf,
  RESTS,
  isWaiting as waitsForAnswer,
} from '../../../core/task/listed-line.ts';
import { isFinished } from '../../../core/task/status.ts';
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
  parts: ListedLine;
}

export interface LookedUp {
  factsOf(task: Listed): Facts;
  obstacles: ReadonlyMap<string, WhyNot>;
}

/** Looks at what all of them share once. */
export function lookUp(handle: RoomHandle, tasks: readonly Listed[], problemOf: AgentProblemOf): LookedUp {
  const turns = readTurnFacts(handle);
  const blockers = waitedFor(handle, tasks);
  const factsOf = (task: Listed) => listedFacts(task, turns, blockers.isBlocked(task));
  return { factsOf, obstacles: obstaclesOf(handle, tasks, { turns, factsOf, blockers, problemOf }) };
}

/** Single tasks of all those of the room. */
export function someAsText(
  handle: RoomHandle,
  tasks: readonly Listed[],
  ids: ReadonlySet<string>,
  problemOf: AgentProblemOf,
): { chunks: string[]; total: number } {
  const asked = tasks.filter(({ id }) => id !== null && ids.has(id));
  const turns = readTurnFacts(handle);
  // A circle of tasks that wait for each other is seen by all that wait.
  const isWaitingSome = asked.some((task) => blockersOf(task.parts).length > 0);
  const blockers = waitedFor(handle, isWaitingSome ? tasks : asked, tasks);
  const near = isWaitingSome
    ? tasks.filter((task) => blockers.refs.has(task) || asked.includes(task))
    : asked;
  const factsOf = (task: Listed) => listedFacts(task, turns, blockers.isBlocked(task));
  const obstacles = obstaclesOf(handle, near, { turns, factsOf, blockers, problemOf });
  return { chunks: [listedText(asked, asked.map(factsOf), obstacles, true)], total: asked.length };
}

export type Facts = Omit<ListedFacts, 'whyNot'>;

const AT_REST: Facts = { ...RESTS, blocked: false, finishedAt: null };

function listedFacts({ id, status }: Listed, known: TurnFacts, isBlocked: boolean): Facts {
  if (id === null) return isBlocked ? { ...AT_REST, blocked: true } : AT_REST;
  const waiting = known.waiting.get(id);
  const isOver = isFinished(status);
  const isSilent = !isOver && known.silent.has(id);
  const running = known.running.get(id) ?? null;
  const pending = known.pending.has(id);
  if (!isBlocked && !isSilent && running === null && !pending && waiting === undefined) return AT_REST;
  return {
    ...{ blocked: isBlocked, running, pending, nothingWritten: isSilent },
    ...{ held: waiting?.held ?? false, retryAt: waiting?.retryAt ?? null },
    parkedUntil: known.parked.get(id) ?? null,
    finishedAt: isOver ? (waiting?.finishedAt ?? null) : null,
  };
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
      problemOf(ownerOf(task.parts)) !== null;
    if (!isNear || !mayBeKept({ status, running: null })) continue;
    const facts = factsOf(task) as Facts & { running: TurnId | null };
    const { blocked, running, pending, held, retryAt, parkedUntil } = facts;
    const blockedBy = blockers.refs.get(task) ?? [];
    const said = { id, name: nameOfPath(path), path, status, blockedBy: [...blockedBy] };
    const flags = { paused: isPaused(task.parts), waiting: waitsForAnswer(task.parts) };
    views.push({
      ...said,
      ...flags,
      owner: ownerOf(task.parts),
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
  isBlocked(task: Listed): boolean;
}

function waitedFor(handle: RoomHandle, tasks: readonly Listed[], all: readonly Listed[] = tasks): Blockers {
  const refs = new Map<Listed, readonly string[]>();
  for (const task of tasks) {
    const blockedBy = blockersOf(task.parts);
    if (blockedBy.length > 0) refs.set(task, blockedBy);
  }
  const statuses = statusesOf(handle, all, [...refs.values()].flat());
  const statusOf = (ref: string) => statuses.get(idOfRef(ref)) ?? null;
  return {
    refs,
    isBlocked(task) {
      const blockedBy = refs.get(task);
      return blockedBy !== undefined && isWaiting({ statusOf }, { blockedBy, status: task.status });
    },
  };
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
    addListed(pieces, task.parts, facts[at]!, whyNot);
  }
  return pieces.join('');
}
