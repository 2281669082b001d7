// The agents: what each does now, what it may use, what it used today, and whether something keeps it from working.

import { computed } from '@preact/signals';
import { addressOf } from '../../address.ts';
import { at } from '../../api/calls.ts';
import type { Agent, TaskRow, Turn } from '../../api/shapes.ts';
import { Empty, Failed, Loading } from '../../parts/states.tsx';
import { sayCost, sayCount, sayDuration } from '../../parts/time-words.ts';
import { Elapsed, When } from '../../parts/times.tsx';
import { useResource } from '../../room/resource.ts';
import { taskRows } from '../../room/task-rows.ts';
import { WorkerList } from './worker-list.tsx';

const openTasks = computed(() => {
  const found = new Map<string | null, number>();
  for (const { status, owner } of taskRows.value as TaskRow[])
    if (status === 'todo' || status === 'doing') found.set(owner, (found.get(owner) ?? 0) + 1);
  return found;
});

export function AgentsView() {
  const agents = useResource(at('agents', {}), ['agents']);
  const running = useResource(at('listTurns', { state: 'running', limit: 200 }), ['turns']);
  if (agents.error !== null && agents.value === null) return <Failed error={agents.error} />;
  if (agents.value === null) return <Loading />;
  return (
    <div>
      <header class="view-head">
        <h1>Agents</h1>
      </header>
      {agents.value.agents.length === 0 ? (
        <Empty title="No agent yet">An agent is a file agents/NAME/agent.json in the room.</Empty>
      ) : (
        <ul class="agent-list">
          {agents.value.agents.map((agent) => (
            <AgentCard
              key={agent.id}
              agent={agent}
              turns={(running.value?.turns ?? []).filter((turn) => turn.agent === agent.id)}
            />
          ))}
        </ul>
      )}
      <WorkerList />
    </div>
  );
}

function AgentCard({ agent, turns }: { agent: Agent; turns: readonly Turn[] }) {
  const open =
    (openTasks.value.get(agent.id) ?? 0) + (agent.is_default ? (openTasks.value.get(null) ?? 0) : 0);
  return (
    <li class="card agent-card">
      <h2>
        <bdi>{agent.name}</bdi>
        {agent.is_default ? <span class="label">default</span> : null}
        {agent.problem ? <span class="mark tone-failed">can’t run</span> : null}
        {agent.waits_until === null ? null : <span class="mark tone-pending">waits</span>}
        {turns.length > 0 ? <span class="mark tone-running">{turns.length} running</span> : null}
      </h2>
      <p class="muted">
        {[agent.preset ?? agent.runner, agent.model, agent.access === 'full' ? null : agent.access]
          .filter(Boolean)
          .join(' · ')}
      </p>
      {agent.problem ? <p class="why-not failed">{agent.problem}</p> : null}
      {agent.waits_until === null ? null : (
        <p class="why-not">
          Its turns wait; they go on <When at={agent.waits_until} />
          {agent.taken_by === null ? '' : `. Meanwhile ${agent.taken_by} takes them.`}
        </p>
      )}
      <ul class="rows">
        {turns.map((turn) => (
          <li key={turn.id}>
            <a class="turn-row" data-stop href={addressOf(['turn', turn.id])}>
              <span class="pulse" aria-hidden="true" />
              <bdi class="turn-what">{turn.description}</bdi>
              <Elapsed from={turn.started_at} to={null} pausedMs={turn.paused_ms} />
            </a>
          </li>
        ))}
      </ul>
      <dl class="facts">
        <div>
          <dt>Open tasks</dt>
          <dd>
            <a href={addressOf(['list'], { owner: agent.id, status: 'todo,doing' })}>{open}</a>
          </dd>
        </div>
        <div>
          <dt>At once</dt>
          <dd>{agent.limit ?? 'as many as the room'}</dd>
        </div>
        <Today agent={agent} />
      </dl>
    </li>
  );
}

function Today({ agent: { today, budget } }: { agent: Agent }) {
  if (today === undefined) return null;
  const rows: [string, number, string, number | null][] = [
    ['turns', today.turns, sayCount(today.turns), budget?.turns ?? null],
    ['minutes', today.seconds / 60, sayDuration(today.seconds), budget?.minutes ?? null],
    [
      'tokens',
      today.input_tokens + today.output_tokens,
      `${sayCount(today.input_tokens + today.output_tokens)} tokens`,
      budget?.tokens ?? null,
    ],
    ['cost', today.cost_usd ?? 0, sayCost(today.cost_usd) ?? '$0', budget?.cost ?? null],
  ];
  const shown = rows.filter(([, used, , bound]) => used > 0 || bound !== null);
  return (
    <div>
      <dt>Today</dt>
      <dd class="budgets">
        {shown.length === 0 ? 'nothing yet' : null}
        {shown.map(([key, used, said, bound]) =>
          bound === null ? (
            <span key={key}>{key === 'turns' ? `${said} ${used === 1 ? 'turn' : 'turns'}` : said}</span>
          ) : (
            <label key={key} class="budget">
              <span>
                {said} of {key === 'cost' ? `$${bound}` : `${sayCount(bound)} ${key}`}
              </span>
              <meter min={0} max={bound} high={bound * 0.8} value={Math.min(used, bound)} />
            </label>
          ),
        )}
      </dd>
    </div>
  );
}
