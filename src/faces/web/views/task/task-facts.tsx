// What is known of a task beside its words, with what a person often changes as fields.
import type { ComponentChildren } from 'preact';
import { addressOf } from '../../address.ts';
import { at, change } from '../../api/calls.ts';
import { ApiError, ask } from '../../api/request.ts';
import type { TaskDetail } from '../../api/shapes.ts';
import { TaskLink } from '../../parts/task-link.tsx';
import { sayCost, sayCount, sayDuration } from '../../parts/time-words.ts';
import { When } from '../../parts/times.tsx';
import { tell, tellError } from '../../room/notices.ts';
import { useResource } from '../../room/resource.ts';
import { staleRow } from '../../room/task-rows.ts';
import { Remote } from './task-words.tsx';

interface FactsProps {
  task: TaskDetail;
  onChanged: () => void;
}

export function TaskFacts({ task, onChanged }: FactsProps) {
  const { remote } = task;
  return (
    <dl class="facts">
      <Choices task={task} onChanged={onChanged} />
      <Fact name="Asked by">
        <bdi>{task.requester}</bdi>
      </Fact>
      <Fact name="Labels" isShown={task.labels.length > 0}>
        {task.labels.map((label) => (
          <bdi key={label} class="label">
            {label}
          </bdi>
        ))}
      </Fact>
      <Fact name="Due" isShown={task.due !== null}>
        {task.due}
      </Fact>
      <Fact name="Plan" isShown={task.artifact !== null}>
        <a href={addressOf(['plan', (task.artifact ?? '').replace(/^artifacts\/|\.md$/g, '')])}>
          <bdi>{task.artifact}</bdi>
        </a>
      </Fact>
      <Fact name="Sprint" isShown={task.sprint !== null}>
        <a href={addressOf(['list'], { sprint: task.sprint })}>
          <bdi>{task.sprint}</bdi>
        </a>
      </Fact>
      <Fact name="Scope" isShown={task.scope !== null}>
        <a href={addressOf(['list'], { scope: task.scope })}>
          <bdi>{task.scope}</bdi>
        </a>
      </Fact>
      <Relations task={task} />
      <Fact name="Mirror" isShown={remote !== null}>
        <Remote task={task} />
        {remote?.state ? <span class="label">{remote.state}</span> : null}
        {remote?.message ? <p class="muted">{remote.message}</p> : null}
        {remote?.state === 'conflict' ? <a href={addressOf(['mirrors'])}>Compare both texts</a> : null}
      </Fact>
      <Used task={task} />
      <Fact name="Checks" isShown={task.checks !== null}>
        <Checks task={task} />
      </Fact>
      <Fact name="File">
        <code>{task.path}</code>
      </Fact>
      <Fact name="Finished" isShown={task.finished_at !== null}>
        <When at={task.finished_at} />
      </Fact>
    </dl>
  );
}

function Fact({
  name,
  isShown = true,
  children,
}: {
  name: string;
  isShown?: boolean;
  children: ComponentChildren;
}) {
  if (!isShown) return null;
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Choices({ task, onChanged }: FactsProps) {
  const agents = useResource(at('agents', {}), []).value?.agents ?? [];
  const save = async (changes: object) => {
    try {
      await ask(change('update', { ref: task.id ?? task.name, ...changes }));
      tell('Saved');
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      tellError(error);
    }
    staleRow(task.id ?? task.name);
    onChanged();
  };
  const isFixed = task.archived || task.deleted;
  return (
    <>
      <Fact name="Agent">
        <select
          aria-label="Agent"
          disabled={isFixed}
          value={task.owner ?? ''}
          onChange={({ currentTarget: { value } }) => void save({ owner: value || null })}
        >
          <option value="">the room’s default</option>
          {[...new Set([...agents.map(({ id }) => id), ...(task.owner === null ? [] : [task.owner])])].map(
            (id) => (
              <option key={id} value={id}>
                {id}
              </option>
            ),
          )}
        </select>
      </Fact>
      <Fact name="Priority">
        <select
          aria-label="Priority"
          disabled={isFixed}
          value={task.priority ?? ''}
          onChange={({ currentTarget: { value } }) =>
            void save({ priority: (value || null) as TaskDetail['priority'] })
          }
        >
          <option value="">none</option>
          <option>high</option>
          <option>medium</option>
          <option>low</option>
        </select>
      </Fact>
    </>
  );
}

function Relations({ task }: { task: TaskDetail }) {
  return (
    <>
      <Fact name="Waits for" isShown={task.blockers.length > 0}>
        {task.blockers.map(({ ref, name, status }) => (
          <TaskLink key={ref} id={ref.replace(/^task:local:/, '')} name={name ?? ref} status={status} />
        ))}
      </Fact>
      <Fact name="Holds up" isShown={task.blocks.length > 0}>
        {task.blocks.map(({ id, name, status }) => (
          <TaskLink key={id} id={id} name={name} status={status} />
        ))}
      </Fact>
      <Fact name="Part of" isShown={task.parent !== null}>
        <TaskLink id={(task.parent ?? '').replace(/^task:local:/, '')} name={task.parent ?? ''} />
      </Fact>
      <Fact name="Subtasks" isShown={task.subtasks.length > 0}>
        {task.subtasks.map(({ id, name, status }) => (
          <TaskLink key={id} id={id} name={name} status={status} />
        ))}
      </Fact>
    </>
  );
}

function Used({ task: { used, budget } }: { task: TaskDetail }) {
  if (used.turns === 0) return null;
  const cost = sayCost(used.cost_usd);
  const bounds = Object.entries(budget ?? {}).filter(([, bound]) => bound !== null);
  return (
    <Fact name="Used">
      {used.turns} {used.turns === 1 ? 'turn' : 'turns'}, {sayDuration(used.seconds)}
      {used.input_tokens + used.output_tokens === 0
        ? ''
        : `, ${sayCount(used.input_tokens + used.output_tokens)} tokens`}
      {cost === null ? '' : `, ${cost}`}
      {bounds.length === 0 ? null : (
        <p class="muted">of {bounds.map(([key, bound]) => `${bound} ${key}`).join(', ')}</p>
      )}
    </Fact>
  );
}

/** As the shape of `detail` has it, in snake_case. */
interface ShownChecks {
  commands: string[];
  last: { state: string } | null;
}

function Checks({ task }: { task: TaskDetail }) {
  const checks = task.checks as ShownChecks | null;
  return (
    <>
      {checks?.commands.map((command) => (
        <code key={command}>{command}</code>
      ))}
      {checks?.last ? <span class="label">{checks.last.state.replaceAll('_', ' ')}</span> : null}
    </>
  );
}
