// Tasks whose last turn ended well and wrote nothing: a person looks at what it printed, or lets it run again.
import { addressOf } from '../../address.ts';
import type { TaskRow } from '../../api/shapes.ts';
import { onTask, shownName, toResume, toRun } from '../../room/actions.ts';

export function SilentList({ tasks }: { tasks: readonly TaskRow[] }) {
  return (
    <ul class="rows">
      {tasks.map((task) => (
        <li key={task.path} class="card">
          <a class="card-main" data-stop href={addressOf(['task', task.id ?? task.name])}>
            <strong>
              <bdi>{shownName(task)}</bdi>
            </strong>
            <span class="muted">
              <bdi>{task.owner ?? 'default agent'}</bdi> ended its turn and wrote nothing into the task
            </span>
          </a>
          <div class="card-side">
            <RunAgain task={task} />
          </div>
        </li>
      ))}
    </ul>
  );
}

function RunAgain({ task }: { task: TaskRow }) {
  const [said, verb, name] = task.paused
    ? (['The task goes on', toResume, 'Resume'] as const)
    : (['A turn is asked for', toRun, 'Run again'] as const);
  return (
    <button
      type="button"
      class="quiet"
      aria-label={`${name}: ${shownName(task)}`}
      onClick={() => void onTask(task, said, (ref) => verb(ref))}
    >
      {name}
    </button>
  );
}
