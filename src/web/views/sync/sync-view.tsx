// What goes between the room and trackers, and what runs by a schedule: conflicts, chores, mirrors.
import { addressOf } from '../../address.ts';
import type { Chore } from '../../api/shapes.ts';
import { CardRow, Head, Section } from '../../parts/blocks.tsx';
import { Button } from '../../parts/fields.tsx';
import { Mark } from '../../parts/marks.tsx';
import { Answered, Empty, InvalidFiles } from '../../parts/states.tsx';
import { When } from '../../parts/times.tsx';
import { act } from '../../room/actions.ts';
import { useQuery } from '../../room/queries.ts';
import { MirrorList } from './mirror-list.tsx';

export function SyncView() {
  const query = useQuery('listChores', {});
  return (
    <div class="stack far">
      <Head title="Sync">
        <Button name="Sync all now" run={() => act('Synced', 'sync', {})} />
      </Head>
      <Section title="Chores">
        <Answered query={query}>
          {({ chores, invalid }) => (
            <>
              <InvalidFiles files={invalid} />
              {chores.length === 0 && (
                <Empty title="No chore yet">
                  A chore is a file in chores/: a schedule, and a mirror to sync or a prompt to run.
                </Empty>
              )}
              <ul class="stack">
                {chores.map((chore) => (
                  <ChoreRow key={chore.path} chore={chore} />
                ))}
              </ul>
            </>
          )}
        </Answered>
      </Section>
      <MirrorList />
    </div>
  );
}

function ChoreRow({ chore }: { chore: Chore }) {
  const { name, kind, source, schedule, result, stopped } = chore;
  const verb = kind === 'mirror' ? 'Sync now' : 'Run now';
  const button = {
    ...{ name: verb, label: `${verb}: ${name}`, disabled: chore.running, isStop: true },
    run: () => act(`${name} runs`, 'runChore', { name }),
  };
  return (
    <CardRow
      name={name}
      facts={`${kind}${source === null ? '' : ` of ${source}`} · ${schedule ?? 'only when asked'}`}
      side={
        <>
          <When at={chore.next_at} prefix="next " />
          <Button {...button} />
        </>
      }
    >
      <span class="below wrap">
        <ChoreState chore={chore} />
        {result === null ? <span class="muted">never ran</span> : <bdi>{result.message}</bdi>}
        <span class="muted">{result && <When at={chore.ended_at} />}</span>
        {result?.turn && <a href={addressOf(['turn', result.turn])}>its turn</a>}
      </span>
      {stopped === null ? null : <span class="note tone-failed">{`stands still: ${stopped}`}</span>}
    </CardRow>
  );
}

function ChoreState({ chore: { running, pending, paused, result, failures } }: { chore: Chore }) {
  if (running) return <Mark tone="running" text="running" />;
  if (pending) return <Mark tone="pending" text="queued" />;
  if (paused) return <Mark tone="killed" text="paused" />;
  if (result === null) return null;
  if (result.ok) return <Mark tone="completed" text="ok" />;
  return <Mark tone="failed" text={`failed${failures > 1 ? ` ${failures} times` : ''}`} />;
}
