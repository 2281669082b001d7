// What a key does: the screen's state before and after, and what is to be done beyond the screen.
import type { TaskRow } from '../../tasks/shapes/task.ts';
import { EMPTY_INPUT, edit, type Key, textOf } from './line-input.ts';
import type { RoomFacts } from './room-facts.ts';
import type { Row } from './rows.ts';
import { type Ask, type Prompt, type ScreenState, VIEWS } from './screen-state.ts';
import { moved, type Target, targetOf } from './target.ts';
import { clearFinished } from './task-filter.ts';

export interface Pressed {
  state: ScreenState;
  ask: Ask | null;
}

/** What the screen shows now, as far as keys depend on it. */
export interface Shown {
  facts: RoomFacts;
  /** Of the view. */
  rows: readonly Row[];
  /** Lines of the middle of the screen: a page. */
  page: number;
}

export function press(before: ScreenState, key: Key, shown: Shown): Pressed {
  const state = { ...before, message: null };
  const always = key.ctrl ? ({ c: 'quit', z: 'suspend', l: 'redraw' } as const)[key.name] : undefined;
  if (always !== undefined) return asks(state, { do: always });
  if (state.prompt !== null) return prompted(state, state.prompt, key);
  if (state.help) return only({ ...state, help: false });
  // Pasted text is no key.
  if (key.name === 'paste') return only(state);
  const word = wordOf(key);
  return state.isOpen ? (IN_FOREGROUND[word]?.(state, shown) ?? only(state)) : inList(state, word, shown);
}

const only = (state: ScreenState): Pressed => ({ state, ask: null });
const wordOf = ({ name, text, ctrl, meta }: Key) =>
  ctrl ? `ctrl-${name}` : meta ? `meta-${name}` : text !== '' && text !== '\r' && text !== '\t' ? text : name;

type Act = (state: ScreenState, shown: Shown) => Pressed;

/** What keys do in the foreground; `scroll` counts lines up from the end of an output. */
const IN_FOREGROUND: Readonly<Record<string, Act>> = {
  ...onKeys('up', scroll(1)),
  ...onKeys('down', scroll(-1)),
  ...onKeys('pageup b', (state, shown) => scroll(shown.page)(state, shown)),
  ...{ pagedown: scrollPage, ' ': scrollPage },
  ...onKeys('home g', scroll(Number.POSITIVE_INFINITY)),
  ...onKeys('end G', scroll(Number.NEGATIVE_INFINITY)),
  x(state, { facts: { open } }) {
    if (open === null || open.turn === null) return only(state);
    return killed(state, { name: open.turn.description, turn: open.turn, task: null });
  },
  '?': (state) => only({ ...state, help: true }),
  ...onKeys('escape q left return', (state) => asks({ ...state, isOpen: false, back: 0 }, { do: 'close' })),
};

function onKeys(names: string, act: Act): Record<string, Act> {
  return Object.fromEntries(names.split(' ').map((name) => [name, act]));
}

function scroll(by: number): Act {
  return (state, { facts: { open } }) => {
    const most = Math.max(0, (open?.lines.length ?? 0) - 1);
    // Lines are counted from the end of an output, which is followed, and from the beginning of a text.
    const back = state.back + (open?.turn === null ? -by : by);
    return only({ ...state, back: Math.min(most, Math.max(0, back)) });
  };
}

function scrollPage(state: ScreenState, shown: Shown): Pressed {
  return scroll(-shown.page)(state, shown);
}

/** What keys do in a list, whatever row the cursor stands on. */
const IN_LIST: Readonly<Record<string, Act>> = {
  ...onKeys(
    'up ctrl-p',
    step(() => -1),
  ),
  ...onKeys(
    'down ctrl-n',
    step(() => 1),
  ),
  ...onKeys(
    'pageup',
    step(({ page }) => -page),
  ),
  ...{ pagedown: step(({ page }) => page), ' ': step(({ page }) => page) },
  ...onKeys(
    'home g',
    step(({ rows }) => -rows.length),
  ),
  ...onKeys(
    'end G',
    step(({ rows }) => rows.length),
  ),
  ...Object.fromEntries(
    VIEWS.map((view, at): [string, Act] => [`${at + 1}`, (state) => only({ ...state, view })]),
  ),
  ...onKeys('tab right', turnView(1)),
  ...onKeys('backtab left', turnView(VIEWS.length - 1)),
  q: (state) => asks(state, { do: 'quit' }),
  ...onKeys('? h', (state) => only({ ...state, help: true })),
  '/': (state) => asking(state, { kind: 'search', input: { before: state.search, after: '' } }),
  f: (state) => asking(state, { kind: 'filter', input: { before: state.filter, after: '' } }),
  n: (state) => asking(state, { kind: 'new', input: EMPTY_INPUT }),
  C: (state, { facts }) => told(clearFinished(state, facts), 'cleared'),
  d: (state) => only({ ...state, allDone: !state.allDone }),
  escape: (state) => only({ ...state, search: '', filter: '' }),
};

