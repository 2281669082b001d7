// Turns looked up, their output, and ending one.
import { outputFormatOf } from '../../core/config/agent-env.ts';
import { isRoomError, RoomError } from '../../core/errors.ts';
import { choreOfThread, type TaskId, type ThreadId, taskOfThread, threadOfTask } from '../../core/ids.ts';
import { isOver, type TurnReason } from '../../core/rules/turn.ts';
import type { PendingTurn } from '../../store/ledger/turns/requests.ts';
import type { TurnRecord } from '../../store/ledger/turns/turns.ts';
import { pathOfWordAsName } from '../lookup/locate.ts';
import { chooseTask } from '../observe/snapshot.ts';
import { idOfRef } from '../references.ts';
import type { TurnJson } from '../shapes/turn.ts';
import type { Actor, RoomHandle, TaskRoom } from '../task-room.ts';
import { stopJob } from './jobs.ts';
import { lookUntil, type OutputWish, readOutput } from './turn-output.ts';
import { jobAsTurn, requestJson, startOfTurn, turnJson, turnsOn } from './turn-views.ts';

/** The thread of `chore:<name>`, else of the task that a word means; null for a file without an id. */
export async function threadOfWord(deps: RoomHandle, ref: string): Promise<ThreadId | null> {
  const thread = ref.trim() as ThreadId;
  if (choreOfThread(thread) !== null) return thread;
  const known = deps.ledger.tasks.get(idOfRef(ref));
  const { id } = known ?? (await chooseTask(deps, ref));
  return id === null ? null : threadOfTask(id as TaskId);
}

/** The turn or job of that id or prefix; else of the task or chore that the word means the running, the newest or the requested one.
 * @throws RoomError `not_found`, `ambiguous` */
export async function findTurn(deps: RoomHandle, ref: string): Promise<TurnJson> {
  const { turns, jobs, requests, tasks } = deps.ledger;
  const word = ref.trim();
  const byPrefix = () => [
    ...turns.byPrefix(word, MOST_ALIKE).map((turn) => turnJson(deps, turn)),
    ...jobs.byPrefix(word, MOST_ALIKE).map((job) => jobAsTurn(deps, job)),
    ...requests.byPrefix(word, MOST_ALIKE).map((request) => requestJson(deps, request)),
  ];
  const begun = word.length < 2 ? [] : byPrefix();
  const exact = begun.find(({ id }) => id === word);
  if (exact !== undefined) return exact;
  // A full id or a file name of a task says more than the beginning of a turn's id.
  const isTask = () => tasks.get(idOfRef(word)) !== null || pathOfWordAsName(deps, word) !== null;
  if (begun.length === 1 && !isTask()) return begun[0]!;
  const thread = await threadOfWord(deps, ref).catch((error: unknown) => {
    throw isRoomError(error, 'not_found') ? noSuchTurn(ref, begun, error.hint) : error;
  });
  const of = thread === null ? [] : turnsOn(deps, thread, { pending: true, limit: 20 });
  const own = of.filter((turn) => turn.thread === thread);
  const found =
    own.find(({ state }) => state === 'running') ?? own.find(({ state }) => state !== 'pending') ?? own[0];
  if (found !== undefined) return found;
  throw new RoomError('not_found', `${JSON.stringify(ref)} had no turn yet`, 'see: taskroom list');
}

const MOST_ALIKE = 5;

/** For a word that begins the ids of several turns, or of none, and means no task. */
function noSuchTurn(ref: string, begun: readonly TurnJson[], hint = 'see: taskroom turns'): RoomError {
  const shown = JSON.stringify(ref);
  if (begun.length === 0) return new RoomError('not_found', `no turn and no task ${shown}`, hint);
  const list = begun.map((turn) => `${turn.id} (${turn.description})`).join(', ');
  const more = 'give more letters of the id';
  return new RoomError('ambiguous', `${shown} fits more than one turn: ${list}`, more);
}

