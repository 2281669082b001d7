// Making, listing and removing scopes. A scope is a name that tasks carry; removing it removes them.
import { isRoomError, RoomError } from '../../core/errors.ts';
import { choreOfThread } from '../../core/ids.ts';
import { compareNames } from '../../core/task/names.ts';
import { STATUSES, type Status } from '../../core/task/status.ts';
import type { Task } from '../../core/task/task.ts';
import { runScan } from '../../store/files/scan.ts';
import { sameStamp } from '../../store/ledger/tasks/files.ts';
import { refresh } from '../observe/refresh.ts';
import { readAll } from '../observe/room-files.ts';
import type { Removed } from '../shapes/change.ts';
import type { Actor, AgentActor, RoomHandle } from '../task-room.ts';
import { asOneCommand, isAgent, signatureOf, titleOfAgent, turnOfActor } from '../task-room.ts';
import { assertMayChange, threadOfActor } from './change.ts';
import { oneLine } from './key-values.ts';
import { removeTask } from './remove-task.ts';

const MAX_NAME = 100;

/** @throws RoomError `bad_input` for a name that is no line of at most 100 characters */
export async function createScope(deps: RoomHandle, given: string, actor: Actor) {
  assertMayChange(deps, actor, null, 'create');
  const name = oneLine('name', given, { most: MAX_NAME });
  if (name === '') throw new RoomError('bad_input', 'name: a scope needs one');
  const row = { name, by: signatureOf(actor), thread: threadOfActor(deps, actor), at: deps.effects.now() };
  return { name, changed: deps.ledger.scopes.insertNew(row) };
}

/** Those that were made in the order of their making, then those that only files name. */
export async function listScopes(deps: RoomHandle) {
  const views = new Map<string, ReturnType<typeof scopeOf>>();
  for (const { name, by, thread, at } of deps.ledger.scopes.all()) {
    views.set(name, scopeOf(name, by, thread === null ? null : choreOfThread(thread), at));
  }
  for (const { scope: name, status } of await scopedTasks(deps)) {
    const view = views.get(name) ?? scopeOf(name, null, null, null);
    view.counts[status] += 1;
    views.set(name, view);
  }
  return [...views.values()];
}

function scopeOf(name: string, by: string | null, chore: string | null, at: number | null) {
  const created_at = at === null ? null : new Date(at).toISOString();
  const counts = Object.fromEntries(STATUSES.map((status) => [status, 0])) as Record<Status, number>;
  return { name, created_by: by, chore, created_at, counts };
}

/** Moves the files of its tasks to the attic; asked again, what a crash left. @throws RoomError `not_found`; `not_allowed` for what an agent did not make */
export async function removeScope(deps: RoomHandle, given: string, actor: Actor, isDry = false) {
  const name = given.trim();
  await refresh(deps);
  const members = (await scopedTasks(deps)).filter(({ scope }) => scope === name);
  const known = deps.ledger.scopes.get(name);
  if (members.length === 0 && known === null)
    throw new RoomError('not_found', `no scope ${JSON.stringify(name)}`, 'see: taskroom scope');
  if (isAgent(actor)) assertAllOwn(actor, name, known?.by ?? null, members);
  if (isDry) {
    const would = { changed: false, attic: '' };
    return { name, removed: members.map(({ id, name: task, path }) => ({ id, name: task, path, ...would })) };
  }
  const removed: Removed[] = [];
  const by = asOneCommand(actor, deps.effects);
  for (const { id, name: task } of members) {
    const one = await removeMember(deps, id ?? task, by);
    if (one !== null) removed.push(one);
  }
  deps.ledger.scopes.delete(name);
  return { name, removed };
}

/** That every one of them is the actor's own was checked before the first went. */
async function removeMember(deps: RoomHandle, ref: string, actor: Actor): Promise<Removed | null> {
  const turn = turnOfActor(actor);
  const as: Actor = isAgent(actor) ? { kind: 'runtime', ...(turn === null ? {} : { turn }) } : actor;
  try {
    return await removeTask(deps, ref, as);
  } catch (error) {
    // It went by itself.
    if (isRoomError(error, 'not_found')) return null;
    throw error;
  }
}

/** Tasks of the person, and of other agents, are not deleted because somebody put them into an agent's scope. */
function assertAllOwn(actor: AgentActor, name: string, madeBy: string | null, members: readonly Task[]) {
  const own = signatureOf(actor);
  const refuse = (what: string) =>
    new RoomError(
      'not_allowed',
      `${titleOfAgent(actor)} can't delete the scope ${JSON.stringify(name)}: ${what}`,
      'ask the person to',
    );
  if (madeBy !== own) throw refuse('it did not make it');
  const other = members.find(({ createdBy }) => createdBy !== own);
  if (other !== undefined) throw refuse(`it did not make ${JSON.stringify(other.name)}`);
}

/** Every task that names a scope, by path. @throws RoomError `room_gone`, `io` */
async function scopedTasks(deps: RoomHandle): Promise<(Task & { scope: string })[]> {
  const { files } = deps.ledger;
  const { changed, gone } = runScan(deps.room, files.stamps(), sameStamp);
  const paths = changed.map(({ path }) => path);
  const stale = new Set([...gone, ...paths]);
  const fresh = await readAll(deps, paths);
  return [...files.naming('scope').filter(({ path }) => !stale.has(path)), ...fresh]
    .flatMap(({ reading }) => (reading.ok && reading.task.scope !== null ? [reading.task] : []))
    .map((task) => ({ ...task, scope: task.scope!.trim() }))
    .sort((a, b) => compareNames(a.path, b.path));
}
