// The steps of a task, ticked in place, and a new one.
import { addressOf } from '../../address.ts';
import type { TaskDetail } from '../../api/shapes.ts';
import { Section, StepDetails } from '../../parts/blocks.tsx';
import { WordsForm } from '../../parts/fields.tsx';
import { act, onTask, refOf } from '../../room/actions.ts';

/** Kept as it was: nothing of it can be changed. */
export function isFixed({ archived, deleted }: TaskDetail): boolean {
  return archived || deleted;
}

export function StepList({ task }: { task: TaskDetail }) {
  const { list, done, total } = task.steps;
  const ref = refOf(task);
  return (
    <Section title="Steps" count={total > 0 ? `${done}/${total}` : undefined}>
      <ol>
        {list.map((step, index) => (
          <StepRow key={`${index} ${step.title}`} task={task} step={step} index={index} />
        ))}
      </ol>
      {isFixed(task) || (
        <WordsForm
          draft={`step ${ref}`}
          label="New step"
          placeholder="Add a step"
          button="Add"
          isLine
          send={(text) => onTask(ref, 'The step is added', 'addStep', { title: text.trim() })}
        />
      )}
    </Section>
  );
}

interface RowProps {
  task: TaskDetail;
  step: TaskDetail['steps']['list'][number];
  index: number;
}

function StepRow({ task, step: { title, details, done, task: own }, index }: RowProps) {
  const tick = (to: boolean) =>
    act(to ? 'Ticked' : 'Unticked', 'editStep', { ref: refOf(task), index, done: to });
  return (
    <li class="step">
      <label class="line">
        <input
          type="checkbox"
          checked={done}
          disabled={isFixed(task)}
          onChange={({ currentTarget }) => void tick(currentTarget.checked)}
        />
        <bdi class={done ? 'ticked' : ''}>{title}</bdi>
      </label>
      {own && <a href={addressOf(['task', own.replace(/^task:(local:)?/, '')])}>its task</a>}
      <StepDetails text={details} />
    </li>
  );
}
