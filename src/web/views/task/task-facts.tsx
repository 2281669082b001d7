// What is known of a task beside its words, with what a person often changes as fields.
import { PRIORITIES } from '../../../core/task/status.ts';
import { addressOf } from '../../address.ts';
import type { TaskDetail } from '../../api/shapes.ts';
import { Fact } from '../../parts/blocks.tsx';
import { Choice } from '../../parts/fields.tsx';
import { Labels, TaskLink } from '../../parts/marks.tsx';
import { sayCost, sayCount, sayDuration } from '../../parts/time-words.ts';
import { When } from '../../parts/times.tsx';
import { onTask, refOf } from '../../room/actions.ts';
import { useQuery } from '../../room/queries.ts';
import { isFixed } from './step-list.tsx';
import { Remote } from './task-words.tsx';

export function TaskFacts({ task }: { task: TaskDetail }) {
  const { labels, due, artifact, sprint, scope, remote, checks, finished_at: finishedAt } = task;
  const link = (text: string, path: string[], query = {}) => (
    <a href={addressOf(path, query)}>
      <bdi>{text}</bdi>
    </a>
  );
  return (
    <dl class="facts">
      <Choices task={task} />
      <Fact name="Asked by">
        <bdi>{task.requester}</bdi>
      </Fact>
      <Fact name="Labels">{labels.length > 0 && <Labels of={labels} />}</Fact>
      <Fact name="Due">{due}</Fact>
      <Fact name="Plan">
        {artifact && link(artifact, ['plan', artifact.replace(/^artifacts\/|\.md$/g, '')])}
      </Fact>
      <Fact name="Sprint">{sprint && link(sprint, ['list'], { sprint })}</Fact>
      <Fact name="Scope">{scope && link(scope, ['list'], { scope })}</Fact>
      <Relations task={task} />
      <Fact name="Mirror">
        {remote && <Remote task={task} />}
        {remote?.state && <span class="label">{remote.state}</span>}
        {remote?.message && <p class="muted">{remote.message}</p>}
        {remote?.state === 'conflict' && <a href={addressOf(['mirrors'])}>Compare both texts</a>}
      </Fact>
      <Used task={task} />
      <Fact name="Checks">
        {checks?.commands.map((command) => (
          <code key={command}>{command}</code>
        ))}
        {checks?.last && <span class="label">{checks.last.state.replaceAll('_', ' ')}</span>}
      </Fact>
      <Fact name="File">
        <code>{task.path}</code>
      </Fact>
      <Fact name="Finished">{finishedAt && <When at={finishedAt} />}</Fact>
    </dl>
  );
}

function Choices({ task }: { task: TaskDetail }) {
  const agents = useQuery('listAgents', {}).value?.agents ?? [];
  const field = (label: string, key: 'owner' | 'priority', none: string, options: readonly string[]) => (
    <Fact name={label}>
      <Choice
        label={label}
        none={none}
        disabled={isFixed(task)}
        value={task[key]}
        options={options}
        onChoose={(value) => void onTask(refOf(task), 'Saved', 'update', { [key]: value })}
      />
    </Fact>
  );
  const owners = new Set([...agents.map(({ id }) => id), ...(task.owner === null ? [] : [task.owner])]);
  return (
    <>
      {field('Agent', 'owner', 'the room’s default', [...owners])}
      {field('Priority', 'priority', 'none', PRIORITIES)}
    </>
  );
}

function Relations({ task: { blockers, blocks, parent, subtasks } }: { task: TaskDetail }) {
  return (
    <>
      <Fact name="Waits for">
        {blockers.map(({ ref, name, status }) => (
          <TaskLink key={ref} of={ref} name={name ?? ref} status={status} />
        ))}
      </Fact>
      <Fact name="Holds up">
        {blocks.map(({ id, name, status }) => (
          <TaskLink key={id} of={id} name={name} status={status} />
        ))}
      </Fact>
      <Fact name="Part of">{parent && <TaskLink of={parent} name={parent} />}</Fact>
      <Fact name="Subtasks">
        {subtasks.map(({ id, name, status }) => (
          <TaskLink key={id} of={id} name={name} status={status} />
        ))}
      </Fact>
    </>
  );
}

function Used({ task: { used, budget } }: { task: TaskDetail }) {
  if (used.turns === 0) return null;
  const tokens = used.input_tokens + used.output_tokens;
  const bounds = Object.entries(budget ?? {}).filter(([, bound]) => bound !== null);
  const said = [
    `${used.turns} ${used.turns === 1 ? 'turn' : 'turns'}`,
    sayDuration(used.seconds),
    tokens > 0 && `${sayCount(tokens)} tokens`,
    sayCost(used.cost_usd),
  ];
  return (
    <Fact name="Used">
      {said.filter(Boolean).join(', ')}
      {bounds.length > 0 && (
        <p class="muted">of {bounds.map(([key, bound]) => `${bound} ${key}`).join(', ')}</p>
      )}
    </Fact>
  );
}
