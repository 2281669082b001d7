// What keys do here, over the table of keys that the board has too; the hints of the last line and the help follow from it.
import type { PersonAction } from '../../core/person-keys.ts';
import { isPossible, keyOf, nextPriority, PERSON_ACTIONS } from '../../core/person-keys.ts';
import { createFilter, ownStatusesOf, parseFilter } from '../../core/task/filter.ts';
import { isFinished } from '../../core/task/status.ts';
import { SUMMARIES } from '../../operations/summaries.ts';
import type { TaskRow } from '../../tasks/shapes/task.ts';
import { EMPTY_INPUT, edit, type Key, textOf } from './line-input.ts';
import { clearFinished, type Row } from './rows.ts';
import { type Ask, type Prompt, type RoomFacts, type ScreenState, VIEWS, type View } from './screen-state.ts';
import { moved, type Target, targetOf } from './target.ts';

type Pressed = { state: ScreenState; ask: Ask | null };

/** What the screen shows now, as far as keys depend on it. */
interface Shown {
  facts: RoomFacts;
  rows: readonly Row[];
  page: number; // Lines of the middle of the screen: a page.
}

type Act = (state: ScreenState, shown: Shown) => Pressed;
type RowAct = (state: ScreenState, target: Target) => Pressed;
type Hint = readonly [key: string, what: string];

interface Binding {
  keys: string; // Separated by spaces.
  act: Act;
  hint?: Hint; // On the last line.
}

const only = (state: ScreenState): Pressed => ({ state, ask: null });
const asks = (state: ScreenState, ask: Ask): Pressed => ({ state, ask });
const asking = (state: ScreenState, prompt: Prompt): Pressed => only({ ...state, prompt });
const opened = (state: ScreenState, ask: Ask) => asks({ ...state, isOpen: true, back: 0 }, ask);
const told = (state: ScreenState, text: string) => only({ ...state, message: { text, isTrouble: false } });
const showHelp: Act = (state) => only({ ...state, help: true });

const IN_FOREGROUND: readonly Binding[] = [
  {
    keys: 'escape q left return',
    act: (state) => asks({ ...state, isOpen: false, back: 0 }, { do: 'close' }),
    hint: ['Esc', 'back'],
  },
  { keys: 'up k', act: scroll(() => 1), hint: ['j/k', 'scroll'] },
  { keys: 'down j', act: scroll(() => -1) },
  { keys: 'pageup b', act: scroll(({ page }) => page) },
  { keys: 'pagedown space', act: scroll(({ page }) => -page) },
  { keys: 'home g', act: scroll(() => Number.POSITIVE_INFINITY) },
  { keys: 'end G', act: scroll(() => Number.NEGATIVE_INFINITY), hint: ['End', 'follow'] },
  { keys: 'x', act: killOpen, hint: ['x', 'stop'] },
  { keys: '?', act: showHelp, hint: ['?', 'help'] },
];

/** What the keys of the table do here, each with its word on the last line. */
const ACTS: Readonly<Partial<Record<PersonAction, readonly [act: Act, hint?: string]>>> = {
  next: [step(() => 1)],
  previous: [step(() => -1)],
  open: [onRow(enterRow), 'open'],
  answer: [onRow(answer), 'answer'],
  run: [onRow(run), 'run'],
  pause: [
    onTask((state, ref, { name }, { paused }) => asks(state, { do: paused ? 'resume' : 'pause', ref, name })),
    'pause',
  ],
  todo: [onTask(setTodo), 'to do'],
  done: [onTask(confirmed('done')), 'done'],
  edit: [onTask((state, ref) => asks(state, { do: 'edit', ref })), 'edit'],
  comment: [
    onTask((state, ref, { name }) => asking(state, { kind: 'comment', input: EMPTY_INPUT, ref, name })),
    'comment',
  ],
  priority: [onTask(raise), 'priority'],
  cancel: [onTask(confirmed('cancel')), 'cancel'],
  stop: [onRow(kill), 'stop'],
  delete: [onTask(confirmed('delete')), 'delete'],
  file: [onTask((state, _ref, { ref }) => opened(state, { do: 'text', ref })), 'view'],
  new: [type('new', () => ''), 'new'],
  search: [type('search', ({ search }) => search), 'search'],
  filter: [type('filter', ({ filter }) => filter), 'filter'],
  finished: [(state) => only({ ...state, allDone: !state.allDone })],
  clear: [(state, { facts }) => told(clearFinished(state, facts), 'cleared')],
  back: [(state) => only({ ...state, search: '', filter: '' })],
  help: [showHelp, 'help'],
  quit: [(state) => asks(state, { do: 'quit' }), 'quit'],
};

const NAMES: Readonly<Record<string, string>> = { Enter: 'return', Escape: 'escape' };

