// The last turns of a task, with the way into the output of each.
import { addressOf } from '../../address.ts';
import type { TaskDetail } from '../../api/shapes.ts';
import { TurnMark } from '../../parts/marks.tsx';
import { Elapsed, UsedCost, When } from '../../parts/times.tsx';
import { isJob } from '../turn/job-list.tsx';

export function TurnList({ task }: { task: TaskDetail }) {
  // Commands have a list of their own.
  const turns = task.turns.filter((turn) => !isJob(turn));
  return (
    <section aria-labelledby="turns">
      <h2 id="turns">Turns</h2>
      {turns.length === 0 ? (
        <p class="muted">No agent has worked on it yet.</p>
      ) : (
        <ul class="rows turn-cards">
          {turns.map((turn) => (
            <li key={turn.id}>
              <a class="card" data-stop href={addressOf(['turn', turn.id])}>
                <TurnMark turn={turn} />
                <span class="muted turn-facts">
                  <bdi>{turn.agent}</bdi>
                  <Elapsed from={turn.started_at} to={turn.ended_at} pausedMs={turn.paused_ms} />
                  <UsedCost turn={turn} />
                  <When at={turn.ended_at ?? turn.started_at} />
                </span>
              </a>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
