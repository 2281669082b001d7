// The scope that a new task joins when it names none: that of its parent, else that of the turn that makes it. The turn of
// a task works in the scope of its task; a chore's turn, which nobody asked for, gets one of its own with its first task.
import { choreOfThread, type TaskId, taskOfThread } from '../core/ids.ts';
import { findByRef } from './references.ts';
import { type Actor, nameOfActor, type TaskRoom } from './task-room.ts';

/** As its file says; null for a task in the room's own scope. */
export function scopeOfTask({ ledger }: TaskRoom, id: TaskId): string | null {
  const path = ledger.tasks.get(id)?.path ?? null;
  const row = path === null ? null : ledger.files.get(path);
  return row?.reading.ok ? row.reading.task.scope : null;
}

/** @param parent a reference; null for a task without one. Records the own scope of a chore's turn. */
export function scopeForNew(deps: TaskRoom, parent: string | null, actor: Actor): string | null {
  const above = parent === null ? null : findByRef(deps.ledger, parent);
  const inherited = above === null ? null : scopeOfTask(deps, above.id);
  return inherited ?? scopeOfTurn(deps, actor);
}

function scopeOfTurn(deps: TaskRoom, actor: Actor): string | null {
  if (actor.kind !== 'agent') return null;
  const thread = deps.ledger.turns.get(actor.turn)?.thread ?? null;
  if (thread === null) return null;
  const task = taskOfThread(thread);
  if (task !== null) return scopeOfTask(deps, task);
  const chore = choreOfThread(thread);
  if (chore === null) return null;
  const name = `${chore} ${actor.turn}`;
  deps.ledger.scopes.insertNew({ name, by: nameOfActor(actor), thread, at: deps.effects.now() });
  return name;
}
