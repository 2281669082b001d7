// Where one can go, with what waits there, and how the connection to the room stands.

import { computed } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { addressOf } from '../address.ts';
import { at } from '../api/calls.ts';
import { feedState } from '../room/live.ts';
import { useResource } from '../room/resource.ts';
import { taskRows } from '../room/task-rows.ts';
import { nextTheme, theme } from '../room/theme.ts';
import { VIEWS } from './views.tsx';

const running = computed(() => taskRows.value.filter((task) => task.running !== null).length);
const FEED_WORDS = { connecting: 'connecting', live: 'live', lost: 'reconnecting' } as const;

export function SideBar({
  current,
  onNew,
  onHelp,
}: {
  current: string;
  onNew: () => void;
  onHelp: () => void;
}) {
  return (
    <header class="side">
      <div class="brand">
        <a href="#/">taskroom</a>
        <span class={`feed feed-${feedState.value}`} role="status">
          {FEED_WORDS[feedState.value]}
        </span>
      </div>
      <button type="button" class="primary new-task" onClick={onNew}>
        New task
      </button>
      <ViewLinks current={current} />
      <div class="side-foot">
        <button type="button" class="quiet" onClick={nextTheme}>
          Theme: {theme.value}
        </button>
        <button type="button" class="quiet" onClick={onHelp}>
          Keys <kbd>?</kbd>
        </button>
      </div>
    </header>
  );
}

function ViewLinks({ current }: { current: string }) {
  const inbox = useResource(at('inbox', {}), ['inbox']);
  const waiting = inbox.value?.inbox.length ?? 0;
  const bar = useRef<HTMLElement>(null);
  // On a narrow screen the bar is longer than the screen is wide.
  useEffect(() => {
    bar.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [current]);
  return (
    <nav aria-label="Views" ref={bar}>
      <ul>
        {VIEWS.filter(({ digit }) => digit !== null).map(({ key, title }) => (
          <li key={key}>
            <a
              href={addressOf(key === 'now' ? [] : [key])}
              aria-current={key === current ? 'page' : undefined}
            >
              {title}
              {key === 'now' && waiting > 0 ? (
                <span class="count attention" title={`${waiting} need you`}>
                  {waiting}
                  <span class="unseen"> need you</span>
                </span>
              ) : null}
              {key === 'agents' && running.value > 0 ? (
                <span class="count running" title={`${running.value} running`}>
                  {running.value}
                  <span class="unseen"> running</span>
                </span>
              ) : null}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
