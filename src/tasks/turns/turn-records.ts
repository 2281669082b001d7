// Looking turns up, and ending one.

import { outputFormatOf } from '../../core/config/agent-env.ts';
import { isRoomError, RoomError } from '../../core/errors.ts';
import { choreOfThread, type TaskId, type ThreadId, taskOfThread, threadOfTask } from '../../core/ids.ts';
import { isOver, type TurnReason } from '../../core/rules/turn.ts';
import { sleep } from '../../effects.ts';
import type { TurnRecord } from '../../store/ledger/turns/turns.ts';
import { candidates } from '../lookup/candidates.ts';
import { pathOfWordAsName } from '../lookup/locate.ts';
import { takeSnapshot } from '../observe/snapshot.ts';
import { chooseByWord, idOfRef } from '../references.ts';
import type { RoomHandle } from '../room-handle.ts';
import type { OutputJson, TurnJson } from '../shapes/turn.ts';
import { type Actor, isAgent, type TaskRoom, titleOfAgent } from '../task-room.ts';
import { readOutput } from '../views/turn-output.ts';
import {
  type ListedTurns,
  type TurnView,
  turnJson,
  turnsOn,
  viewOfJobAsTurn,
  viewOfRequest,
  viewOfTurn,
} from '../views/turn-views.ts';
import { stopJob } from './jobs.ts';

/** Of one task, or `chore:<name>`, when `task` is given. @throws RoomError `not_found`, `ambiguous` */
export async function listTurns(
  handle: RoomHandle,
  { task, ...filter }: ListedTurns & { task?: string },
): Promise<{ turns: TurnJson[] }> {
  const { state, untold = false, pending = state === undefined && !untold } = filter;
  const thread = task === undefined ? null : await threadOfWord(handle, task);
  if (task !== undefined && thread === null) return { turns: [] };
  const asked = { ...filter, pending: pending || state === 'pending' };
  return { turns: turnsOn(handle.deps, thread, asked).map(turnJson) };
}

export async function showTurn(handle: RoomHandle, ref: string): Promise<TurnJson> {
  return turnJson(await findTurn(handle, ref));
}

/** The thread of `chore:<name>`, else of the task that a word means; null for a file without an id. */
async function threadOfWord(handle: RoomHandle, ref: string): Promise<ThreadId | null> {
  const thread = ref.trim() as ThreadId;
  if (choreOfThread(thread) !== null) return thread;
  const id = await taskIdOf(handle, ref);
  return id === null ? null : threadOfTask(id);
}

/** The task that a word means; null for a file without an id. */
async function taskIdOf(handle: RoomHandle, ref: string): Promise<TaskId | null> {
  const known = handle.deps.ledger.tasks.get(idOfRef(ref));
  if (known !== null) return known.id;
  const found = chooseByWord(ref, candidates(handle, await takeSnapshot(handle)));
  return found.id as TaskId | null;
}

/**
 * The turn or job of that id or unique prefix of one; else the running or newest turn of the task that the word means, or of
 * `chore:<name>`, or the one that is asked for where there is no other.
 * @throws RoomError `not_found`, `ambiguous`
 */
async function findTurn(handle: RoomHandle, ref: string): Promise<TurnView> {
  const word = ref.trim();
  const begun = word.length < 2 ? [] : turnsByPrefix(handle, word);
  const exact = begun.find(({ id }) => id === word);
  if (exact !== undefined) return exact;
  if (begun.length === 1 && !isTaskInFull(handle, word)) return begun[0]!;
  const thread = await threadOrNone(handle, ref, begun);
  const of = thread === null ? [] : turnsOn(handle.deps, thread, { pending: true, limit: 20 });
  const own = of.filter((turn) => turn.thread === thread);
  const found =
    own.find(({ state }) => state === 'running') ?? own.find(({ state }) => state !== 'pending') ?? own[0];
  if (found !== undefined) return found;
  throw new RoomError('not_found', `${JSON.stringify(ref)} had no turn yet`, { hint: 'see: taskroom list' });
}

const MOST_ALIKE = 5;

function turnsByPrefix({ deps }: RoomHandle, word: string): TurnView[] {
  const { turns, jobs, requests } = deps.ledger;
  return [
    ...turns.byPrefix(word, MOST_ALIKE).map((turn) => viewOfTurn(deps, turn)),
    ...jobs.byPrefix(word, MOST_ALIKE).map((job) => viewOfJobAsTurn(deps, job)),
    ...requests.byPrefix(word, MOST_ALIKE).map((request) => viewOfRequest(deps, request)),
  ];
}

/** The thread that a word means, which begins the ids of several turns, or of none. */
async function threadOrNone(
  handle: RoomHandle,
  ref: string,
  begun: readonly TurnView[],
): Promise<ThreadId | null> {
  try {
    return await threadOfWord(handle, ref);
  } catch (error) {
    if (!isRoomError(error, 'not_found')) throw error;
    if (begun.length === 0)
      throw new RoomError('not_found', `no turn and no task ${JSON.stringify(ref)}`, {
        hint: error.hint ?? 'see: taskroom turns',
      });
    const list = begun.map((turn) => `${turn.id} (${turn.description})`).join(', ');
    throw new RoomError('ambiguous', `${JSON.stringify(ref)} fits more than one turn: ${list}`, {
      hint: 'give more letters of the id',
    });
  }
}