/** Asks the daemon to, which leaves the turn returned running for now. @throws RoomError `refused` when it is over, `not_found`, `ambiguous` */
export async function killTurn(deps: RoomHandle, ref: string, actor: Actor): Promise<TurnJson> {
  const { ports } = deps;
  const { jobs, turns, requests, messages } = deps.ledger;
  const { id, state, thread } = await findTurn(deps, ref);
  // Of a task whose turn is over the one that is requested.
  const isRequested = state === 'pending' || (isOver(state) && id !== ref.trim());
  const job = jobs.get(id);
  const request = isRequested && job === null ? requests.get(thread) : null;
  if (request === null && isOver(state))
    throw new RoomError('refused', `turn ${id} is over: ${state}`, 'see what runs: taskroom turns --running');
  if (job !== null) {
    await stopJob(deps, id, actor);
    return jobAsTurn(deps, jobs.get(id)!);
  }
  if (request !== null) killPending(deps, request);
  else if (ports.daemonRuns()) messages.send({ kind: 'kill', turn: id }, deps.effects.now());
  else await ports.killOrphan(turns.get(id)!, 'person');
  if (ports.daemonRuns()) ports.ring();
  return turnJson(deps, turns.get(request?.id ?? id)!);
}

/** The request becomes a killed turn in one commit: what it was asked for counts as answered. */
function killPending(deps: RoomHandle, request: PendingTurn): void {
  const { turns, tasks } = deps.ledger;
  const task = taskOfThread(request.thread);
  const revision = (task === null ? null : tasks.get(task)?.revision) ?? '';
  const isKilled = deps.ledger.transaction(() => {
    if (!turns.begin({ ...startOfTurn(deps, request), revision, startedAt: deps.effects.now() }))
      return false;
    recordKilled(deps, { ...request, revision }, 'person', 'killed before it began');
    return true;
  });
  if (!isKilled)
    throw new RoomError('conflict', `turn ${request.id} began at this moment`, 'kill it once more');
}

/** Once, where no loop does: without a daemon, or before the turn began. Killed by a person, its revision is consumed. */
export function recordKilled(
  { ledger, effects }: TaskRoom,
  { id, thread, revision }: Pick<TurnRecord, 'id' | 'thread' | 'revision'>,
  reason: TurnReason,
  message = 'killed while no daemon ran',
): void {
  const task = taskOfThread(thread);
  const chore = choreOfThread(thread);
  const endedAt = effects.now();
  const end = { state: 'killed', reason, exitCode: null, signal: null, message, endedAt } as const;
  ledger.transaction(() => {
    if (!ledger.turns.end(id, end)) return;
    // Nothing is owed after it: the chore waits for its next tick.
    const result = { ok: false, message, turn: id };
    if (chore !== null)
      ledger.chores.update(chore, { endedAt, result, failures: 0, retryAt: null, stopped: null });
    if (task !== null && reason === 'person')
      ledger.tasks.update(task, { consumed: revision, attempted: null, attempts: 0, retryAt: null });
  });
}

/** What a turn printed, once there is more after `offset`, the turn is over, or the time is up. */
export async function turnOutput(deps: RoomHandle, ref: string, wish: OutputWish, actor: Actor) {
  const { offset = 0, limit, wait = 0 } = wish;
  const { id, agent } = await findTurn(deps, ref);
  const config = deps.agents().get(agent);
  const format = config === undefined ? null : outputFormatOf(config);
  return lookUntil(deps, wait, actor, async (isLast) => {
    // The state is read before the output: what was written until the end is then in it for sure.
    const { state, reason } = await findTurn(deps, id);
    const read = await readOutput(deps, id, offset, limit);
    const isAnswer = read.text !== '' || isOver(state) || isLast;
    return isAnswer ? { turn: id, state, reason, offset, ...read, format } : null;
  });
}
