// The keys of the board and of `top`, each said once: the same letter does the same in both, and `?` in both shows this table.
import { isFinished, type Priority, type Status } from './task/status.ts';

export interface PersonKey {
  key: string; // As `KeyboardEvent.key` has it.
  about?: string; // The operation's summary when absent.
  command?: string; // The command of the operation.
  name?: string; // On a button. Keys without one act on the view.
  asks?: string; // It ends or deletes something: the person is asked first.
  only?: 'board' | 'top';
}

const keys = <const Keys extends Readonly<Record<string, PersonKey>>>(all: Keys) => all;

export const PERSON_KEYS = keys({
  next: { key: 'j', about: 'next' },
  previous: { key: 'k', about: 'previous' },
  open: { key: 'Enter', about: 'open what the cursor is on' },
  back: { key: 'Escape', about: 'back; no search' },
  new: { key: 'n', about: 'new task' },
  search: { key: '/', about: 'search' },
  filter: { key: 'f', about: 'filter' },
  help: { key: '?', about: 'show the keys' },
  palette: { key: 'Ctrl+k', about: 'find a task or an action', only: 'board' },
  run: { key: 'r', about: 'run a task now', name: 'Run' },
  pause: { key: 'p', about: 'pause a task, or resume it', name: 'Pause' },
  todo: { key: 't', about: 'set to do; reopen what is finished', name: 'Set to do' },
  edit: { key: 'e', about: 'edit the text; `top` opens $EDITOR', name: 'Edit' },
  done: { key: 'd', command: 'done', name: 'Done', asks: 'Set it to done' },
  cancel: { key: 'X', command: 'cancel', name: 'Cancel task', asks: 'Cancel it' },
  stop: { key: 'x', command: 'kill', name: 'Stop turn', asks: 'Stop its turn' },
  delete: { key: 'D', command: 'delete', name: 'Delete', asks: 'Delete it' },
  comment: { key: 'c', command: 'comment', name: 'Comment' },
  answer: { key: 'a', command: 'answer', name: 'Answer' },
  priority: { key: '!', about: 'another priority: high, low, medium', name: 'Priority' },
  select: { key: 's', about: 'select in the list, to change several', only: 'board' },
  move: { key: 'Shift+← →', about: 'move a card to the next status', only: 'board' },
  file: { key: 'v', about: 'view the file of a task', only: 'top' },
  finished: { key: 'z', about: 'show all finished tasks, or the newest', only: 'top' },
  clear: { key: 'C', about: 'clear finished tasks away from this screen', only: 'top' },
  quit: { key: 'q', about: 'quit: the room goes on', only: 'top' },
});

export type PersonAction = keyof typeof PERSON_KEYS;
export type TaskAction = {
  [A in PersonAction]: (typeof PERSON_KEYS)[A] extends { name: string } ? A : never;
}[PersonAction];

export const keyOf = (action: PersonAction): PersonKey => PERSON_KEYS[action];
export const PERSON_ACTIONS = Object.keys(PERSON_KEYS) as PersonAction[];
export const TASK_ACTIONS = PERSON_ACTIONS.filter(
  (action): action is TaskAction => keyOf(action).name !== undefined,
);

export type ActedTask = { status: Status; running: string | null; paused: boolean; waiting: boolean };

export function isPossible(action: TaskAction, { status, running, waiting }: ActedTask): boolean {
  switch (action) {
    case 'run':
    case 'pause':
    case 'done':
    case 'cancel':
      return !isFinished(status);
    case 'todo':
      return status === 'draft' || isFinished(status);
    case 'stop':
      return running !== null;
    case 'answer':
      return waiting;
    default:
      return true;
  }
}

export function actionName(action: TaskAction, { status, paused }: ActedTask): string {
  if (action === 'pause' && paused) return 'Resume';
  if (action === 'todo' && isFinished(status)) return 'Reopen';
  return PERSON_KEYS[action].name;
}

/** The priority after this one; a task without one is of medium priority. */
export function nextPriority(priority: Priority | null): Priority {
  const order = ['medium', 'high', 'low'] as const;
  return order[(order.indexOf(priority ?? 'medium') + 1) % order.length]!;
}