/** A full id or a file name of a task says more than the beginning of a turn's id. */
function isTaskInFull({ deps }: RoomHandle, word: string): boolean {
  return deps.ledger.tasks.get(idOfRef(word)) !== null || pathOfWordAsName(deps, word) !== null;
}

/**
 * Ends a turn that runs or is asked for, or a job. With a daemon it is asked to, and the record returned is that of the turn
 * still running.
 * @throws RoomError `refused` when it is over, `not_allowed` for agents, `not_found`, `ambiguous`
 */
export async function killTurn(handle: RoomHandle, ref: string, actor: Actor): Promise<TurnJson> {
  return turnJson(await kill(handle, ref, actor));
}

async function kill(handle: RoomHandle, ref: string, actor: Actor): Promise<TurnView> {
  if (isAgent(actor))
    throw new RoomError('not_allowed', `${titleOfAgent(actor)} can't kill turns`, {
      hint: 'ask the person to',
    });
  const { deps, ports } = handle;
  const turn = await toKill(handle, ref);
  if (isOver(turn.state))
    throw new RoomError('refused', `turn ${turn.id} is over: ${turn.state}`, {
      hint: 'see what runs: taskroom turns --running',
    });
  if (deps.ledger.jobs.get(turn.id) !== null) {
    await stopJob(handle, turn.id, actor);
    return viewOfJobAsTurn(deps, deps.ledger.jobs.get(turn.id)!);
  }
  if (turn.state === 'pending') return killPending(handle, turn);
  if (ports.daemonRuns()) {
    deps.ledger.messages.send({ kind: 'kill', turn: turn.id }, deps.effects.now());
    ports.ring();
  } else {
    await ports.killOrphan(turn, 'person');
  }
  return viewOfTurn(deps, deps.ledger.turns.get(turn.id) ?? turn);
}

/** Of a task whose turn is over the one that is asked for. */
async function toKill(handle: RoomHandle, ref: string): Promise<TurnView> {
  const { deps } = handle;
  const turn = await findTurn(handle, ref);
  const request = isOver(turn.state) && turn.id !== ref.trim() ? deps.ledger.requests.get(turn.thread) : null;
  return request === null ? turn : viewOfRequest(deps, request);
}

/** It is taken from those that are asked for and recorded as killed in one commit: what it was asked for counts as answered. */
function killPending({ deps, ports }: RoomHandle, turn: TurnView): TurnView {
  const { turns, tasks } = deps.ledger;
  const now = deps.effects.now();
  const revision = (turn.task === null ? null : tasks.get(turn.task)?.revision) ?? '';
  const killed = deps.ledger.transaction(() => {
    if (!turns.begin({ ...turn, revision, startedAt: now })) return false;
    recordKilled(deps, { ...turn, revision }, 'person', 'killed before it began');
    return true;
  });
  if (!killed)
    throw new RoomError('conflict', `turn ${turn.id} began at this moment`, { hint: 'kill it once more' });
  if (ports.daemonRuns()) ports.ring();
  return viewOfTurn(deps, turns.get(turn.id)!);
}

// The record of a turn that was ended without the loop: while no daemon ran, or before it began.

/** Records the turn as killed, once. Killed by a person, what it started with counts as consumed. */
export function recordKilled(
  deps: TaskRoom,
  turn: TurnRecord,
  reason: TurnReason,
  message = 'killed while no daemon ran',
): void {
  const id = taskOfThread(turn.thread);
  const endedAt = deps.effects.now();
  const end = {
    state: 'killed' as const,
    reason,
    exitCode: null,
    signal: null,
    message,
    endedAt,
  };
  deps.ledger.transaction(() => {
    if (!deps.ledger.turns.end(turn.id, end)) return;
    const chore = choreOfThread(turn.thread);
    if (chore !== null) {
      // Nothing is owed after it: it waits for its next tick.
      const result = { ok: false, message: end.message, turn: turn.id };
      deps.ledger.chores.update(chore, { endedAt, result, failures: 0, retryAt: null, stopped: null });
    }
    if (id === null) return;
    if (reason === 'person')
      deps.ledger.tasks.update(id, { consumed: turn.revision, attempted: null, attempts: 0, retryAt: null });
  });
}

// What a turn printed, waited for.

/** Seconds; an agent asks again, since other requests of its turn come between. */
const MAX_WAIT_OF_AGENT = 2;
const LOOK_EVERY_MS = 100;

/** What a turn printed, once there is more after `offset`, the turn is over, or the time is up. */
export async function turnOutput(
  handle: RoomHandle,
  ref: string,
  { offset = 0, limit, wait = 0 }: { offset?: number; limit?: number; wait?: number },
  actor: Actor,
): Promise<OutputJson> {
  const { effects, agents } = handle.deps;
  const { id, agent } = await findTurn(handle, ref);
  const config = agents().get(agent);
  const format = config === undefined ? null : outputFormatOf(config);
  const most = isAgent(actor) ? Math.min(wait, MAX_WAIT_OF_AGENT) : wait;
  const until = effects.monotonicMs() + most * 1_000;
  for (;;) {
    // The state is read before the output: what was written until the end is then in it for sure.
    const { state, reason } = await findTurn(handle, id);
    const read = await readOutput(handle, id, offset, limit);
    const left = until - effects.monotonicMs();
    if (read.text !== '' || isOver(state) || left <= 0)
      return { turn: id, state, reason, offset, ...read, format };
    await sleep(effects, Math.min(LOOK_EVERY_MS, left));
  }
}
