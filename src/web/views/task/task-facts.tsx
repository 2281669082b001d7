// What is known of a task beside its words: its keys as fields, then what the room found out.
import { useState } from 'preact/hooks';
import { TASK_FIELDS } from '../../../operations/summaries.ts';
import { addressOf } from '../../address.ts';
import type { TaskDetail } from '../../api/calls.ts';
import { Fact } from '../../parts/blocks.tsx';
import { Button } from '../../parts/fields.tsx';
import { Mark, TaskLink, When } from '../../parts/marks.tsx';
import { sayCost, sayCount, sayDuration } from '../../parts/time-words.ts';
import { onTask, refOf } from '../../room/actions.ts';
import { useDraft } from '../../room/drafts.ts';
import { isFixed } from './step-list.tsx';
import { type FieldInfo, fieldName, partsOf, SavedField } from './task-field.tsx';
import { Remote } from './task-words.tsx';

/** Fields that few tasks have: folded away. */
export const LESS_FIELDS: ReadonlySet<string> = new Set([
  'artifact',
  'base',
  'repositories',
  'scope',
  'sort',
  'active_form',
]);

export function TaskFacts({ task }: { task: TaskDetail }) {
  const { artifact, remote, finished_at: finishedAt } = task;
  return (
    <div>
      <dl class="facts">
        <Fields task={task} of={TASK_FIELDS.filter(({ key }) => !LESS_FIELDS.has(key))} />
        <Related name="Holds up" tasks={task.blocks} />
        <Related name="Subtasks" tasks={task.subtasks} />
        <Fact name="Plan">
          {artifact && (
            <a href={addressOf(['plan', artifact.replace(/^artifacts\/|\.md$/g, '')])}>
              <bdi>{artifact}</bdi>
            </a>
          )}
        </Fact>
        <Fact name="Mirror">
          {remote && <Remote task={task} />}
          {remote?.state && <span class="label">{remote.state}</span>}
          {remote?.message && <p class="muted">{remote.message}</p>}
          {remote?.state === 'conflict' && <a href={addressOf(['sync'])}>Compare both texts</a>}
        </Fact>
        <Used task={task} />
        <Checks task={task} />
        <Fact name="Asked by">
          <bdi>{task.requester}</bdi>
        </Fact>
        <Fact name="File">
          <code>{task.path}</code>
        </Fact>
        <Fact name="Finished">{finishedAt && <When at={finishedAt} />}</Fact>
      </dl>
      <details>
        <summary class="small muted">More fields</summary>
        <dl class="facts">
          <Fields task={task} of={TASK_FIELDS.filter(({ key }) => LESS_FIELDS.has(key))} />
        </dl>
      </details>
    </div>
  );
}

function Fields({ task, of }: { task: TaskDetail; of: readonly FieldInfo[] }) {
  const ref = refOf(task);
  return of.map((field) => (
    <Fact key={field.key} name={fieldName(field.key)}>
      <SavedField
        draft={`${field.key} ${ref}`}
        field={field}
        value={task[field.key]}
        disabled={isFixed(task)}
        onSave={(value) => onTask(ref, `${fieldName(field.key)} is saved`, 'update', { [field.key]: value })}
      />
    </Fact>
  ));
}

const Related = ({ name, tasks }: { name: string; tasks: TaskDetail['blocks'] }) => (
  <Fact name={name}>
    {tasks.length > 0 &&
      tasks.map(({ id, name: title, status }) => <TaskLink key={id} of={id} name={title} status={status} />)}
  </Fact>
);

const CHECK_TONES: Readonly<Record<string, string>> = {
  passed: 'completed',
  failed: 'failed',
  gave_up: 'failed',
};

/** The commands that decide whether a done counts: one a line. */
function Checks({ task }: { task: TaskDetail }) {
  const ref = refOf(task);
  const draft = useDraft<string>(`checks ${ref}`);
  const [isOpen, open] = useState(false);
  const commands = [...(task.checks?.commands ?? []), ...(task.checks?.unconfirmed ?? [])];
  const last = task.checks?.last;
  const close = () => {
    draft.discard();
    open(false);
  };
  const save = async () => {
    const checks = partsOf(draft.value ?? '', '\n');
    const isSame = draft.value === null;
    if (isSame || (await onTask(ref, 'Checks are saved', 'update', { keys: { checks } }))) close();
  };
  return (
    <Fact name="Checks">
      {last && <Mark tone={CHECK_TONES[last.state] ?? 'pending'} text={last.state.replaceAll('_', ' ')} />}
      {isOpen || draft.value !== null ? (
        <div class="stack grow">
          <textarea
            aria-label="Checks, one command a line"
            rows={3}
            value={draft.value ?? commands.join('\n')}
            onInput={({ currentTarget }) => draft.keep(currentTarget.value)}
          />
          <span class="line">
            <Button name="Save" kind="primary" run={save} />
            <Button name="Discard" run={close} />
          </span>
        </div>
      ) : (
        <>
          {commands.map((command) => (
            <code key={command}>{command}</code>
          ))}
          {isFixed(task) || (
            <Button name="Edit" kind="quiet" label="Edit the checks" run={() => open(true)} />
          )}
        </>
      )}
    </Fact>
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
