// A new task: its title, what is to be done, and the fields of every task. What was typed is kept until the task is created or discarded.
import { useState } from 'preact/hooks';
import { TASK_FIELDS } from '../../operations/summaries.ts';
import { goTo } from '../address.ts';
import { change, type Input } from '../api/calls.ts';
import { ApiError, ask } from '../api/request.ts';
import { Button, Choice, Dialog, sendOnEnter } from '../parts/fields.tsx';
import { refOf, tell } from '../room/actions.ts';
import { useDraft } from '../room/drafts.ts';
import { ownStatuses, touchRows } from '../room/queries.ts';
import { LESS_FIELDS } from './task/task-facts.tsx';
import { type FieldValue, fieldName, partsOf, TaskField } from './task/task-field.tsx';

type Fields = Readonly<Record<string, FieldValue>>;

const STATUSES = [
  ['todo', 'To do: starts soon'],
  ['draft', 'Draft: waits'],
] as const;

export function NewTaskDialog({ onClose }: { onClose: () => void }) {
  const [error, setError] = useState<string | null>(null);
  const draft = useDraft<Fields>('new task');
  const fields: Fields = draft.value ?? {};
  const keep = (name: string, value: FieldValue) => draft.keep({ ...fields, [name]: value });
  const discard = () => {
    draft.discard();
    onClose();
  };
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    try {
      const created = await ask(change('create', inputOf(fields)));
      tell('The task is created');
      touchRows();
      discard();
      goTo(['task', refOf(created)]);
    } catch (fault) {
      if (!(fault instanceof ApiError)) throw fault;
      setError([fault.message, fault.problem.hint].filter(Boolean).join(' — '));
    }
  };
  const text = (name: string) => ({
    ...{ name, value: String(fields[name] ?? '') },
    onInput: ({ currentTarget: { value } }: { currentTarget: { value: string } }) => keep(name, value),
  });
  return (
    <Dialog title="New task" onClose={onClose}>
      <form class="fields stack" onSubmit={(event) => void submit(event)}>
        <label>
          Title
          <input {...text('title')} required maxLength={200} autocomplete="off" autofocus />
        </label>
        <label>
          What is to be done
          <textarea {...text('description')} rows={5} onKeyDown={sendOnEnter} />
        </label>
        <label>
          Steps, one a line
          <textarea {...text('steps')} rows={2} />
        </label>
        <FieldRows fields={fields} keep={keep} />
        {error && (
          <p class="note tone-failed" role="alert">
            {error}
          </p>
        )}
        <footer>
          {draft.value && <Button name="Discard" run={discard} />}
          <Button name="Cancel" run={onClose} />
          <button type="submit" class="primary">
            Create
          </button>
        </footer>
      </form>
    </Dialog>
  );
}

type Keep = (name: string, value: FieldValue) => void;

function FieldRows({ fields, keep }: { fields: Fields; keep: Keep }) {
  const rows = (isLess: boolean) =>
    TASK_FIELDS.filter(({ key }) => LESS_FIELDS.has(key) === isLess).map((field) => (
      <div key={field.key}>
        <span aria-hidden="true">{fieldName(field.key)}</span>
        <TaskField
          field={field}
          value={fields[field.key] ?? null}
          onType={(typed) => keep(field.key, typed)}
          onSave={(value) => keep(field.key, value)}
        />
      </div>
    ));
  return (
    <>
      <div class="field-row">
        <div>
          <span aria-hidden="true">Status</span>
          <Choice
            label="Status"
            value={String(fields.status ?? 'todo')}
            options={[...STATUSES, ...Object.keys(ownStatuses.value)]}
            onChoose={(value) => keep('status', value)}
          />
        </div>
        {rows(false)}
      </div>
      <details>
        <summary class="small muted">More fields</summary>
        <div class="field-row">{rows(true)}</div>
      </details>
    </>
  );
}

function inputOf(fields: Fields): Input<'create'> {
  const { steps, ...others }: Fields = { status: 'todo', ...fields };
  const given = Object.entries(others).filter(([, value]) => value !== null && String(value).trim() !== '');
  const titles = partsOf(String(steps ?? ''), '\n');
  return { ...Object.fromEntries(given), ...(titles.length > 0 && { steps: titles }) } as Input<'create'>;
}
