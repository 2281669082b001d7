// The steps of a task: ticked, reworded and taken away in place, and a new one.
import { addressOf } from '../../address.ts';
import type { TaskDetail } from '../../api/calls.ts';
import { Section, StepDetails } from '../../parts/blocks.tsx';
import { Button, WordsForm } from '../../parts/fields.tsx';
import { act, onTask, refOf } from '../../room/actions.ts';
import { useDraft } from '../../room/drafts.ts';
import { wordOf } from '../../room/queries.ts';

/** Kept as it was: nothing of it can be changed. */
export const isFixed = ({ archived, deleted }: TaskDetail): boolean => archived || deleted;

export function StepList({ task }: { task: TaskDetail }) {
  const { list, done, total } = task.steps;
  const ref = refOf(task);
  const rows = list.map((step, index) => (
    <StepRow key={`${index} ${step.title}`} task={task} step={step} index={index} />
  ));
  return (
    <Section title="Steps" count={total > 0 ? `${done}/${total}` : undefined}>
      <ol>{rows}</ol>
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

type RowProps = { task: TaskDetail; step: TaskDetail['steps']['list'][number]; index: number };

function StepRow({ task, step: { title, details, done, task: own }, index }: RowProps) {
  const ref = refOf(task);
  const draft = useDraft<string>(`step ${ref} ${title}`);
  const change = (said: string, more: { done?: boolean; title?: string }) =>
    act(said, 'editStep', { ref, index, ...more });
  const reword = async (text: string) => {
    if (text === title || text === '' || (await change('The step is saved', { title: text })))
      draft.discard();
  };
  const remove = () => {
    const steps = task.steps.list.filter((_, at) => at !== index);
    return onTask(ref, `The step “${title}” is deleted`, 'setSteps', { steps });
  };
  return (
    <li class="step wrap">
      <input
        type="checkbox"
        aria-label={title}
        checked={done}
        disabled={isFixed(task)}
        onChange={({ currentTarget }) => {
          const to = currentTarget.checked;
          void change(to ? 'Ticked' : 'Unticked', { done: to });
        }}
      />
      <textarea
        class={done ? 'grow plain ticked' : 'grow plain'}
        dir="auto"
        rows={1}
        aria-label={`Step ${index + 1}`}
        disabled={isFixed(task)}
        value={draft.value ?? title}
        onInput={({ currentTarget }) => draft.keep(currentTarget.value)}
        onChange={({ currentTarget }) => void reword(currentTarget.value.trim())}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return;
          event.preventDefault();
          event.currentTarget.blur();
        }}
      />
      {own && <a href={addressOf(['task', wordOf(own)])}>its task</a>}
      {own || isFixed(task) || (
        <Button name="×" kind="quiet" label={`Delete the step: ${title}`} run={remove} />
      )}
      <StepDetails text={details} />
    </li>
  );
}