const IN_LIST: readonly Binding[] = [
  { keys: 'up ctrl-p', act: step(() => -1) },
  { keys: 'down ctrl-n', act: step(() => 1) },
  { keys: 'pageup', act: step(({ page }) => -page) },
  { keys: 'pagedown space', act: step(({ page }) => page) },
  { keys: 'home g', act: step(({ rows }) => -rows.length) },
  { keys: 'end G', act: step(({ rows }) => rows.length) },
  ...VIEWS.map((view, at): Binding => ({ keys: `${at + 1}`, act: (state) => only({ ...state, view }) })),
  { keys: 'tab right', act: turnView(1) },
  { keys: 'backtab left', act: turnView(VIEWS.length - 1) },
  ...(Object.entries(ACTS) as [PersonAction, readonly [Act, string?]][]).map(([action, [act]]): Binding => {
    const { key } = keyOf(action);
    return { keys: NAMES[key] ?? key, act };
  }),
];

const byKey = (bindings: readonly Binding[]) =>
  new Map(bindings.flatMap(({ keys, act }) => keys.split(' ').map((key) => [key, act] as const)));
const LIST_KEYS = byKey(IN_LIST);
const FOREGROUND_KEYS = byKey(IN_FOREGROUND);

/** What each key does, for the help: the table, and what only a terminal has. */
export const HELP: readonly Hint[] = [
  ['↑↓ PgUp g G', 'move'],
  ['1 2 3 4 Tab', VIEWS.join(', ')],
  ...PERSON_ACTIONS.filter((action) => ACTS[action] !== undefined).map((action): Hint => {
    const { key, about, command, asks: question } = keyOf(action);
    return [key, `${about ?? SUMMARIES[command!]}${question === undefined ? '' : ' (asks)'}`];
  }),
  ['^Z ^L', 'suspend; draw anew'],
];

/** What makes sense in each view, the most useful first. */
const VIEW_HINTS: Readonly<Record<View, readonly PersonAction[]>> = {
  room: ['open', 'run', 'pause', 'done', 'comment', 'edit', 'stop', 'new', 'search', 'help', 'quit'],
  inbox: ['open', 'answer', 'run', 'pause', 'edit', 'search', 'help', 'quit'],
  turns: ['open', 'stop', 'file', 'search', 'help', 'quit'],
  chores: ['open', 'run', 'stop', 'search', 'help', 'quit'],
};

/** The keys that do something here, for the last line. */
export function hintsOf({ isOpen, help, view }: ScreenState, { open }: RoomFacts): Hint[] {
  if (help) return [['any key', 'back']];
  if (!isOpen) return VIEW_HINTS[view].map((action): Hint => [keyOf(action).key, ACTS[action]![1]!]);
  const hints = IN_FOREGROUND.flatMap(({ hint }) => (hint ? [hint] : []));
  const isOver = open?.turn?.state !== 'running';
  return hints.filter(([, what]) => !(isOver && (what === 'stop' || what === 'follow')));
}

/** The screen's state after a key, and what is to be done beyond the screen. */
export function press(before: ScreenState, key: Key, shown: Shown): Pressed {
  const state = { ...before, message: null };
  const always = key.ctrl ? ({ c: 'quit', z: 'suspend', l: 'redraw' } as const)[key.name] : undefined;
  if (always !== undefined) return asks(state, { do: always });
  if (state.prompt !== null) return prompted(state, state.prompt, key, shown);
  if (state.help) return only({ ...state, help: false });
  if (key.name === 'paste') return only(state);
  return (state.isOpen ? FOREGROUND_KEYS : LIST_KEYS).get(wordOf(key))?.(state, shown) ?? only(state);
}

function wordOf({ name, text, ctrl, meta }: Key): string {
  if (ctrl) return `ctrl-${name}`;
  if (meta) return `meta-${name}`;
  return text === ' ' ? 'space' : text !== '' && text !== '\r' && text !== '\t' ? text : name;
}

function scroll(by: (shown: Shown) => number): Act {
  return (state, shown) => {
    const { open } = shown.facts;
    const most = Math.max(0, (open?.lines.length ?? 0) - 1);
    // Lines are counted from the end of an output, which is followed, and from the beginning of a text.
    const back = state.back + by(shown) * (open?.turn === null ? -1 : 1);
    return only({ ...state, back: Math.min(most, Math.max(0, back)) });
  };
}

function killOpen(state: ScreenState, { facts: { open } }: Shown): Pressed {
  if (open === null || open.turn === null) return only(state);
  return kill(state, { name: open.turn.description, turn: open.turn, task: null });
}

function step(by: (shown: Shown) => number): Act {
  return (state, shown) => only(moved(state, shown.rows, by(shown)));
}

function turnView(by: number): Act {
  return (state) => only({ ...state, view: VIEWS[(VIEWS.indexOf(state.view) + by) % VIEWS.length]! });
}

