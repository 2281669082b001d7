// Asking for turns, and accepting what changed while a turn ran and gives rights. What is asked stands in the ledger; a daemon is told to
// look, else the next `up` or `once` finds it.
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { RoomError } from '../../core/errors.ts';
import { type TaskId, type TurnId, threadOfTask } from '../../core/ids.ts';
import { isBlocked, type Wake } from '../../core/rules/decide.ts';
import { isFinished, isWaitingForAnswer } from '../../core/task/status.ts';
import { onDisk } from '../../store/room.ts';
import { findTarget, type Target } from '../lookup/locate.ts';
import { settleId } from '../observe/give-id.ts';
import { readUnsaid, type Unsaid, whyUnsaid } from '../observe/handed-over.ts';
import { announce, refresh } from '../observe/refresh.ts';
import { readAgentProblems } from '../obstacles.ts';
import { findByRef } from '../references.ts';
import { type Actor, callOf, isAgent, type RoomHandle, requestOf, titleOfAgent } from '../task-room.ts';
import { assertMayChange, recordingGate } from './change.ts';
import { assertMayOpen } from './gates.ts';

/** Asks for a turn, whatever was consumed or failed before. @throws RoomError `refused` for what `obstacleOf` names, and as `changeTask` */
export async function runTask(
  deps: RoomHandle,
  ref: string,
  { force = false, chat = false }: { force?: boolean; chat?: boolean },
  actor: Actor,
): Promise<{ id: TaskId; name: string; daemon: boolean; after: string | null }> {
  const { ledger } = deps;
  const target = await findTarget(deps, ref);
  const { name } = target.task;
  assertMayChange(deps, actor, target);
  // What a state forbids is a person's to override.
  if (isAgent(actor) && (force || chat))
    throw new RoomError('not_allowed', `${titleOfAgent(actor)} can't force a turn`, 'ask the person to');
  await recordingGate(deps, actor, target, () => assertMayOpen(deps, actor, target.task, target.id));
  const problemOf = await readAgentProblems(deps);
  const obstacle = obstacleOf(deps, target, force, chat, problemOf(target.task.owner, target.id));
  if (obstacle !== null) throw new RoomError('refused', `${name} ${obstacle[0]}`, obstacle[1]);
  const id = await settleId(deps, target);
  if (target.id === null) await announce(deps, target.path, actor);
  letPass(deps, id, actor);
  ledger.transaction(() => {
    // An agent's asking whose answer was lost was carried out already.
    const { key } = requestOf(actor);
    if (key !== undefined && !ledger.idempotencyKeys.take(`${key}:run`, deps.effects.now())) return;
    wake(deps, [id], actor.kind === 'agent' ? 'by_agent' : force ? 'run_forced' : 'run');
    const call = callOf(actor);
    if (call !== null) ledger.turns.setToolCall(threadOfTask(id), call);
    if (chat) wake(deps, [id], 'chat');
  });
  const after = ledger.turns.runningOn(threadOfTask(id))?.id ?? null;
  return { id, name, daemon: tell(deps, [id]), after };
}

/** What keeps a task from a turn though one is asked for, and what would change it; null when nothing does. */
function obstacleOf(
  { ledger, agents, config }: RoomHandle,
  { id, task }: Target,
  force: boolean,
  chat: boolean,
  agentProblem: string | null,
): [what: string, hint: string] | null {
  const word = id ?? JSON.stringify(task.name);
  const owner = task.owner ?? config().defaultAgent;
  const known = [...agents().keys()].sort().join(', ');
  const isOpen = (ref: string) => isBlocked([{ status: findByRef(ledger, ref)?.status ?? null }]);
  const blockers = task.blockedBy.filter(isOpen).join(', ');
  const anyway = `taskroom run ${word} --force`;
  if (isFinished(task.status)) return [`is ${task.status}`, `reopen it first: taskroom reopen ${word}`];
  if (!agents().has(owner)) {
    const whose = task.owner === null ? `the room's default agent ${owner}` : `its owner ${owner}`;
    const instead = known === '' ? '' : `, or set its owner to one of: ${known}`;
    return [`can't run: there is no agent for ${whose}`, `add agents/${owner}/agent.json${instead}`];
  }
  if (!force) {
    if (task.status === 'draft') return ['is a draft', `set it to todo, or run it as it is: ${anyway}`];
    if (task.paused) return ['is paused', `resume it (taskroom resume ${word}), or run it once: ${anyway}`];
    if (blockers !== '')
      return [`waits for ${blockers}`, `finish that first, or run it all the same: ${anyway}`];
    // In a chat the person answers there.
    const hint = `answer it (taskroom answer ${word} 'your answer'), or run it all the same: ${anyway}`;
    if (!chat && isWaitingForAnswer(task)) return ['waits for your answer to a question', hint];
  }
  const unsaid = whyUnsaid({ ledger }, id);
  if (unsaid !== null) return [`waits for your word: ${unsaid}`, 'see: taskroom inbox'];
  return agentProblem === null
    ? null
    : [`has no agent that can run: ${agentProblem}`, 'see: taskroom doctor'];
}

