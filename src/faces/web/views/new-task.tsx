// A new task: its title, what is to be done, who does it.
import { useState } from 'preact/hooks';
import { goTo } from '../address.ts';
import { at, change } from '../api/calls.ts';
import { ApiError, ask } from '../api/request.ts';
import { Dialog } from '../parts/dialog.tsx';
import { tell } from '../room/notices.ts';
import { useResource } from '../room/resource.ts';
import { staleRows } from '../room/task-rows.ts';

export function NewTaskDialog({ onClose }: { onClose: () => void }) {
  const [error, setError] = useState<string | null>(null);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const said = new FormData(event.currentTarget as HTMLFormElement);
    const given = [...said].filter(([, value]) => typeof value === 'string' && value.trim() !== '');
    try {
      const { id, name } = await ask(change('post', '/api/tasks', {}, Object.fromEntries(given)));
      tell('The task is made');
      staleRows();
      onClose();
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
          <input name="title" required maxLength={200} autocomplete="off" />
        </label>
        <label>
          What is to be done
          <textarea name="body" rows={6} />
        </label>
        <Choices />
        {error === null ? null : (
          <p class="form-error" role="alert">
            {error}
          </p>
        )}
        <footer>
          <button type="submit" class="primary">
            Make it
          </button>
        </footer>
      </form>
    </Dialog>
  );
}

function Choices() {
  const agents = useResource(at('/api/agents'), []);
  return (
    <div class="field-row">
      <label>
        Agent
        <select name="owner">
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
        <select name="priority">
          <option value="">medium</option>
          <option>high</option>
          <option>low</option>
        </select>
      </label>
      <label>
        Status
        <select name="status">
          <option value="todo">to do: starts soon</option>
          <option value="draft">draft: waits</option>
        </select>
      </label>
    </div>
  );
}
