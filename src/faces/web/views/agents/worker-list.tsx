// The workers on other machines that take the room's turns; nothing in a room that runs its turns itself.

import { at } from '../../api/calls.ts';
import type { Worker } from '../../api/shapes.ts';
import { When } from '../../parts/times.tsx';
import { useResource } from '../../room/resource.ts';

export function WorkerList() {
  const found = useResource(at('listWorkers', {}), ['agents', 'turns']);
  const workers = found.value?.workers ?? [];
  if (workers.length === 0) return null;
  return (
    <section aria-labelledby="workers">
      <h2 id="workers">Workers</h2>
      <ul class="agent-list">
        {workers.map((worker) => (
          <WorkerCard key={worker.id} worker={worker} />
        ))}
      </ul>
    </section>
  );
}

function WorkerCard({ worker }: { worker: Worker }) {
  const { name, live, slots, turns, agents, version, seen_at: seenAt } = worker;
  return (
    <li class="card agent-card">
      <h3>
        <bdi>{name}</bdi>
        {live ? null : <span class="mark tone-failed">silent</span>}
        {turns.length > 0 ? <span class="mark tone-running">{turns.length} running</span> : null}
      </h3>
      <p class="muted">
        {turns.length} of {slots} slots · <bdi>{agents.join(', ') || 'can run no agent'}</bdi>
      </p>
      <p class="muted">
        version {version} ·{' '}
        {seenAt === null ? (
          'not seen'
        ) : (
          <>
            seen <When at={seenAt} />
          </>
        )}
      </p>
    </li>
  );
}
