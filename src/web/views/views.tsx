// Every view, by the first word of the address.
import type { FunctionComponent } from 'preact';
import type { Place } from '../address.ts';
import { AgentsView } from './agents/agents-view.tsx';
import { BoardView } from './board/board-view.tsx';
import { ChoresView } from './chores/chores-view.tsx';
import { FiguresView } from './figures/figures-view.tsx';
import { HistoryView } from './history/history-view.tsx';
import { ListView } from './list/list-view.tsx';
import { MirrorsView } from './mirrors/mirrors-view.tsx';
import { NowView } from './now/now-view.tsx';
import { PlanView } from './plans/plan-view.tsx';
import { PlansView } from './plans/plans-view.tsx';
import { TaskView } from './task/task-view.tsx';
import { JobView, TurnView } from './turn/turn-view.tsx';

export interface View {
  /** The first word of its address. */
  key: string;
  title: string;
  Show: FunctionComponent<{ path: readonly string[] }>;
}

const LINKED: readonly View[] = [
  { key: 'now', title: 'Now', Show: NowView },
  { key: 'board', title: 'Board', Show: BoardView },
  { key: 'list', title: 'List', Show: ListView },
  { key: 'agents', title: 'Agents', Show: AgentsView },
  { key: 'chores', title: 'Chores', Show: ChoresView },
  { key: 'mirrors', title: 'Mirrors', Show: MirrorsView },
  { key: 'figures', title: 'Figures', Show: FiguresView },
  { key: 'history', title: 'History', Show: HistoryView },
  { key: 'plans', title: 'Plans', Show: PlansView },
];
/** Those of the side bar, with the key that goes there. */
export const LINKED_VIEWS = LINKED.map((view, at) => ({
  ...{ ...view, digit: String(at + 1), path: at === 0 ? [] : [view.key] },
}));
/** What is reached from others. */
const DETAILS: readonly View[] = [
  { key: 'plan', title: 'Plan', Show: PlanView },
  { key: 'job', title: 'Command', Show: JobView },
  { key: 'task', title: 'Task', Show: TaskView },
  { key: 'turn', title: 'Turn', Show: TurnView },
];

export function viewOf({ path: [first = 'now'] }: Place): View {
  return [...LINKED, ...DETAILS].find(({ key }) => key === first) ?? LINKED[0]!;
}
