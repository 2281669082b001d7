// Where one can go, with what waits there, and how the connection to the room stands.
import { computed } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { addressOf } from '../address.ts';
import { Button } from '../parts/fields.tsx';
import { Dot } from '../parts/marks.tsx';
import { feedState } from '../room/live.ts';
import { useQuery } from '../room/queries.ts';
import { taskRows } from '../room/task-rows.ts';
import { nextTheme, theme } from '../room/theme.ts';
import { LINKED_VIEWS } from './views.tsx';

const running = computed(() => taskRows.value.filter((task) => task.running !== null).length);
const FEED = {
  connecting: ['connecting', 'killed'],
  live: ['live', 'completed'],
  lost: ['reconnecting', 'failed'],
} as const;

interface SideBarProps {
  current: string;
  onNew: () => void;
  onHelp: () => void;
}

export function SideBar({ current, onNew, onHelp }: SideBarProps) {
  const [text, tone] = FEED[feedState.value];
  const keys = (
    <>
      Keys <kbd>?</kbd>
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
      <Button name="New task" kind="primary" run={onNew} />
      <ViewLinks current={current} />
      <div class="side-foot stack">
        <Button name={`Theme: ${theme.value}`} kind="quiet" run={nextTheme} />
        <Button name={keys} kind="quiet" run={onHelp} />
      </div>
    </header>
  );
}

function ViewLinks({ current }: { current: string }) {
  const waiting = useQuery('inbox', {}).value?.inbox.length ?? 0;
  const bar = useRef<HTMLElement>(null);
  // On a narrow screen the bar is longer than the screen is wide.
  useEffect(() => {
    bar.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [current]);
  const counts: Readonly<Record<string, ReturnType<typeof counted>>> = {
    now: counted(waiting, 'need you', 'attention'),
    agents: counted(running.value, 'running', 'running'),
  };
  return (
    <nav aria-label="Views" ref={bar}>
      <ul>
        {LINKED_VIEWS.map(({ key, path, title }) => (
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
