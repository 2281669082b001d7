// What a person does with a task, as buttons: the actions of the keys.
import { actionName, isPossible, keyOf, TASK_ACTIONS, type TaskAction } from '../../../core/person-keys.ts';
import { SUMMARIES } from '../../../operations/summaries.ts';
import { Button } from '../../parts/fields.tsx';
import { type ActedRow, takeAction } from '../../room/actions.ts';

/** These have fields on the page. */
const IN_PLACE: ReadonlySet<TaskAction> = new Set(['comment', 'answer', 'priority']);

export function TaskActions({ task }: { task: ActedRow }) {
  const possible = TASK_ACTIONS.filter((action) => !IN_PLACE.has(action) && isPossible(action, task));
  const first = possible.find((action) => isLikely(action, task));
  const shown = possible.toSorted((one, other) => Number(other === first) - Number(one === first));
  return (
    <div class="wrap">
      {shown.map((action) => {
        const { key, about, command } = keyOf(action);
        return (
          <Button
            key={action}
            name={actionName(action, task)}
            title={`${about ?? SUMMARIES[command!]} (${key})`}
            kind={action === first ? 'primary' : undefined}
            run={() => takeAction(action, task)}
          />
        );
      })}
    </div>
  );
}

/** What one most likely wants. */
function isLikely(action: TaskAction, { status, paused, running }: ActedRow): boolean {
  if (status === 'draft' || status === 'done' || status === 'canceled') return action === 'todo';
  if (paused) return action === 'pause';
  return action === (running === null ? 'run' : 'stop');
}
