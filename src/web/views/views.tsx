// Every view, by the first word of the address.
import type { FunctionComponent } from 'preact';
import type { Place } from '../address.ts';
import { useQuery } from '../room/queries.ts';
import { AgentsView } from './agents/agents-view.tsx';
import { BoardView } from './board/board-view.tsx';
import { HistoryView } from './history/history-view.tsx';
import { ListView } from './list/list-view.tsx';
import { NowView } from './now/now-view.tsx';
import { PlanView } from './plans/plan-view.tsx';
import { PlansView } from './plans/plans-view.tsx';
import { SyncView } from './sync/sync-view.tsx';
import { TaskView } from './task/task-view.tsx';
import { JobView, TurnView } from './turn/turn-view.tsx';

interface View {
  /** The first word of its address. */
  key: string;
  title: string;
  Show: FunctionComponent<{ path: readonly string[] }>;
}

export interface LinkedView extends View {
  /** The key that goes there. */
  digit: string;
  path: readonly string[];
}

const LINKED: readonly View[] = [
  { key: 'now', title: 'Now', Show: NowView },
  { key: 'board', title: 'Board', Show: BoardView },
  { key: 'list', title: 'List', Show: ListView },
  { key: 'agents', title: 'Agents', Show: AgentsView },
  { key: 'sync', title: 'Sync', Show: SyncView },
  { key: 'history', title: 'History', Show: HistoryView },
  { key: 'plans', title: 'Plans', Show: PlansView },
];

/** Those of the side bar; plans only where there are some. */
export function useLinkedViews(): LinkedView[] {
  const plans = useQuery('listPlans', {}).value;
  const hasPlans = plans !== null && plans.plans.length + plans.invalid.length > 0;
  return LINKED.filter(({ key }) => hasPlans || key !== 'plans').map((view, at) => ({
    ...view,
    digit: String(at + 1),
    path: at === 0 ? [] : [view.key],
  }));
}

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
