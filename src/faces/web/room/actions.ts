// What the person does to the room from here: each asks the API, says in one line how that went, and looks again.
import { type Change, change } from '../api/calls.ts';
import { ApiError, ask } from '../api/request.ts';
import type { Status, TaskRow } from '../api/shapes.ts';
import { tell, tellError } from './notices.ts';
import { touchAll } from './resource.ts';
import { patchRows, staleRow } from './task-rows.ts';

/** True when it was done; what went wrong is told. */
export async function act(what: string, asked: Change<unknown>, undo?: () => void): Promise<boolean> {
  try {
    await ask(asked);
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

/** @param asked the change of the task that has this reference */
export async function onTask(
  task: { id: string | null; name: string },
  what: string,
  asked: (ref: string) => Change<unknown>,
): Promise<boolean> {
  const ref = task.id ?? task.name;
  const done = await act(what, asked(ref));
  staleRow(ref);
  return done;
}

/** A turn of it, whatever speaks against one with `force`. */
export const toRun = (ref: string, force = false) => change('run', force ? { ref, force } : { ref });
export const toPause = (ref: string) => change('pause', { ref });
export const toResume = (ref: string) => change('resume', { ref });

const toReopen = (ref: string) => change('reopen', { ref });
const OVER: ReadonlySet<Status> = new Set(['done', 'canceled']);

/** Brings a task into another status, by the operation that has its consequences. */
export async function moveTask(task: TaskRow, to: Status): Promise<boolean> {
  const { id, status: from } = task;
  if (from === to || id === null) return false;
  patchRows(new Map([[id, { status: to }]]));
  const undo = () => void moveTask({ ...task, status: to }, from);
  // What is over is opened again before it ends otherwise.
  const isOpen = !OVER.has(from) || !OVER.has(to) || (await act('It is open again', toReopen(id)));
  const done = isOpen && (await act(`“${shownName(task)}” is ${to}`, askToMove(id, from, to), undo));
  if (!done) patchRows(new Map([[id, { status: from }]]));
  staleRow(id);
  return done;
}

function askToMove(ref: string, from: Status, to: Status): Change<unknown> {
  if (to === 'done') return change('complete', { ref });
  if (to === 'canceled') return change('cancel', { ref });
  if (to === 'todo' && OVER.has(from)) return toReopen(ref);
  return change('update', { ref, status: to });
}

export function shownName({ title, name }: Pick<TaskRow, 'title' | 'name'>): string {
  return title ?? name;
}

export function stopTurn(turn: string): Promise<boolean> {
  return act('The turn is stopped', change('kill', { turn }));
}
