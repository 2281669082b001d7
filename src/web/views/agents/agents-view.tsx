// The agents: what each does now, what it may use, what it used today, and whether something keeps it from working; and the workers
// on other machines that take the room's turns.
import { computed } from '@preact/signals';
import { addressOf } from '../../address.ts';
import type { Agent, Answer, Turn } from '../../api/calls.ts';
import { Answered, Empty, Fact, Head, Section } from '../../parts/blocks.tsx';
import { Mark, When } from '../../parts/marks.tsx';
import { sayCost, sayCount, sayDuration } from '../../parts/time-words.ts';
import { taskRows, useQuery } from '../../room/queries.ts';
import { TurnRows } from '../turn/turn-view.tsx';

const openTasks = computed(() => {
  const found = new Map<string | null, number>();
  for (const { status, owner } of taskRows.value)
    if (status === 'todo' || status === 'doing') found.set(owner, (found.get(owner) ?? 0) + 1);
  return found;
});

export function AgentsView() {
  const running = useQuery('listTurns', { state: 'running', limit: 200 }).value?.turns ?? [];
  const workers = useQuery('listWorkers', {}).value?.workers ?? [];
  const query = useQuery('listAgents', {});
  return (
    <div class="stack far">
      <Head title="Agents" />
      <Answered query={query}>
        {({ agents }) =>
          agents.length === 0 ? (
            <Empty title="No agent yet">An agent is a file agents/NAME/agent.json in the room.</Empty>
          ) : (
            <ul class="cards">
              {agents.map((agent) => (
                <AgentCard
                  key={agent.id}
                  agent={agent}
                  turns={running.filter((turn) => turn.agent === agent.id)}
                />
              ))}
            </ul>
          )
        }
      </Answered>
      {workers.length > 0 && (
        <Section title="Workers">
          <ul class="cards">
            {workers.map((worker) => (
              <WorkerCard key={worker.id} worker={worker} />
            ))}
          </ul>
        </Section>
      )}
    </div>
  );
}

function AgentCard({ agent, turns }: { agent: Agent; turns: readonly Turn[] }) {
  const { id, name, is_default: isDefault, problem, waits_until: waitsUntil, taken_by: takenBy } = agent;
  const open = (openTasks.value.get(id) ?? 0) + (isDefault ? (openTasks.value.get(null) ?? 0) : 0);
  const how = [agent.preset ?? agent.runner, agent.model, agent.access === 'full' ? null : agent.access];
  return (
    <li class="card">
      <h2 class="wrap">
        <bdi>{name}</bdi>
        {isDefault && <span class="label">default</span>}
        {problem && <Mark tone="failed" text="can’t run" />}
        {waitsUntil && <Mark tone="pending" text="waits" />}
        {turns.length > 0 && <Mark tone="running" text={`${turns.length} running`} />}
      </h2>
      <p class="muted">{how.filter(Boolean).join(' · ')}</p>
      {problem && <p class="note tone-failed">{problem}</p>}
      {waitsUntil && (
        <p class="note tone-pending">
          Its turns wait; they go on <When at={waitsUntil} />
          {takenBy === null ? '' : `. Meanwhile ${takenBy} takes them.`}
        </p>
      )}
      <TurnRows turns={turns} knows="agent" />
      <dl class="facts">
        <Fact name="Open tasks">
          <a href={addressOf(['list'], { owner: id, status: 'todo,doing' })}>{open}</a>
        </Fact>
        <Fact name="At once">{agent.limit ?? 'as many as the room'}</Fact>
        <Today agent={agent} />
      </dl>
    </li>
  );
}

function Today({ agent: { today, budget } }: { agent: Agent }) {
  if (today === undefined) return null;
  const tokens = today.input_tokens + today.output_tokens;
  const rows: [string, number, string, number | null][] = [
    ['turns', today.turns, sayCount(today.turns), budget?.turns ?? null],
    ['minutes', today.seconds / 60, sayDuration(today.seconds), budget?.minutes ?? null],
    ['tokens', tokens, `${sayCount(tokens)} tokens`, budget?.tokens ?? null],
    ['cost', today.cost_usd ?? 0, sayCost(today.cost_usd) ?? '$0', budget?.cost ?? null],
  ];
  const shown = rows.filter(([, used, , bound]) => used > 0 || bound !== null);
  return (
    <Fact name="Today">
      {shown.length === 0 && 'nothing yet'}
      {shown.map(([key, used, said, bound]) =>
        bound === null ? (
          <span key={key}>{key === 'turns' ? `${said} ${used === 1 ? 'turn' : 'turns'}` : said}</span>
        ) : (
          <label key={key} class={`budget stack tone-${used > bound * 0.8 ? 'failed' : 'running'}`}>
            {`${said} of ${key === 'cost' ? `$${bound}` : `${sayCount(bound)} ${key}`}`}
            <progress max={bound} value={Math.min(used, bound)} />
          </label>
        ),
      )}
    </Fact>
  );
}

function WorkerCard({ worker }: { worker: Answer<'listWorkers'>['workers'][number] }) {
  const { name, live, slots, turns, agents, version, seen_at: seenAt } = worker;
  return (
    <li class="card">
      <h3 class="wrap">
        <bdi>{name}</bdi>
        {live || <Mark tone="failed" text="silent" />}
        {turns.length > 0 && <Mark tone="running" text={`${turns.length} running`} />}
      </h3>
      <p class="muted">
        {turns.length} of {slots} slots · <bdi>{agents.join(', ') || 'can run no agent'}</bdi>
      </p>
      <p class="muted">
        version {version} · {seenAt === null ? 'not seen' : <When at={seenAt} prefix="seen " />}
      </p>
    </li>
  );
}
