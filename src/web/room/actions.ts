// What the person does to the room from here: each calls an operation, says in one line how that went, and looks again. The same
// action is a key, a button and a line of the palette.
import { signal } from '@preact/signals';
import { keyOf, nextPriority, type TaskAction } from '../../core/person-keys.ts';
import { shownName } from '../../core/task/names.ts';
import { isFinished, isStatus, statusWord } from '../../core/task/status.ts';
import { goTo, place } from '../address.ts';
import { change, type Input, type Name, type TaskRow } from '../api/calls.ts';
import { ApiError, ask } from '../api/request.ts';
import { askAgain, patchRow, statusOf, touchRows } from './queries.ts';

/** True when it was done; what went wrong is told. @param text null says nothing */
export async function act<N extends Name>(
  text: string | null,
  name: N,
  input: Input<N>,
  undo?: () => void,
): Promise<boolean> {
  try {
    await ask(change(name, input));
    if (text !== null) tell(text, undo);
    return true;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    tellError(error);
    return false;
  } finally {
    touchRows();
    askAgain();
  }
}

/** What operations and addresses take for it. */
export const refOf = ({ id, name }: { id: string | null; name: string }): string => id ?? name;

/** Does it to the task. @param more of the input, beside the task */
export function onTask<N extends Name>(
  task: string,
  text: string,
  name: N,
  more?: Omit<Input<N>, 'ref'>,
): Promise<boolean> {
  return act(text, name, { ref: task, ...more } as unknown as Input<N>);
}

/** What a person is asked before it is done. */
export type Question = { title: string; text: string; button: string; isDanger: boolean; run(): unknown };

export const question = signal<Question | null>(null);
/** The task whose text the person wants to edit. */
export const wantsEditor = signal<string | null>(null);

export type ActedRow = Pick<
  TaskRow,
  | 'id'
  | 'finished_at'
  | 'name'
  | 'title'
  | 'status'
  | 'own_status'
  | 'running'
  | 'paused'
  | 'blocked'
  | 'waiting'
  | 'priority'
  | 'why_not'
>;

/** Does what a key, a button or the palette asks for; what ends or deletes something asks first. */
export function takeAction(action: TaskAction, task: ActedRow): unknown {
  const { asks } = keyOf(action);
  const run = () => ACTIONS[action](task);
  const { running, paused, blocked, status } = task;
  const standsStill = running === null && (paused || blocked || status === 'draft');
  if (action === 'run' && standsStill) return askAnyway(task);
  if (asks === undefined) return run();
  const isStopped = running !== null && (action === 'cancel' || action === 'delete');
  question.value = {
    ...{ title: `${asks}?`, button: asks, isDanger: action !== 'done', run },
    text: `“${shownName(task)}”${isStopped ? ': an agent works on it right now, and its turn is stopped.' : ''}`,
  };
}

function askAnyway(task: ActedRow): void {
  const why = task.why_not === null ? '' : `: ${task.why_not.text}`;
  question.value = {
    ...{ title: 'Run it anyway?', button: 'Run it anyway', isDanger: false },
    text: `“${shownName(task)}” does not run by itself${why}. A turn starts all the same.`,
    run: () => onTask(refOf(task), 'A turn is asked for', 'run', { force: true }),
  };
}

const ACTIONS: Readonly<Record<TaskAction, (task: ActedRow) => unknown>> = {
  run: (task) => onTask(refOf(task), 'A turn is asked for', 'run'),
  pause: (task) =>
    task.paused
      ? onTask(refOf(task), 'The task is resumed', 'resume')
      : onTask(refOf(task), 'The task is paused', 'pause'),
  todo: (task) => moveTask(task, 'todo'),
  done: (task) => moveTask(task, 'done'),
  cancel: (task) => moveTask(task, 'canceled'),
  stop: ({ running }) => running !== null && stopTurn(running),
  delete: async (task) => {
    const text = `“${shownName(task)}” is deleted; its file lies in the attic`;
    const isDeleted = await onTask(refOf(task), text, 'remove');
    if (isDeleted && place.value.path[0] === 'task') goTo(['list']);
  },
  edit(task) {
    wantsEditor.value = refOf(task);
    goTo(['task', refOf(task)]);
  },
  comment: (task) => focusIn(task, '#comment'),
  answer: (task) => focusIn(task, '.questions textarea'),
  priority: (task) => {
    const priority = nextPriority(task.priority);
    return onTask(refOf(task), `“${shownName(task)}” is now of ${priority} priority`, 'update', { priority });
  },
};

