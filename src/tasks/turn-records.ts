// Looking turns up, and ending one.
import { RoomError } from '../core/errors.ts';
import { choreOfThread, type TaskId, type ThreadId, threadOfTask } from '../core/ids.ts';
import type { TurnFilter, TurnRecord } from '../store/ledger/turns/turns.ts';
import { candidates } from './find/candidates.ts';
import { pathOfWordAsName } from './find/locate.ts';
import { takeSnapshot } from './observe/snapshot.ts';
import { chooseByWord, idOfRef } from './references.ts';
import type { RoomHandle } from './room-handle.ts';
import { type Actor, isAgent, titleOfAgent } from './task-room.ts';

/** Turns, newest first; of one task, or `chore:<name>`, when `ref` is given. @throws RoomError `not_found`, `ambiguous` */
export async function listTurns(
  handle: RoomHandle,
  filter: Omit<TurnFilter, 'thread'> & { ref?: string },
): Promise<TurnRecord[]> {
  const { ref, ...rest } = filter;
  if (ref === undefined) return handle.deps.ledger.turns.list(rest);
  const thread = await threadOfWord(handle, ref);
  return thread === null ? [] : handle.deps.ledger.turns.list({ ...rest, thread });
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
 * The turn of that id or unique prefix of one; else the running or newest turn of the task that the word means, or of
 * `chore:<name>`.
 * @throws RoomError `not_found`, `ambiguous`
 */
export async function findTurn(handle: RoomHandle, ref: string): Promise<TurnRecord> {
  const { turns } = handle.deps.ledger;
  const word = ref.trim();
  const exact = turns.get(word);
  if (exact !== null) return exact;
  const begun = word.length < 2 || isTaskInFull(handle, word) ? [] : turns.byPrefix(word, 5);
  if (begun.length === 1) return begun[0]!;
  let thread: ThreadId | null;
  try {
    thread = await threadOfWord(handle, ref);
  } catch (error) {
    if (!(error instanceof RoomError) || error.code !== 'not_found') throw error;
    if (begun.length === 0)
      throw new RoomError('not_found', `no turn and no task ${JSON.stringify(ref)}`, {
        hint: error.hint ?? 'see: taskroom turns',
      });
    const list = begun.map((turn) => `${turn.id} (${turn.description})`).join(', ');
    throw new RoomError('ambiguous', `${JSON.stringify(ref)} fits more than one turn: ${list}`, {
      hint: 'give more letters of the id',
    });
  }
  const newest =
    thread === null ? null : (turns.runningOn(thread) ?? turns.list({ thread, limit: 1 })[0] ?? null);
  if (newest !== null) return newest;
  throw new RoomError('not_found', `${JSON.stringify(ref)} had no turn yet`, { hint: 'see: taskroom list' });
}

/** A full id or a file name of a task says more than the beginning of a turn's id. */
function isTaskInFull({ deps }: RoomHandle, word: string): boolean {
  return deps.ledger.tasks.get(idOfRef(word)) !== null || pathOfWordAsName(deps, word) !== null;
}

/**
 * Ends a running turn. With a daemon it is asked to, and the record returned is that of the turn still running.
 * @throws RoomError `refused` when it is over, `not_allowed` for agents, `not_found`, `ambiguous`
 */
export async function killTurn(handle: RoomHandle, ref: string, actor: Actor): Promise<TurnRecord> {
  if (isAgent(actor))
    throw new RoomError('not_allowed', `${titleOfAgent(actor)} can't kill turns`, {
      hint: 'ask the person to',
    });
  const { deps, ports } = handle;
  const turn = await findTurn(handle, ref);
  if (turn.state !== 'running') {
    throw new RoomError('refused', `turn ${turn.id} is over: ${turn.state}`, {
      hint: 'see what runs: taskroom turns --running',
    });
  }
  if (ports.daemonRuns()) {
    deps.ledger.messages.send({ kind: 'kill', turn: turn.id }, deps.effects.now());
    ports.ring();
  } else {
    await ports.killOrphan(turn, 'person');
  }
  return deps.ledger.turns.get(turn.id) ?? turn;
}
