// What the person does to the room from here: each calls an operation, says in one line how that went, and looks again.
import { change, type Input, type Name } from '../api/calls.ts';
import { ApiError, ask } from '../api/request.ts';
import type { Status, TaskRow } from '../api/shapes.ts';
import { tell, tellError } from './notices.ts';
import { askAgain } from './queries.ts';
import { patchRows, staleRow } from './task-rows.ts';

/** True when it was done; what went wrong is told. */
export async function act<N extends Name>(
  text: string,
  name: N,
  input: Input<N>,
  undo?: () => void,
): Promise<boolean> {
  try {
    await ask(change(name, input));
    tell(text, undo);
    return true;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    tellError(error);
    return false;
  } finally {
    askAgain();
  }
}

/** What operations and addresses take for it. */
export function refOf({ id, name }: { id: string | null; name: string }): string {
  return id ?? name;
}

/** Does it to the task. @param more of the input, beside the task */
export async function onTask<N extends Name>(
  task: string,
  text: string,
  name: N,
  more?: Omit<Input<N>, 'ref'>,
): Promise<boolean> {
  const done = await act(text, name, { ref: task, ...more } as unknown as Input<N>);
  staleRow(task);
  return done;
}

/** Asks for a turn, whatever speaks against one with `force`. */
export function askForTurn(task: string, force = false): Promise<boolean> {
  return onTask(task, 'A turn is asked for', 'run', force ? { force } : {});
}

const OVER: ReadonlySet<Status> = new Set(['done', 'canceled']);

/** Brings a task into another status, by the operation that has its consequences. */
export async function moveTask(task: TaskRow, to: Status): Promise<boolean> {
  const { id, status: from } = task;
  if (from === to || id === null) return false;
  patchRows(new Map([[id, { status: to }]]));
  const undo = () => void moveTask({ ...task, status: to }, from);
  // What is over is opened again before it ends otherwise.
  const isOpen = !OVER.has(from) || !OVER.has(to) || (await act('It is open again', 'reopen', { ref: id }));
  const text = `“${shownName(task)}” is ${to}`;
  const move = () => {
    if (to === 'done') return act(text, 'complete', { ref: id }, undo);
    if (to === 'canceled') return act(text, 'cancel', { ref: id }, undo);
    if (to === 'todo' && OVER.has(from)) return act(text, 'reopen', { ref: id }, undo);
    return act(text, 'update', { ref: id, status: to }, undo);
  };
  const done = isOpen && (await move());
  if (!done) patchRows(new Map([[id, { status: from }]]));
  staleRow(id);
  return done;
}

export function shownName({ title, name }: Pick<TaskRow, 'title' | 'name'>): string {
  return title ?? name;
}

export function stopTurn(turn: string): Promise<boolean> {
  return act('The turn is stopped', 'kill', { turn });
}
