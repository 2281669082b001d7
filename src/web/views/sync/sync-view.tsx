// What goes between the room and trackers, and what runs by a schedule: chores, mirrors, and conflicts with both texts. A conflict is
// settled once: when either text is another by then, the server refuses and both are shown anew.
import { useState } from 'preact/hooks';
import { defined } from '../../../core/plain-data.ts';
import { addressOf, place, setQuery } from '../../address.ts';
import type { Chore, Mirror } from '../../api/calls.ts';
import { Answered, CardRow, Count, Empty, Head, InvalidFiles, Section, Tabs } from '../../parts/blocks.tsx';
import { DiffText } from '../../parts/diff-text.tsx';
import { Button } from '../../parts/fields.tsx';
import { Mark, When } from '../../parts/marks.tsx';
import { VirtualRows } from '../../parts/virtual-rows.tsx';
import { act } from '../../room/actions.ts';
import { useDraft } from '../../room/drafts.ts';
import { nameOfTask, useQuery } from '../../room/queries.ts';

export function SyncView() {
  const query = useQuery('listChores', {});
  const mirrors = useQuery('listMirrors', {});
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
      <Answered query={mirrors}>{({ mirrors: all }) => <MirrorList mirrors={all} />}</Answered>
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

function MirrorList({ mirrors }: { mirrors: readonly Mirror[] }) {
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

type CardProps = { mirror: Mirror; conflict: Mirror['conflicts'][number] };

function ConflictCard({ mirror: { provider, ref, name, task }, conflict }: CardProps) {
  const { id, field, standing, lost, lost_side: lostSide, version, at } = conflict;
  const own = useDraft<string>(`conflict ${id}`);
  const [isBusy, setBusy] = useState(false);
  const settle = async (take: 'standing' | 'lost' | 'own') => {
    setBusy(true);
    const text = take === 'own' ? own.value! : undefined;
    const wish = { ref: task, conflict: id, take, version, ...defined({ text }) };
    if (await act('The conflict is settled', 'settle', wish)) own.discard();
    setBusy(false);
  };
  const [there, here] = [`From ${provider} ${ref}`, 'In the task’s file'];
  const isLostHere = lostSide === 'local';
  return (
    <article
      class="card edge tone-accent conflict stack"
      aria-label={`Conflict over the ${field} of ${nameOfTask(task, name)}`}
    >
      <p>
        <a href={addressOf(['task', task])}>
          <bdi>{nameOfTask(task, name)}</bdi>
        </a>{' '}
        · <strong>{field}</strong> ·{' '}
        <span class="muted">
          <When at={at} />
        </span>
      </p>
      <DiffText
        from={standing}
        to={lost}
        names={[`${isLostHere ? there : here}: stands now`, isLostHere ? `${here} before` : there]}
      />
      {own.value === null ? (
        <div class="wrap">
          <Button name="Keep what stands" kind="primary" disabled={isBusy} run={() => settle('standing')} />
          <Button name="Take the other" disabled={isBusy} run={() => settle('lost')} />
          <Button name="Edit …" kind="quiet" run={() => own.keep(standing)} />
        </div>
      ) : (
        <div class="fields stack">
          <label>
            A text of your own
            <textarea
              rows={6}
              value={own.value}
              onInput={({ currentTarget }) => own.keep(currentTarget.value)}
            />
          </label>
          <footer>
            <Button name="Discard" run={own.discard} />
            <Button name="Use this text" kind="primary" disabled={isBusy} run={() => settle('own')} />
          </footer>
        </div>
      )}
    </article>
  );
}
