// What a key does: the screen's state before and after, and what is to be done beyond the screen.
import { moved } from './cursor.ts';
import { EMPTY_INPUT, edit, type Key, textOf } from './line-input.ts';
import type { RoomFacts } from './room-facts.ts';
import type { Row } from './rows.ts';
import { type Ask, type Prompt, type ScreenState, VIEWS, type View } from './screen-state.ts';
import { type Target, targetOf } from './target.ts';
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
  if (key.ctrl && key.name === 'c') return { state, ask: { do: 'quit' } };
  if (key.ctrl && key.name === 'z') return { state, ask: { do: 'suspend' } };
  if (key.ctrl && key.name === 'l') return { state, ask: { do: 'redraw' } };
  if (state.prompt !== null) return prompted(state, state.prompt, key);
  if (state.help) return only({ ...state, help: false });
  // Pasted text is no key.
  if (key.name === 'paste') return only(state);
  return state.isOpen ? inForeground(state, key, shown) : inList(state, key, shown);
}

const only = (state: ScreenState): Pressed => ({ state, ask: null });
const wordOf = ({ name, text, ctrl, meta }: Key) =>
  ctrl ? `ctrl-${name}` : meta ? `meta-${name}` : text !== '' && text !== '\r' && text !== '\t' ? text : name;

function inForeground(state: ScreenState, key: Key, { facts, page }: Shown): Pressed {
  const most = Math.max(0, (facts.open?.lines.length ?? 0) - 1);
  // Lines are counted from the end of an output, which is followed, and from the beginning of a text.
  const sign = facts.open !== null && facts.open.turn === null ? -1 : 1;
  const scroll = (by: number) =>
    only({ ...state, back: Math.min(most, Math.max(0, state.back + sign * by)) });
  switch (wordOf(key)) {
    case 'up':
      return scroll(1);
    case 'down':
      return scroll(-1);
    case 'pageup':
    case 'b':
      return scroll(page);
    case 'pagedown':
    case ' ':
      return scroll(-page);
    case 'home':
    case 'g':
      return scroll(most);
    case 'end':
    case 'G':
      return scroll(-most);
    case 'x': {
      const turn = facts.open?.turn ?? null;
      return turn === null ? only(state) : killed(state, { name: turn.description, turn, task: null });
    }
    case '?':
      return only({ ...state, help: true });
    case 'escape':
    case 'q':
    case 'left':
    case 'return':
      return { state: { ...state, isOpen: false, back: 0 }, ask: { do: 'close' } };
    default:
      return only(state);
  }
}

function inList(state: ScreenState, key: Key, shown: Shown): Pressed {
  const word = wordOf(key);
  const { rows, page } = shown;
  const steps: Readonly<Record<string, number>> = {
    ...{ up: -1, 'ctrl-p': -1, down: 1, 'ctrl-n': 1 },
    ...{ pageup: -page, pagedown: page, ' ': page },
    ...{ home: -rows.length, g: -rows.length, end: rows.length, G: rows.length },
  };
  if (steps[word] !== undefined) return only(moved(state, rows, steps[word]));
  const view = /^[1-4]$/.test(word) ? VIEWS[Number(word) - 1]! : null;
  if (view !== null) return only(shows(state, view));
  switch (word) {
    case 'tab':
    case 'right':
      return only(shows(state, VIEWS[(VIEWS.indexOf(state.view) + 1) % VIEWS.length]!));
    case 'backtab':
    case 'left':
      return only(shows(state, VIEWS[(VIEWS.indexOf(state.view) + VIEWS.length - 1) % VIEWS.length]!));
    case 'q':
      return { state, ask: { do: 'quit' } };
    case '?':
    case 'h':
      return only({ ...state, help: true });
    case '/':
      return asking(state, { kind: 'search', input: { before: state.search, after: '' } });
    case 'f':
      return asking(state, { kind: 'filter', input: { before: state.filter, after: '' } });
    case 'n':
      return asking(state, { kind: 'new', input: EMPTY_INPUT });
    case 'C':
      return only({ ...clearFinished(state, shown.facts), message: { text: 'cleared', isTrouble: false } });
    case 'd':
      return only({ ...state, allDone: !state.allDone });
    case 'escape':
      return only({ ...state, search: '', filter: '' });
    default:
      return onRow(state, word, targetOf(shown.facts, rows, state));
  }
}

const asking = (state: ScreenState, prompt: Prompt): Pressed => only({ ...state, prompt });
const shows = (state: ScreenState, view: View): ScreenState => ({ ...state, view });

function onRow(state: ScreenState, word: string, target: Target | null): Pressed {
  if (target === null) return only(state);
  const { ref, name, turn, chore, question } = target;
  switch (word) {
    case 'return':
      if (question !== null) return answering(state, target);
      if (chore !== null && turn === null) return told(state, `r runs ${name}`);
      return opened(state, { do: 'open', ref: turn?.id ?? ref, name });
    case 'a':
      return question === null ? told(state, `${name} has no open question`) : answering(state, target);
    case 'x':
      return killed(state, target);
    case 'r':
      if (chore !== null) return { state, ask: { do: 'chore', name: chore } };
      if (ref === 'held') return { state, ask: { do: 'release', name } };
      return onTask(state, word, target);
    case 't':
    case 'p':
    case 'c':
      return onTask(state, word, target);
    default:
      return only(state);
  }
}

function onTask(state: ScreenState, word: 'r' | 't' | 'p' | 'c', { ref: of, name, task }: Target): Pressed {
  if (task === null) return told(state, 'no task stands here');
  const ref = task.id ?? of;
  switch (word) {
    case 'r':
      return { state, ask: { do: 'run', ref, name } };
    case 't':
      return opened(state, { do: 'text', ref: of, name });
    case 'p':
      return { state, ask: { do: task.paused ? 'resume' : 'pause', ref, name } };
    case 'c':
      return confirming(state, `Cancel ${name}?`, { do: 'cancel', ref, name });
  }
}

const opened = (state: ScreenState, ask: Ask): Pressed => ({
  state: { ...state, isOpen: true, back: 0 },
  ask,
});
const confirming = (state: ScreenState, text: string, deed: Ask): Pressed =>
  asking(state, { kind: 'confirm', text, deed });

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
    return { state: done, ask: key.text === 'y' || key.text === 'Y' ? prompt.deed : null };
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
