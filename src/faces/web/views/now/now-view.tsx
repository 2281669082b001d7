// The first screen: which agents run and on what, what needs the person, what ended, and what ended without a word.

import { computed } from '@preact/signals';
import { addressOf } from '../../address.ts';
import { at } from '../../api/calls.ts';
import type { RoomStatus, Status } from '../../api/shapes.ts';
import { statusName, toneOf } from '../../parts/marks.tsx';
import { Empty, Failed, Loading } from '../../parts/states.tsx';
import { sayCost, sayCount } from '../../parts/time-words.ts';
import { useResource } from '../../room/resource.ts';
import { invalidFiles, rowsReadAt, taskRows } from '../../room/task-rows.ts';
import { isLive, JobList } from '../turn/job-list.tsx';
import { EndedList } from './ended-list.tsx';
import { InboxList } from './inbox-list.tsx';
import { RunningList } from './running-list.tsx';
import { SilentList } from './silent-list.tsx';

const ENDED_SHOWN = 12;

const counts = computed(() => {
  const found: Record<Status, number> = { draft: 0, todo: 0, doing: 0, done: 0, canceled: 0 };
  for (const { status } of taskRows.value) found[status] += 1;
  return found;
});
const silent = computed(() => taskRows.value.filter((task) => task.nothing_written));

export function NowView() {
  const inbox = useResource(at('inbox', {}), ['inbox']);
  const running = useResource(at('listTurns', { state: 'running', limit: 200 }), ['turns']);
  const recent = useResource(at('listTurns', { limit: ENDED_SHOWN + 20 }), ['turns']);
  const status = useResource(at('status', {}), ['status']);
  const ended = (recent.value?.turns ?? []).filter(({ state }) => state !== 'running').slice(0, ENDED_SHOWN);
  const failed = inbox.error ?? running.error;
  return (
    <div class="now">
      <header class="view-head">
        <h1>Now</h1>
        <Counts today={status.value?.today ?? null} />
      </header>
      {failed !== null && failed.status !== 401 && failed.status !== 0 ? <Failed error={failed} /> : null}
      <div class="now-columns">
        <div>
          <section aria-labelledby="running">
            <h2 id="running">
              Running <Count of={running.value?.turns.length} />
            </h2>
            <RunningList turns={running.value?.turns ?? null} places={status.value?.places} />
          </section>
          <LiveJobs />
          {silent.value.length === 0 ? null : (
            <section aria-labelledby="silent">
              <h2 id="silent">
                Ended silently <Count of={silent.value.length} />
              </h2>
              <SilentList tasks={silent.value} />
            </section>
          )}
          <section aria-labelledby="ended">
            <h2 id="ended">Ended lately</h2>
            {ended.length === 0 ? (
              <Empty title="No turn has ended yet">A turn is one attempt of an agent at a task.</Empty>
            ) : (
              <EndedList turns={ended} />
            )}
          </section>
        </div>
        <section aria-labelledby="inbox">
          <h2 id="inbox">
            Needs you <Count of={inbox.value?.inbox.length} />
          </h2>
          {inbox.value === null ? <Loading /> : <InboxList items={inbox.value.inbox} />}
        </section>
      </div>
    </div>
  );
}

function LiveJobs() {
  const { value } = useResource(at('listJobs', {}), ['jobs', 'turns']);
  const live = (value?.jobs ?? []).filter(isLive);
  if (live.length === 0) return null;
  return (
    <section aria-labelledby="jobs">
      <h2 id="jobs">
        In the background <Count of={live.length} />
      </h2>
      <JobList jobs={live} />
    </section>
  );
}

function Count({ of }: { of: number | undefined }) {
  return of === undefined || of === 0 ? null : <span class="count">{of}</span>;
}

function Counts({ today }: { today: RoomStatus['today'] | null }) {
  if (rowsReadAt.value === null) return null;
  const shown = (['todo', 'doing', 'done', 'canceled', 'draft'] as const).filter(
    (status) => counts.value[status] > 0,
  );
  const cost = sayCost(today?.cost_usd);
  return (
    <ul class="totals" aria-label="The room in numbers">
      {shown.map((status) => (
        <li key={status}>
          <a href={addressOf(['list'], { status })}>
            <span class={`dot tone-${toneOf(status)}`} aria-hidden="true" />
            {sayCount(counts.value[status])} {statusName(status).toLowerCase()}
          </a>
        </li>
      ))}
      {invalidFiles.value.length === 0 ? null : (
        <li>
          <span class="dot tone-failed" aria-hidden="true" />
          {invalidFiles.value.length} unreadable
        </li>
      )}
      {today === null ? null : (
        <li>
          today {sayCount(today.turns)} {today.turns === 1 ? 'turn' : 'turns'}
          {cost === null ? '' : `, ${cost}`}
        </li>
      )}
    </ul>
  );
}
