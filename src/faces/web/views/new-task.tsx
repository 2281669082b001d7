// A new task: its title, what is to be done, who does it. What was typed is kept until the task is created or discarded.
import { useState } from 'preact/hooks';
import { goTo } from '../address.ts';
import { at, change } from '../api/calls.ts';
import { ApiError, ask } from '../api/request.ts';
import { Dialog } from '../parts/dialog.tsx';
import { type Draft, useDraft } from '../room/drafts.ts';
import { tell } from '../room/notices.ts';
import { useResource } from '../room/resource.ts';
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
      const { id, name } = await ask(change('create', Object.fromEntries(given)));
      tell('The task is created');
      staleRows();
      discard();
      goTo(['task', id ?? name]);
    } catch (fault) {
      if (!(fault instanceof ApiError)) throw fault;
      setError([fault.message, fault.problem.hint].filter(Boolean).join(' — '));
    }
  };
  return (
    <Dialog title="New task" onClose={onClose}>
      <form class="fields" onSubmit={(event) => void submit(event)}>
        <label>
          Title
          <input {...field(draft, 'title')} required maxLength={200} autocomplete="off" autofocus />
        </label>
        <label>
          What is to be done
          <textarea {...field(draft, 'body')} rows={6} />
        </label>
        <Choices draft={draft} />
        {error === null ? null : (
          <p class="form-error" role="alert">
            {error}
          </p>
        )}
        <footer>
          {draft.value === null ? null : (
            <button type="button" onClick={discard}>
              Discard
            </button>
          )}
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
    name,
    value: draft.value?.[name] ?? '',
    onInput: ({ currentTarget: { value } }: { currentTarget: { value: string } }) =>
      draft.keep({ ...draft.value, [name]: value }),
  };
}

function Choices({ draft }: { draft: Draft<Fields> }) {
  const agents = useResource(at('agents', {}), []);
  return (
    <div class="field-row">
      <label>
        Agent
        <select {...field(draft, 'owner')}>
          <option value="">the room’s default</option>
          {(agents.value?.agents ?? []).map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <label>
        Priority
        <select {...field(draft, 'priority')}>
          <option value="">medium</option>
          <option>high</option>
          <option>low</option>
        </select>
      </label>
      <label>
        Status
        <select {...field(draft, 'status')}>
          <option value="">to do: starts soon</option>
          <option value="draft">draft: waits</option>
        </select>
      </label>
    </div>
  );
}
