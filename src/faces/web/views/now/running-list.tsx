// The turns that run: agent, task, how long, how far, and the way into each.
import { computed } from '@preact/signals';
import { addressOf } from '../../address.ts';
import type { TaskRow, Turn } from '../../api/shapes.ts';
import { StepMeter } from '../../parts/marks.tsx';
import { Empty, Loading } from '../../parts/states.tsx';
import { Elapsed } from '../../parts/times.tsx';
import { shownName, stopTurn } from '../../room/actions.ts';
import { taskRows } from '../../room/task-rows.ts';

/** A turn's task, where the list has it. */
const byId = computed(() => new Map(taskRows.value.map((task) => [task.id as string | null, task])));

export function taskOfTurn(turn: Turn): TaskRow | undefined {
  return turn.task === null ? undefined : byId.value.get(turn.task);
}

/** Names of workers by turn; null for one that waits for a worker, absent where turns run beside the room. */
export type Places = Readonly<Record<string, string | null>>;

export function RunningList({
  turns,
  places = {},
}: {
  turns: readonly Turn[] | null;
  places?: Places | undefined;
}) {
  if (turns === null) return <Loading />;
  if (turns.length === 0)
    return (
      <Empty title="No agent works right now">
        One starts when a task is due: new, changed, or asked to run.
      </Empty>
    );
  return (
    <ul class="running-list">
      {turns.map((turn) => (
        <RunningTurn key={turn.id} turn={turn} place={places[turn.id]} />
      ))}
    </ul>
  );
}

function RunningTurn({ turn, place }: { turn: Turn; place: string | null | undefined }) {
  const task = taskOfTurn(turn);
  const name = task === undefined ? turn.description : shownName(task);
  return (
    <li class="card running-card">
      <a class="card-main" data-stop href={addressOf(['turn', turn.id])}>
        <span class="pulse" aria-hidden="true" />
        <strong>
          <bdi>{name}</bdi>
        </strong>
        <span class="muted">
          <bdi>{turn.agent}</bdi>
          {turn.attempt > 1 ? ` · attempt ${turn.attempt}` : ''}
          {place === null ? ' · waits for a worker' : null}
          {place ? (
            <>
              {' · at '}
              <bdi>{place}</bdi>
            </>
          ) : null}
        </span>
        {task?.active_form ? (
          <span class="active-form">
            <bdi>{task.active_form}</bdi> …
          </span>
        ) : null}
      </a>
      <div class="card-side">
        <Elapsed from={turn.started_at} to={null} pausedMs={turn.paused_ms} />
        {task === undefined ? null : <StepMeter steps={task.steps} />}
        <button
          type="button"
          class="quiet"
          aria-label={`Stop the turn on ${name}`}
          onClick={() => void stopTurn(turn.id)}
        >
          Stop
        </button>
      </div>
    </li>
  );
}
