// A new task: its title, what is to be done, who does it. What was typed is kept until the task is created or discarded.
import { useState } from 'preact/hooks';
import { PRIORITIES } from '../../core/task/status.ts';
import { goTo } from '../address.ts';
import { change } from '../api/calls.ts';
import { ApiError, ask } from '../api/request.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Button, Choice, type Option } from '../parts/fields.tsx';
import { refOf } from '../room/actions.ts';
import { type Draft, useDraft } from '../room/drafts.ts';
import { tell } from '../room/notices.ts';
import { useQuery } from '../room/queries.ts';
import { staleRows } from '../room/task-rows.ts';

/** By the names of the fields. */
type Fields = Readonly<Record<string, string>>;

export function NewTaskDialog({ onClose }: { onClose: () => void }) {
  const [error, setError] = useState<string | null>(null);
  const draft = useDraft<Fields>('new task');
  const discard = () => {
    draft.discard();
    onClose();
  };
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const given = Object.entries(draft.value ?? {}).filter(([, value]) => value.trim() !== '');
    try {
      const created = await ask(change('create', Object.fromEntries(given)));
      tell('The task is created');
      staleRows();
      discard();
      goTo(['task', refOf(created)]);
    } catch (fault) {
      if (!(fault instanceof ApiError)) throw fault;
      setError([fault.message, fault.problem.hint].filter(Boolean).join(' — '));
    }
  };
  return (
    <Dialog title="New task" onClose={onClose}>
      <form class="fields stack" onSubmit={(event) => void submit(event)}>
        <label>
          Title
          <input {...field(draft, 'title')} required maxLength={200} autocomplete="off" autofocus />
        </label>
        <label>
          What is to be done
          <textarea {...field(draft, 'body')} rows={6} />
        </label>
        <Choices draft={draft} />
        {error && (
          <p class="note tone-failed" role="alert">
            {error}
          </p>
        )}
        <footer>
          {draft.value && <Button name="Discard" run={discard} />}
          <button type="submit" class="primary">
            Create
          </button>
        </footer>
      </form>
    </Dialog>
  );
}

function field(draft: Draft<Fields>, name: string) {
  return {
    ...{ name, value: draft.value?.[name] ?? '' },
    onInput: ({ currentTarget: { value } }: { currentTarget: { value: string } }) =>
      draft.keep({ ...draft.value, [name]: value }),
  };
}

function Choices({ draft }: { draft: Draft<Fields> }) {
  const agents = useQuery('listAgents', {}).value?.agents ?? [];
  const choices: [label: string, name: string, none: string, options: readonly Option[]][] = [
    ['Agent', 'owner', 'the room’s default', agents.map(({ id, name }): Option => [id, name])],
    ['Priority', 'priority', 'medium', PRIORITIES.filter((each) => each !== 'medium')],
    ['Status', 'status', 'to do: starts soon', [['draft', 'draft: waits']]],
  ];
  return (
    <div class="field-row">
      {choices.map(([label, name, none, options]) => (
        <div key={name}>
          <span aria-hidden="true">{label}</span>
          <Choice
            label={label}
            none={none}
            value={draft.value?.[name] ?? null}
            options={options}
            onChoose={(value) => draft.keep({ ...draft.value, [name]: value ?? '' })}
          />
        </div>
      ))}
    </div>
  );
}
