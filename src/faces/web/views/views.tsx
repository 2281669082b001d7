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
import { JobView } from './turn/job-view.tsx';
import { TurnView } from './turn/turn-view.tsx';

export interface View {
  key: string;
  title: string;
  /** Of the key that goes there; null for what is reached from others. */
  digit: number | null;
  Show: FunctionComponent<{ path: readonly string[] }>;
}

export const VIEWS: readonly View[] = [
  { key: 'now', title: 'Now', digit: 1, Show: NowView },
  { key: 'board', title: 'Board', digit: 2, Show: BoardView },
  { key: 'list', title: 'List', digit: 3, Show: ListView },
  { key: 'agents', title: 'Agents', digit: 4, Show: AgentsView },
  { key: 'chores', title: 'Chores', digit: 5, Show: ChoresView },
  { key: 'mirrors', title: 'Mirrors', digit: 6, Show: MirrorsView },
  { key: 'figures', title: 'Figures', digit: 7, Show: FiguresView },
  { key: 'history', title: 'History', digit: 8, Show: HistoryView },
  { key: 'plans', title: 'Plans', digit: 9, Show: PlansView },
  { key: 'plan', title: 'Plan', digit: null, Show: PlanView },
  { key: 'job', title: 'Command', digit: null, Show: JobView },
  { key: 'task', title: 'Task', digit: null, Show: TaskView },
  { key: 'turn', title: 'Turn', digit: null, Show: TurnView },
];

export function viewOf({ path: [first = 'now'] }: Place): View {
  return VIEWS.find(({ key }) => key === first) ?? VIEWS[0]!;
}