/** Goes to the task, and to a field there once it is drawn. */
function focusIn(task: ActedRow, field: string): void {
  goTo(['task', refOf(task)]);
  focusSoon(field);
}

const MOST_FRAMES = 120;

export function focusSoon(field: string, frames = 0): void {
  requestAnimationFrame(() => {
    const found = document.querySelector<HTMLElement>(field);
    if (found !== null) found.focus();
    else if (frames < MOST_FRAMES) focusSoon(field, frames + 1);
  });
}

/** Brings a task into another status, by the operation that has its consequences. */
export async function moveTask(task: ActedRow, to: string): Promise<boolean> {
  const { id, status: was } = task;
  const from = statusWord(task);
  if (from === to || id === null) return false;
  const status = statusOf(to);
  // The newest stands first among what is finished: the card keeps its place once the room tells the time.
  const ended = isFinished(status) ? new Date().toISOString() : null;
  const finished_at = was === status ? task.finished_at : ended;
  const moved = { status, own_status: isStatus(to) ? undefined : to, finished_at };
  patchRow(id, moved);
  const undo = () => void moveTask({ ...task, ...moved } as ActedRow, from);
  // What is finished is opened again before it ends otherwise.
  const isOpen =
    !isFinished(was) || !isFinished(status) || was === status || (await act(null, 'reopen', { ref: id }));
  const text = `“${shownName(task)}” is ${to}`;
  const move = () => {
    if (to === 'done' && was !== 'done') return act(text, 'complete', { ref: id }, undo);
    if (to === 'canceled' && was !== 'canceled') return act(text, 'cancel', { ref: id }, undo);
    if (to === 'todo' && isFinished(was)) return act(text, 'reopen', { ref: id }, undo);
    return act(text, 'update', { ref: id, status: to }, undo);
  };
  const done = isOpen && (await move());
  if (!done) patchRow(id, { status: was, own_status: task.own_status, finished_at: task.finished_at });
  return done;
}

const MOST_BULK = 25; // At most so many changes a call.

export async function changeAll(
  tasks: readonly TaskRow[],
  text: string,
  changeOf: (task: TaskRow) => object,
): Promise<void> {
  const changes = tasks.map((task) => ({ do: 'update' as const, ref: refOf(task), ...changeOf(task) }));
  for (let at = 0; at < changes.length; at += MOST_BULK)
    if (!(await act(null, 'bulk', { changes: changes.slice(at, at + MOST_BULK) }))) return;
  tell(`${tasks.length} ${tasks.length === 1 ? 'task' : 'tasks'}: ${text}`);
}

const stopTurn = (turn: string): Promise<boolean> => act('The turn is stopped', 'kill', { turn });

/** A turn is stopped after a question. */
export function askToStop(turn: string, name: string): void {
  question.value = {
    ...{ title: 'Stop the turn?', text: `“${name}”`, button: 'Stop the turn', isDanger: true },
    run: () => stopTurn(turn),
  };
}

// Short words about what the person did: they go after a while, what went wrong stays until it is dismissed.

interface Notice {
  key: number;
  text: string;
  hint?: string | undefined;
  failed: boolean;
  undo?: (() => void) | undefined;
}

const SHOWN_MS = 6_000;
const MOST = 4;
export const notices = signal<readonly Notice[]>([]);
let count = 0;

export function tell(text: string, undo?: () => void): void {
  const key = add({ text, failed: false, undo });
  setTimeout(() => dismiss(key), SHOWN_MS);
}

export function tellError({ message, problem }: ApiError): void {
  add({ text: message, hint: problem.hint, failed: true });
}

function add(notice: Omit<Notice, 'key'>): number {
  count += 1;
  notices.value = [...notices.value, { ...notice, key: count }].slice(-MOST);
  return count;
}

export function dismiss(key: number): void {
  notices.value = notices.value.filter((each) => each.key !== key);
}
