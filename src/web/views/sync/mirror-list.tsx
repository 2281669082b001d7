// The mirrors: which task is which issue, how the two stand, and conflicts with both texts.

import { addressOf, place, setQuery } from '../../address.ts';
import type { Mirror } from '../../api/shapes.ts';
import { Count, Section, Tabs } from '../../parts/blocks.tsx';
import { Mark } from '../../parts/marks.tsx';
import { Answered, Empty } from '../../parts/states.tsx';
import { When } from '../../parts/times.tsx';
import { VirtualRows } from '../../parts/virtual-rows.tsx';
import { useQuery } from '../../room/queries.ts';
import { nameOfTask } from '../../room/task-rows.ts';
import { ConflictCard } from './conflict-card.tsx';

type State = Mirror['state'];

const ROW_PX = 44;
/** The most pressing first. */
const STATES: Readonly<Record<State, readonly [name: string, tone: string]>> = {
  conflict: ['conflict', 'attention'],
  error: ['refused upstream', 'failed'],
  untrusted: ['waits for trust', 'attention'],
  detached: ['detached', 'killed'],
  pending: ['to be sent', 'pending'],
  in_sync: ['in sync', 'completed'],
};

export function MirrorList() {
  const query = useQuery('listMirrors', {});
  return <Answered query={query}>{({ mirrors }) => <ShownMirrors mirrors={mirrors} />}</Answered>;
}

function ShownMirrors({ mirrors }: { mirrors: readonly Mirror[] }) {
  const states = Map.groupBy(mirrors, ({ state }) => state);
  const keys = (Object.keys(STATES) as State[]).filter((state) => states.has(state));
  const chosen = keys.find((state) => state === place.value.query.get('state')) ?? null;
  const conflicts = mirrors.flatMap((mirror) => mirror.conflicts.map((conflict) => ({ mirror, conflict })));
  const tabs = (
    <Tabs
      label="Show only"
      tabs={keys.map((key) => [
        key,
        <>
          {STATES[key][0]} <Count of={states.get(key)!.length} />
        </>,
      ])}
      chosen={chosen}
      onChoose={(state) => setQuery({ state: state === chosen ? null : state })}
    />
  );
  return (
    <>
      {conflicts.length > 0 && (
        <Section title="Conflicts" beside={<Count of={conflicts.length} tone="attention" />} class="stack">
          {conflicts.map(({ mirror, conflict }) => (
            <ConflictCard key={conflict.id} mirror={mirror} conflict={conflict} />
          ))}
        </Section>
      )}
      <Section title="Mirrors" beside={tabs} class="mirrors stack">
        {mirrors.length === 0 ? (
          <Empty title="No task mirrors an issue">
            A chore of the kind mirror brings the issues of a tracker here and keeps both sides the same.
          </Empty>
        ) : (
          <VirtualRows
            items={chosen === null ? mirrors : states.get(chosen)!}
            rowPx={ROW_PX}
            keyOf={({ provider, ref }) => `${provider}:${ref}`}
            label="Mirrors"
            row={(mirror) => <MirrorRow mirror={mirror} />}
          />
        )}
      </Section>
    </>
  );
}

function MirrorRow({ mirror }: { mirror: Mirror }) {
  const { provider, ref, state, message, name, task, waiting, synced_at: syncedAt } = mirror;
  const [said, tone] = STATES[state];
  return (
    <a class="mirror-row" data-stop data-task={task} href={addressOf(['task', task])}>
      <Mark tone={tone} text={said} />
      <bdi class="cut">{nameOfTask(task, name)}</bdi>
      <bdi class="list-signs line muted">{`${provider}:${ref}`}</bdi>
      <span class="list-facts line muted">
        {message && state !== 'conflict' && <bdi class="cut">{message}</bdi>}
        {waiting > 0 && <span>{`${waiting} to send`}</span>}
        <When at={syncedAt} />
      </span>
    </a>
  );
}