function step(by: (shown: Shown) => number): Act {
  return (state, shown) => only(moved(state, shown.rows, by(shown)));
}

function turnView(by: number): Act {
  return (state) => only({ ...state, view: VIEWS[(VIEWS.indexOf(state.view) + by) % VIEWS.length]! });
}

/** What keys do to the row under the cursor. */
const ON_ROW: Readonly<Record<string, (state: ScreenState, target: Target) => Pressed>> = {
  return(state, target) {
    const { ref, name, turn, chore, question } = target;
    if (question !== null) return answering(state, target);
    if (chore !== null && turn === null) return told(state, `r runs ${name}`);
    return opened(state, { do: 'open', ref: turn?.id ?? ref, name });
  },
  a: (state, target) =>
    target.question === null ? told(state, `${target.name} has no open question`) : answering(state, target),
  x: killed,
  r(state, target) {
    const { ref, name, chore } = target;
    if (chore !== null) return asks(state, { do: 'chore', name: chore });
    if (ref === 'held') return asks(state, { do: 'release', name });
    return onTask(state, target, (task) => asks(state, { do: 'run', ref: task.id ?? ref, name }));
  },
  t: (state, target) =>
    onTask(state, target, () => opened(state, { do: 'text', ref: target.ref, name: target.name })),
  p: (state, target) =>
    onTask(state, target, ({ id, paused }) =>
      asks(state, { do: paused ? 'resume' : 'pause', ref: id ?? target.ref, name: target.name }),
    ),
  c: (state, target) =>
    onTask(state, target, ({ id }) =>
      confirming(state, `Cancel ${target.name}?`, { do: 'cancel', ref: id ?? target.ref, name: target.name }),
    ),
};

function onTask(state: ScreenState, { task }: Target, act: (task: TaskRow) => Pressed): Pressed {
  return task === null ? told(state, 'no task stands here') : act(task);
}

function inList(state: ScreenState, word: string, shown: Shown): Pressed {
  const act = IN_LIST[word];
  if (act !== undefined) return act(state, shown);
  const target = targetOf(shown.facts, shown.rows, state);
  return (target && ON_ROW[word]?.(state, target)) ?? only(state);
}

const asks = (state: ScreenState, ask: Ask): Pressed => ({ state, ask });
const asking = (state: ScreenState, prompt: Prompt): Pressed => only({ ...state, prompt });
const opened = (state: ScreenState, ask: Ask) => asks({ ...state, isOpen: true, back: 0 }, ask);
const confirming = (state: ScreenState, text: string, action: Ask): Pressed =>
  asking(state, { kind: 'confirm', text, action });

function killed(state: ScreenState, { name, turn, task }: Pick<Target, 'name' | 'turn' | 'task'>): Pressed {
  const ref = turn?.state === 'running' ? turn.id : (task?.running ?? null);
  if (ref === null) return told(state, `${name} has no turn that runs`);
  return confirming(state, `Kill the turn of ${name}?`, { do: 'kill', ref, name });
}

function answering(state: ScreenState, { name, question }: Target): Pressed {
  if (question === null) return only(state);
  const { task: ref, key, asked } = question;
  return asking(state, { kind: 'answer', input: EMPTY_INPUT, ref, question: key, name, asked });
}

const told = (state: ScreenState, text: string): Pressed =>
  only({ ...state, message: { text, isTrouble: false } });

/** While the person types: a search narrows at once, everything else counts with Enter, Esc takes it back. */
function prompted(state: ScreenState, prompt: Prompt, key: Key): Pressed {
  const done = { ...state, prompt: null };
  if (key.name === 'escape' || (key.ctrl && key.name === 'g'))
    return { state: prompt.kind === 'search' ? { ...done, search: '' } : done, ask: null };
  if (prompt.kind === 'confirm') {
    // Enter alone confirms nothing: it may be one that was meant for what stood there before.
    return { state: done, ask: key.text === 'y' || key.text === 'Y' ? prompt.action : null };
  }
  const isEnter = key.name === 'return' || key.name === 'enter';
  if (isEnter) return entered(done, prompt);
  const input = edit(prompt.input, key);
  const typing = { ...state, prompt: { ...prompt, input } };
  return { state: prompt.kind === 'search' ? { ...typing, search: textOf(input) } : typing, ask: null };
}

function entered(state: ScreenState, prompt: Exclude<Prompt, { kind: 'confirm' }>): Pressed {
  const text = textOf(prompt.input).trim();
  switch (prompt.kind) {
    case 'search':
      return { state: { ...state, search: text }, ask: null };
    case 'filter':
      return { state: { ...state, filter: text }, ask: null };
    case 'new':
      return { state, ask: text === '' ? null : { do: 'new', name: text } };
    case 'answer': {
      const { ref, question, name } = prompt;
      return { state, ask: text === '' ? null : { do: 'answer', ref, question, text, name } };
    }
  }
}
