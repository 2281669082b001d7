// Every view, by the first word of the address; and the side bar: where one can go, with what waits there, and how the connection to the
// room stands.
import { computed } from '@preact/signals';
import type { FunctionComponent } from 'preact';
import { addressOf, type Place } from '../address.ts';
import type { Overlay } from '../keys/shortcuts.ts';
import { Button } from '../parts/fields.tsx';
import { Dot } from '../parts/marks.tsx';
import { eventsState } from '../room/live.ts';
import { taskRows, useQuery } from '../room/queries.ts';
import { nextTheme, theme } from '../room/theme.ts';
import { AgentsView } from './agents/agents-view.tsx';
import { BoardView } from './board/board-view.tsx';
import { HistoryView } from './history/history-view.tsx';
import { ListView } from './list/list-view.tsx';
import { NowView } from './now/now-view.tsx';
import { PlansView, PlanView } from './plans/plans-view.tsx';
import { SyncView } from './sync/sync-view.tsx';
import { TaskView } from './task/task-view.tsx';
import { JobView, TurnView } from './turn/turn-view.tsx';

interface View {
  key: string; // The first word of its address.
  title: string;
  Show: FunctionComponent<{ path: readonly string[] }>;
}

export interface LinkedView extends View {
  digit: string; // The key that goes there.
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

export const viewOf = ({ path: [first = 'now'] }: Place): View =>
  [...LINKED, ...DETAILS].find(({ key }) => key === first) ?? LINKED[0]!;

const running = computed(() => taskRows.value.filter((task) => task.running !== null).length);
const CONNECTION = {
  connecting: ['connecting', 'killed'],
  live: ['live', 'completed'],
  lost: ['reconnecting', 'failed'],
} as const;

type SideBarProps = { current: string; views: readonly LinkedView[]; onShow: (overlay: Overlay) => void };

export function SideBar({ current, views, onShow }: SideBarProps) {
  const [text, tone] = CONNECTION[eventsState.value];
  const hint = (name: string, key: string) => (
    <>
      {name} <kbd>{key}</kbd>
    </>
  );
  return (
    <header class="side stack">
      <div class="brand line">
        <a href="#/" class="grow">
          taskroom
        </a>
        <span class="feed small muted" role="status">
          <Dot tone={tone} />
          {text}
        </span>
      </div>
      <Button name="New task" kind="primary" run={() => onShow('new')} />
      <ViewLinks current={current} views={views} />
      <div class="side-foot stack">
        <Button name={hint('Find', 'Ctrl K')} kind="quiet" run={() => onShow('palette')} />
        <Button name={`Theme: ${theme.value}`} kind="quiet" run={nextTheme} />
        <Button name={hint('Keys', '?')} kind="quiet" run={() => onShow('help')} />
      </div>
    </header>
  );
}

function ViewLinks({ current, views }: Pick<SideBarProps, 'current' | 'views'>) {
  const waiting = useQuery('inbox', {}).value?.inbox.length ?? 0;
  const counts: Readonly<Record<string, ReturnType<typeof counted>>> = {
    now: counted(waiting, 'need you', 'attention'),
    agents: counted(running.value, 'running', 'running'),
  };
  return (
    <nav aria-label="Views">
      <ul>
        {views.map(({ key, path, title }) => (
          <li key={key}>
            <a class="line" href={addressOf(path)} aria-current={key === current ? 'page' : undefined}>
              <span class="grow">{title}</span>
              {counts[key]}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function counted(count: number, what: string, tone: string) {
  if (count === 0) return null;
  return (
    <span class={`count tone-${tone}`} title={`${count} ${what}`}>
      {count}
      <span class="unseen">{` ${what}`}</span>
    </span>
  );
}
