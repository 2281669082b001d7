// The mirrors: which task is which issue, how the two stand, and conflicts with both texts.

import { addressOf, place, setQuery } from '../../address.ts';
import { at, change } from '../../api/calls.ts';
import type { Mirror } from '../../api/shapes.ts';
import { Empty, Failed, Loading } from '../../parts/states.tsx';
import { When } from '../../parts/times.tsx';
import { VirtualRows } from '../../parts/virtual-rows.tsx';
import { act } from '../../room/actions.ts';
import { useResource } from '../../room/resource.ts';
import { ConflictCard } from './conflict-card.tsx';

const ROW_PX = 44;
const STATES = ['conflict', 'error', 'untrusted', 'detached', 'pending', 'in_sync'] as const;
const STATE_NAMES: Readonly<Record<Mirror['state'], string>> = {
  conflict: 'conflict',
  error: 'refused upstream',
  untrusted: 'waits for trust',
  detached: 'detached',
  pending: 'to be sent',
  in_sync: 'in sync',
};
const TONES: Readonly<Record<Mirror['state'], string>> = {
  conflict: 'attention',
  error: 'failed',
  untrusted: 'attention',
  detached: 'killed',
  pending: 'pending',
  in_sync: 'completed',
};

export function MirrorsView() {
  const { value, error, again } = useResource(at('listMirrors', {}), ['mirrors']);
  if (error !== null && value === null) return <Failed error={error} />;
  if (value === null) return <Loading />;
  const { mirrors } = value;
  const asked = place.value.query.get('state');
  const state = STATES.find((each) => each === asked) ?? null;
  const shown = state === null ? mirrors : mirrors.filter((mirror) => mirror.state === state);
  const conflicts = mirrors.flatMap((mirror) =>
    (mirror.conflicts ?? []).map((conflict) => ({ mirror, conflict })),
  );
  return (
    <div class="list-view">
      <header class="view-head">
        <h1>Mirrors</h1>
        <StateTabs mirrors={mirrors} state={state} />
        <button type="button" onClick={() => void act('Synced', change('sync', {})).then(again)}>
          Sync all now
        </button>
      </header>
      {conflicts.length === 0 ? null : (
        <section aria-labelledby="conflicts" class="conflicts">
          <h2 id="conflicts">
            Conflicts <span class="count attention">{conflicts.length}</span>
          </h2>
          {conflicts.map(({ mirror, conflict }) => (
            <ConflictCard key={conflict.id} mirror={mirror} conflict={conflict} onSettled={again} />
          ))}
        </section>
      )}
      {mirrors.length === 0 ? (
        <Empty title="No task mirrors an issue">
          A chore of the kind mirror brings the issues of a tracker here and keeps both sides the same.
        </Empty>
      ) : (
        <VirtualRows
          items={shown}
          rowPx={ROW_PX}
          keyOf={({ provider, ref }) => `${provider}:${ref}`}
          label="Mirrors"
          row={(mirror) => <MirrorRow mirror={mirror} />}
        />
      )}
    </div>
  );
}

function StateTabs({ mirrors, state }: { mirrors: readonly Mirror[]; state: string | null }) {
  const counts = Map.groupBy(mirrors, (mirror) => mirror.state);
  return (
    <div class="tabs" role="group" aria-label="Show only">
      {STATES.filter((each) => counts.has(each)).map((each) => (
        <button
          key={each}
          type="button"
          class="quiet"
          aria-pressed={state === each}
          onClick={() => setQuery({ state: state === each ? null : each })}
        >
          {STATE_NAMES[each]} <span class="count">{counts.get(each)!.length}</span>
        </button>
      ))}
    </div>
  );
}

function MirrorRow({ mirror }: { mirror: Mirror }) {
  const { provider, ref, state, message, name, task } = mirror;
  return (
    <a class="list-row" data-stop href={addressOf(['task', task])}>
      <span class={`mark tone-${TONES[state]}`}>{STATE_NAMES[state]}</span>
      <bdi class="list-name">{name ?? task}</bdi>
      <bdi class="list-signs muted">
        {provider}:{ref}
      </bdi>
      <span class="list-facts muted">
        {message === null ? null : <bdi class="mirror-message">{message}</bdi>}
        {mirror.waiting > 0 ? <span>{mirror.waiting} to send</span> : null}
        <When at={mirror.synced_at} />
      </span>
    </a>
  );
}