function type(kind: 'new' | 'search' | 'filter', before: (state: ScreenState) => string): Act {
  return (state) => asking(state, { kind, input: { before: before(state), after: '' } });
}

function onRow(act: RowAct): Act {
  return (state, { facts, rows }) => {
    const target = targetOf(facts, rows, state);
    return target === null ? only(state) : act(state, target);
  };
}

/** @param act is given what operations take for the task */
function onTask(act: (state: ScreenState, ref: string, target: Target, task: TaskRow) => Pressed): Act {
  return onRow((state, target) => {
    const { task, ref } = target;
    return task === null ? told(state, 'no task stands here') : act(state, task.id ?? ref, target, task);
  });
}

function enterRow(state: ScreenState, target: Target): Pressed {
  const { ref, name, turn, chore, question } = target;
  if (question !== null) return answer(state, target);
  if (chore !== null && turn === null) return told(state, `r runs ${name}`);
  return opened(state, { do: 'open', ref: turn?.id ?? ref });
}

function run(state: ScreenState, { ref, name, chore, task }: Target): Pressed {
  if (chore !== null) return asks(state, { do: 'chore', name: chore });
  if (ref === 'held') return asks(state, { do: 'release', name });
  if (task === null) return told(state, 'no task stands here');
  return asks(state, { do: 'run', ref: task.id ?? ref, name });
}

/** What ends or deletes a task is asked first. */
function confirmed(action: 'done' | 'cancel' | 'delete') {
  return (state: ScreenState, ref: string, { name }: Target, task: TaskRow): Pressed => {
    if (!isPossible(action, task)) return told(state, `${name} is ${task.status} already`);
    const text = `${keyOf(action).asks}: ${name}?`;
    return asking(state, { kind: 'confirm', text, action: { do: action, ref, name } });
  };
}

function setTodo(state: ScreenState, ref: string, { name }: Target, task: TaskRow): Pressed {
  if (!isPossible('todo', task)) return told(state, `${name} is ${task.status} already`);
  return asks(state, { do: isFinished(task.status) ? 'reopen' : 'todo', ref, name });
}

function raise(state: ScreenState, ref: string, { name }: Target, task: TaskRow): Pressed {
  return asks(state, { do: 'priority', ref, name, priority: nextPriority(task.priority) });
}

function kill(state: ScreenState, { name, turn, task }: Pick<Target, 'name' | 'turn' | 'task'>): Pressed {
  const ref = turn?.state === 'running' ? turn.id : (task?.running ?? null);
  if (ref === null) return told(state, `${name} has no turn that runs`);
  const text = `${keyOf('stop').asks}: ${name}?`;
  return asking(state, { kind: 'confirm', text, action: { do: 'kill', ref, name } });
}

function answer(state: ScreenState, { name, question }: Target): Pressed {
  if (question === null) return told(state, `${name} has no open question`);
  const { task: ref, key, asked } = question;
  return asking(state, { kind: 'answer', input: EMPTY_INPUT, ref, question: key, name, asked });
}

/** While the person types: a search narrows at once, everything else counts with Enter, Esc takes it back. */
function prompted(state: ScreenState, prompt: Prompt, key: Key, shown: Shown): Pressed {
  const done = { ...state, prompt: null };
  if (key.name === 'escape' || (key.ctrl && key.name === 'g'))
    return only(prompt.kind === 'search' ? { ...done, search: '' } : done);
  // Enter alone confirms nothing: it may be one that was meant for what stood there before.
  if (prompt.kind === 'confirm')
    return { state: done, ask: key.text === 'y' || key.text === 'Y' ? prompt.action : null };
  if (key.name === 'return' || key.name === 'enter') return entered(done, prompt, shown);
  const input = edit(prompt.input, key);
  const typing = { ...state, prompt: { ...prompt, input } };
  return only(prompt.kind === 'search' ? { ...typing, search: textOf(input) } : typing);
}

function entered(
  state: ScreenState,
  prompt: Exclude<Prompt, { kind: 'confirm' }>,
  { facts }: Shown,
): Pressed {
  const text = textOf(prompt.input).trim();
  const { kind } = prompt;
  if (kind === 'search' || kind === 'filter') {
    const next = { ...state, [kind]: text };
    const { notes } = createFilter(parseFilter(text), { nowMs: 0, statuses: () => ownStatusesOf(facts) });
    if (notes.length === 0) return only(next);
    return only({ ...next, message: { text: notes.join('; '), isTrouble: true } });
  }
  if (text === '') return only(state);
  if (prompt.kind === 'answer' || prompt.kind === 'comment') {
    const { kind: what, input: _, ...on } = prompt;
    return asks(state, { do: what, text, ...on } as Ask);
  }
  return asks(state, { do: 'new', name: text });
}
