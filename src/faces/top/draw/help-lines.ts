// What each key does.
import { cell, line, type Style } from './styled.ts';

const KEYS: readonly (readonly [key: string, what: string])[] = [
  ['↑ ↓ PgUp PgDn', 'move'],
  ['1 2 3 4, Tab', 'room, inbox, turns, chores'],
  ['Enter', 'follow the turn, answer the question, read the task'],
  ['t', "read the task's file"],
  ['r', 'run now; in chores: run the chore'],
  ['p', 'pause, or resume'],
  ['c', 'cancel the task (asks first)'],
  ['x', 'kill the running turn (asks first)'],
  ['a', 'answer the open question'],
  ['n', 'new task'],
  ['/', 'search names and titles'],
  ['f', 'filter: @agent #label status:todo sprint:12 word'],
  ['d', 'show all that is done, or the newest'],
  ['C', 'clear finished tasks away from this screen'],
  ['Esc', 'back; no search, no filter'],
  ['Ctrl-Z Ctrl-L', 'suspend; draw anew'],
  ['q, Ctrl-C', 'quit: the room goes on'],
];
const SIGNS =
  '☐ todo  ⠋ runs  ✓ done  ▸ blocked  ? asks you  ⏸ paused  ✎ draft  ✗ canceled or failed  ■ killed';
const KEY_CELLS = 14;

export function helpLines(style: Style, page: number): string[] {
  const lines = KEYS.map(([key, what]) => line(style, '  ', [cell(key, KEY_CELLS), 'bold'], '  ', what));
  if (page > KEYS.length + 1) lines.push('', line(style, '  ', [SIGNS, 'dim']));
  return lines;
}