/** A person's request tries the agent again for one turn, although its usage limit has not ended. */
function letPass(deps: RoomHandle, id: TaskId, actor: Actor): boolean {
  if (actor.kind !== 'person' || deps.ledger.limitWaits.all().length === 0) return false;
  deps.ledger.letPass.insertNew({ thread: threadOfTask(id) });
  return true;
}

/** Lets a requested turn of the task pass its agent's usage limit once. */
export function passUsageLimit(deps: RoomHandle, id: TaskId, actor: Actor): void {
  if (letPass(deps, id, actor)) tell(deps, [id]);
}

export async function releaseTasks(deps: RoomHandle): Promise<{ released: number; daemon: boolean }> {
  await refresh(deps);
  const { ledger } = deps;
  const ids = ledger.tasks.held().map(({ id }) => id);
  if (ids.length === 0) return { released: 0, daemon: deps.ports.daemonRuns() };
  ledger.transaction(() => {
    wake(deps, ids, 'released');
    for (const id of ids) ledger.tasks.update(id, { held: false });
  });
  return { released: ids.length, daemon: tell(deps, ids) };
}

/** The turn of the task that runs and takes words; null where there is none. */
export function hearingTurn({ ledger }: RoomHandle, id: TaskId): TurnId | null {
  const running = ledger.turns.runningOn(threadOfTask(id));
  return running?.hears ? running.id : null;
}

/** A person's comment on an open task gives its agent a turn, as a trusted comment in its tracker does.
 * @param told its words where a running turn may hear them: the next turn is for those that none heard */
export function wakeForComment(deps: RoomHandle, id: TaskId, told: string | null): void {
  const { ledger, effects } = deps;
  if (isFinished(ledger.tasks.get(id)?.status ?? 'todo')) return;
  ledger.transaction(() => {
    if (told !== null) ledger.told.insert({ task: id, text: told, at: effects.now() });
    wake(deps, [id], told === null ? 'comment' : 'told');
  });
  tell(deps, [id]);
}

function wake({ ledger, effects }: RoomHandle, ids: readonly TaskId[], kind: Wake): void {
  for (const id of ids) ledger.wakes.add(id, kind, effects.now());
}

function tell(deps: RoomHandle, tasks: TaskId[]): boolean {
  if (!deps.ports.daemonRuns()) return false;
  deps.ledger.messages.send({ kind: 'look', tasks }, deps.effects.now());
  deps.ports.ring();
  return true;
}

/** @param what a file's path, a task, or an inbox key, whose text must be the same still; absent for all. @throws RoomError */
export async function accept(deps: RoomHandle, what: string | undefined) {
  const { ports } = deps;
  await refresh(deps);
  const wanted = await chosen(deps, what);
  deps.ledger.transaction(() => {
    for (const one of wanted) take(deps, one, what);
  });
  deps.ledger.messages.send({ kind: 'settings' }, deps.effects.now());
  ports.ring();
  const accepted = wanted.map(({ what: path, task, name, text }) => ({ what: path, task, name, text }));
  return { accepted, daemon: ports.daemonRuns() };
}

async function chosen(deps: RoomHandle, what: string | undefined): Promise<Unsaid[]> {
  const all = readUnsaid(deps);
  if (what === undefined) return all;
  const named = all.filter((one) => one.what === what || `rights:${one.hash}` === what);
  if (named.length > 0) return named;
  if (what.startsWith('rights:'))
    throw new RoomError('conflict', 'this has changed since', 'look at it again: taskroom inbox');
  const isFile = /[/.]/.test(what) && !what.startsWith('tasks/');
  const { id } = isFile ? { id: null } : await findTarget(deps, what);
  const ofTask = all.filter(({ task }) => task !== null && task === id);
  if (ofTask.length > 0) return ofTask;
  throw new RoomError('not_found', `${what} has nothing to accept`, 'see: taskroom inbox');
}

function take(deps: RoomHandle, { source, what }: Unsaid, asked: string | undefined): void {
  const { saidWords } = deps.ledger;
  const { seen } = saidWords.get(source)!;
  if (source.startsWith('owner:')) return void saidWords.delete(source);
  const now = source.startsWith('file:') ? textsNow(resolve(deps.room.dir, what)) : seen;
  if (asked?.startsWith('rights:') && now[0] !== seen[0])
    throw new RoomError('conflict', `${what} has changed since`, 'look at it again: taskroom inbox');
  saidWords.put({ source, said: now, seen: now });
}

const textsNow = (path: string): string[] =>
  existsSync(path) ? [onDisk(path, () => readFileSync(path, 'utf8'), 'read')] : [];
