// Where one can go, with what waits there, and how the connection to the room stands.
import { computed } from '@preact/signals';
import { addressOf } from '../address.ts';
import type { Overlay } from '../keys/shortcuts.ts';
import { Button } from '../parts/fields.tsx';
import { Dot } from '../parts/marks.tsx';
import { eventsState } from '../room/live.ts';
import { useQuery } from '../room/queries.ts';
import { taskRows } from '../room/task-rows.ts';
import { nextTheme, theme } from '../room/theme.ts';
import type { LinkedView } from './views.tsx';

const running = computed(() => taskRows.value.filter((task) => task.running !== null).length);
const CONNECTION = {
  connecting: ['connecting', 'killed'],
  live: ['live', 'completed'],
  lost: ['reconnecting', 'failed'],
} as const;

interface SideBarProps {
  current: string;
  views: readonly LinkedView[];
  onShow: (overlay: Overlay) => void;
}

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
