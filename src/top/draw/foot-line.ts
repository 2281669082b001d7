// The last line: what is being typed, else what came of the last key, else the keys that do something here.
import { cleanLine, displayWidth, truncate } from '../../cli/lines/display-text.ts';
import { hintsOf } from '../model/keymap.ts';
import type { Prompt, RoomFacts, ScreenState } from '../model/screen-state.ts';
import { line, type Part, type Style, wrapWords } from './styled.ts';

interface Foot {
  lines: string[]; // One; of a message as many as it takes.
  column: number | null; // Of what is typed; null where nothing is.
}

export function footLine(state: ScreenState, facts: RoomFacts, style: Style): Foot {
  const { prompt, message } = state;
  if (prompt !== null) return promptLine(prompt, style);
  if (message === null) return { lines: [hintLine(state, facts, style)], column: null };
  const { text, isTrouble } = message;
  // A message may name a command on its last line: it stands whole there.
  const lines = text.split('\n').flatMap((part) => wrapWords(part, style.columns));
  return { lines: lines.map((part) => line(style, [part, isTrouble ? 'red' : 'green'])), column: null };
}

/** The first hints, and always the last two, as far as there is room. */
function hintLine(state: ScreenState, facts: RoomFacts, style: Style): string {
  const shown = hintsOf(state, facts);
  const width = () => shown.reduce((sum, [key, what]) => sum + displayWidth(key) + what.length + 3, -2);
  while (shown.length > 3 && width() > style.columns) shown.splice(-3, 1);
  const parts = shown.flatMap(([key, what], at): Part[] => [
    at === 0 ? '' : '  ',
    [key, 'bold'],
    [` ${what}`, 'dim'],
  ]);
  return line(style, ...parts);
}

const LABELS = { search: '/', filter: 'filter: ', new: 'new task: ' } as const;

function promptLine(prompt: Prompt, style: Style): Foot {
  if (prompt.kind === 'confirm') {
    const keys: Part[] = ['  ', ['y', 'bold'], ' yes  ', ['any other key', 'dim'], ' no'];
    return { lines: [line(style, [prompt.text, 'bold'], ...keys)], column: null };
  }
  const label = labelOf(prompt, style.columns);
  const before = cleanLine(prompt.input.before.slice(-1000));
  const after = cleanLine(prompt.input.after);
  const shown = lastCells(before, Math.max(1, style.columns - displayWidth(label) - 1));
  const column = displayWidth(label) + displayWidth(shown);
  const rest = truncate(after, Math.max(0, style.columns - column));
  const isEmpty = before + after === '';
  const hint = prompt.kind === 'filter' && isEmpty ? '@agent #label status:todo due:<friday word' : '';
  return { lines: [line(style, [label, 'bold'], shown, rest, [hint, 'dim'])], column };
}

/** The question stays in sight while it is answered, as far as half of the line goes. */
function labelOf(prompt: Exclude<Prompt, { kind: 'confirm' }>, columns: number): string {
  if (prompt.kind !== 'answer' && prompt.kind !== 'comment') return LABELS[prompt.kind];
  const about = prompt.kind === 'answer' ? prompt.asked : `comment on ${prompt.name}`;
  return `${truncate(cleanLine(about), Math.max(8, Math.floor(columns / 2)))} › `;
}

/** The end of a text that takes at most so many cells. */
function lastCells(text: string, cells: number): string {
  let shown = text;
  while (displayWidth(shown) > cells) shown = shown.slice(shown.codePointAt(0)! > 0xffff ? 2 : 1);
  return shown;
}
