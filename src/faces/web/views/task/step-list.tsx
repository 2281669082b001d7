// The steps of a task, ticked in place, and a new one.
import { addressOf } from '../../address.ts';
import { change } from '../../api/calls.ts';
import type { TaskDetail } from '../../api/shapes.ts';
import { act, onTask } from '../../room/actions.ts';
import { useDraft } from '../../room/drafts.ts';

type Step = TaskDetail['steps']['list'][number];

export function StepList({ task, onChanged }: { task: TaskDetail; onChanged: () => void }) {
  const { list, done, total } = task.steps;
  return (
    <section aria-labelledby="steps" class="step-section">
      <h2 id="steps">
        Steps{' '}
        {total === 0 ? null : (
          <span class="count">
            {done}/{total}
          </span>
        )}
      </h2>
      <ol class="step-list">
        {list.map((step, index) => (
          <StepRow
            key={`${index} ${step.title}`}
            task={task}
            step={step}
            index={index}
            onChanged={onChanged}
          />
        ))}
      </ol>
      {isFixed(task) ? null : <NewStep task={task} onChanged={onChanged} />}
    </section>
  );
}

/** Kept as it was: nothing of it can be changed. */
export function isFixed({ archived, deleted }: TaskDetail): boolean {
  return archived || deleted;
}

interface RowProps {
  task: TaskDetail;
  step: Step;
  index: number;
  onChanged: () => void;
}

function StepRow({ task, step, index, onChanged }: RowProps) {
  const tick = async (done: boolean) => {
    const step = { ref: task.id ?? task.name, index };
    await act(done ? 'Ticked' : 'Unticked', change('editStep', { ...step, done }));
    onChanged();
  };
  return (
    <li>
      <label>
        <input
          type="checkbox"
          checked={step.done}
          disabled={isFixed(task)}
          onChange={({ currentTarget }) => void tick(currentTarget.checked)}
        />
        <bdi class={step.done ? 'ticked' : ''}>{step.title}</bdi>
      </label>
      {step.task === null ? null : (
        <a href={addressOf(['task', step.task.replace(/^task:local:|^task:/, '')])}>its task</a>
      )}
      {step.details === '' ? null : (
        <p class="muted step-details" dir="auto">
          {step.details}
        </p>
      )}
    </li>
  );
}

function NewStep({ task, onChanged }: { task: TaskDetail; onChanged: () => void }) {
  const draft = useDraft<string>(`step ${task.id ?? task.name}`);
  const title = draft.value ?? '';
  const add = async (event: Event) => {
    event.preventDefault();
    if (title.trim() === '') return;
    if (await onTask(task, 'The step is added', (ref) => change('addStep', { ref, title: title.trim() })))
      draft.discard();
    onChanged();
  };
  return (
    <form class="new-step" onSubmit={(event) => void add(event)}>
      <input
        aria-label="New step"
        placeholder="Add a step"
        value={title}
        onInput={({ currentTarget }) => draft.keep(currentTarget.value)}
      />
      {title === '' ? null : <button type="submit">Add</button>}
    </form>
  );
}
