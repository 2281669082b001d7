// The top of the screen: how far the room is, what runs, what needs the person, how changes are heard of; below it the views.
import type { Color } from '../../cli/paint.ts';
import type { RoomFacts } from '../model/room-facts.ts';
import { countTasks } from '../model/rows.ts';
import { type ScreenState, VIEWS, type View } from '../model/screen-state.ts';
import { line, lineWithEnd, type Part, type Style, widthOf } from './styled.ts';

const BAR_CELLS = 16;
const TITLES: Readonly<Record<View, string>> = {
  room: 'Room',
  inbox: 'Inbox',
  turns: 'Turns',
  chores: 'Chores',
};

export function headLines(
  { facts, state, size }: { facts: RoomFacts; state: ScreenState; size: { rows: number } },
  style: Style,
): string[] {
  const first = lineWithEnd(style, glance(facts, state, style.columns), linkPart(facts));
  const second = lineWithEnd(style, tabs(facts, state, style.columns), narrowing(state));
  const blank = size.rows >= 14 ? [''] : [];
  if (facts.trouble !== null) return [first, second, line(style, ['! ', 'red'], [facts.trouble, 'red'])];
  return [first, second, ...blank];
}

function glance(facts: RoomFacts, state: ScreenState, columns: number): Part[] {
  const { done, all, silent } = countTasks(facts, state);
  const share = all === 0 ? 0 : done / all;
  const full = Math.floor(share * BAR_CELLS);
  const bar: Part[] =
    columns < 70
      ? []
      : [
          ' ',
          ['█'.repeat(full), 'green'],
          ['░'.repeat(BAR_CELLS - full), 'dim'],
          ` ${Math.floor(share * 100)} %`,
        ];
  const name = state.scope === null ? facts.name : `${facts.name}: ${state.scope}`;
  const need = facts.inbox.length === 1 && columns >= 60 ? 'needs you' : 'need you';
  const counts = [
    ...count(facts.running.length, 'running', 'blue'),
    ...count(facts.inbox.length, need, 'yellow'),
    ...count(silent, 'silent', 'magenta'),
  ];
  if (facts.workers === 0) counts.push('  ', ['no worker', 'red']);
  else counts.push(...count(facts.workers ?? 0, facts.workers === 1 ? 'worker' : 'workers', 'green'));
  const tasks: Part = [`Tasks ${done}/${all}`, 'bold'];
  // How changes are heard of stands at the end: the bar makes room for that.
  const isWide = widthOf([tasks, ...bar, ...counts]) + 8 > columns;
  const parts = [tasks, ...(isWide ? [] : bar), ...counts];
  return widthOf(parts) + name.length + 10 > columns ? parts : [[name, 'dim'], '  ', ...parts];
}

function count(number: number, what: string, color: Color): Part[] {
  return number === 0 ? [] : ['  ', [`${number} ${what}`, color]];
}

function linkPart({ link }: RoomFacts): Part[] {
  if (link === 'live') return [['● live', 'green']];
  return link === 'lost' ? [['○ lost', 'red']] : [['○ files', 'yellow']];
}

function tabs(facts: RoomFacts, state: ScreenState, columns: number): Part[] {
  const counts: Partial<Record<View, number>> = { inbox: facts.inbox.length, turns: facts.running.length };
  return VIEWS.flatMap((view, at): Part[] => {
    const number = columns < 60 ? 0 : (counts[view] ?? 0);
    const text = ` ${at + 1} ${TITLES[view]}${number === 0 ? '' : ` ${number}`} `;
    if (view !== state.view) return [[text, 'dim']];
    return [[text, 'inverse', 'bold']];
  });
}

function narrowing({ search, filter }: ScreenState): Part[] {
  const said = (label: string, text: string): Part[] =>
    text === ''
      ? []
      : [
          [label, 'dim'],
          [text, 'cyan'],
        ];
  return [...said('filter ', filter), ...said(' / ', search)];
}
