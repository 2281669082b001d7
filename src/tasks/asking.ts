// Asking for turns: `run` wakes one task, `release` lets held ones go. What is asked stands in the ledger; a daemon
// is told to look, and without one the next `up` or `once` finds it.
import { isBlocked, type Wake } from '../core/decide.ts';
import { RoomError } from '../core/errors.ts';
import type { TaskId } from '../core/ids.ts';
import { isFinished } from '../core/status.ts';
import type { Task } from '../core/task.ts';
import { assertMayChange } from './change.ts';
import type { Desk } from './desk.ts';
import { giveId, splitCopy } from './give-id.ts';
import { locateTask } from './locate.ts';
import { findByRef } from './references.ts';
import { announce, refresh } from './refresh.ts';
import type { Actor } from './task-room.ts';

/**
 * Asks for a turn, whatever was consumed or failed before.
 * @throws RoomError `refused` for a finished task, without `force` also for a paused, blocked or draft one, and when
 *   its owner can't run; and as `changeTask`
 */
export async function runTask(desk: Desk, ref: string, { force = false }: { force?: boolean }, actor: Actor) {
  const { deps } = desk;
  await refresh(desk);
  const target = await locateTask(desk, ref);
  assertMayChange(deps, actor, target.id);
  assertCanRun(desk, target.task, target.id, force);
  const id = target.id ?? (await (target.task.id === null ? giveId : splitCopy)(deps, target.path));
  if (id === null)
    throw new RoomError('conflict', `${target.path} is being changed`, { hint: 'try again in a moment' });
  if (target.id === null) await announce(desk, target.path, actor);
  wake(desk, [id], force ? 'run_forced' : 'run');
  return { id, name: target.task.name, daemon: tell(desk, [id]) };
}

function assertCanRun(desk: Desk, task: Task, id: TaskId | null, force: boolean): void {
  const { deps } = desk;
  const word = id ?? JSON.stringify(task.name);
  const owner = task.owner ?? deps.config().defaultAgent;
  const open = task.blockedBy.filter((ref) =>
    isBlocked([{ status: findByRef(deps.ledger, ref)?.status ?? null }]),
  );
  if (isFinished(task.status))
    throw standsStill(task, `is ${task.status}`, `reopen it first: taskroom reopen ${word}`);
  if (!deps.agents().has(owner)) {
    const agents = [...deps.agents().keys()].sort().join(', ');
    const whose = task.owner === null ? `the room's default agent ${owner}` : `its owner ${owner}`;
    const hint =
      agents === ''
        ? `add agents/${owner}/agent.json`
        : `add agents/${owner}/agent.json, or set its owner to one of: ${agents}`;
    throw standsStill(task, `can't run: there is no agent for ${whose}`, hint);
  }
  if (force) return;
  if (task.status === 'draft')
    throw standsStill(task, 'is a draft', `set it to todo, or run it as it is: taskroom run ${word} --force`);
  if (task.paused)
    throw standsStill(
      task,
      'is paused',
      `resume it (taskroom resume ${word}), or run it once: taskroom run ${word} --force`,
    );
  if (open.length > 0)
    throw standsStill(
      task,
      `waits for ${open.join(', ')}`,
      `finish that first, or run it all the same: taskroom run ${word} --force`,
    );
}

function standsStill(task: Task, what: string, hint: string): RoomError {
  return new RoomError('refused', `${task.name} ${what}`, { hint });
}

/** Lets every held task run. */
export async function releaseTasks(desk: Desk): Promise<{ released: number; daemon: boolean }> {
  await refresh(desk);
  const { ledger } = desk.deps;
  const ids = ledger.tasks.held().map(({ id }) => id);
  if (ids.length === 0) return { released: 0, daemon: desk.ports.daemonRuns() };
  ledger.transaction(() => {
    wake(desk, ids, 'released');
    for (const id of ids) ledger.tasks.update(id, { held: false });
  });
  return { released: ids.length, daemon: tell(desk, ids) };
}

function wake(desk: Desk, ids: readonly TaskId[], kind: Wake): void {
  for (const id of ids) desk.deps.ledger.tasks.addWake(id, kind, desk.deps.effects.now());
}

/** Returns whether a daemon will see it. */
function tell(desk: Desk, ids: TaskId[]): boolean {
  if (!desk.ports.daemonRuns()) return false;
  desk.deps.ledger.notes.send({ kind: 'look', tasks: ids }, desk.deps.effects.now());
  desk.ports.ring();
  return true;
}
