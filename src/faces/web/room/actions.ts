// What the person does to the room from here: each asks the API, says in one line how that went, and looks again.
import { ApiError, type Asked, ask, part } from '../api/request.ts';
import type { Status, TaskRow } from '../api/shapes.ts';
import { tell, tellError } from './notices.ts';
import { touchAll } from './resource.ts';
import { patchRows, staleRow } from './task-rows.ts';

const TASKS = '/api/tasks';

/** True when it was done; what went wrong is told. */
export async function act(what: string, path: string, asked: Asked, undo?: () => void): Promise<boolean> {
  try {
    await ask(path, { method: 'POST', body: {}, ...asked });
    tell(what, undo);
    return true;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    tellError(error);
    return false;
  } finally {
    touchAll();
  }
}

export async function onTask(
  task: Pick<TaskRow, 'id' | 'name'>,
  what: string,
  verb: string,
  body: object = {},
): Promise<boolean> {
  const ref = task.id ?? task.name;
  const done = await act(what, `${TASKS}/${part(ref)}/${verb}`, { body });
  staleRow(ref);
  return done;
}

/** Brings a task into another status, by the operation that has its consequences. */
export async function moveTask(task: TaskRow, to: Status): Promise<boolean> {
  const { id, status: from } = task;
  if (from === to || id === null) return false;
  patchRows(new Map([[id, { status: to }]]));
  const undo = () => void moveTask({ ...task, status: to }, from);
  const { path, ...asked } = askToMove(id, from, to);
  const done = await act(`“${shownName(task)}” is ${to}`, path, asked, undo);
  if (!done) patchRows(new Map([[id, { status: from }]]));
  staleRow(id);
  return done;
}

function askToMove(id: string, from: Status, to: Status): Asked & { path: string } {
  const at = `${TASKS}/${part(id)}`;
  if (to === 'done') return { path: `${at}/complete` };
  if (to === 'canceled') return { path: `${at}/cancel` };
  if (to === 'todo' && (from === 'done' || from === 'canceled')) return { path: `${at}/reopen` };
  return { path: at, method: 'PATCH', body: { status: to } };
}

export function shownName({ title, name }: Pick<TaskRow, 'title' | 'name'>): string {
  return title ?? name;
}

export function stopTurn(turn: string): Promise<boolean> {
  return act('The turn is stopped', `/api/turns/${part(turn)}/stop`, {});
}
