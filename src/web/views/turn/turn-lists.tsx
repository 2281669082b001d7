// Turns, and commands in the background, with the way into the output of each.
import { addressOf } from '../../address.ts';
import type { Job, Turn } from '../../api/shapes.ts';
import { CardRow } from '../../parts/blocks.tsx';
import { Button } from '../../parts/fields.tsx';
import { TurnMark } from '../../parts/marks.tsx';
import { Elapsed, TurnFacts } from '../../parts/times.tsx';
import { act } from '../../room/actions.ts';

export const JobList = ({ jobs }: { jobs: readonly Job[] }) => (
  <ul class="stack">
    {jobs.map((job) => (
      <CardRow
        key={job.id}
        href={addressOf(['job', job.id])}
        sign={<TurnMark turn={job} />}
        name={job.description || job.command}
        facts={<TurnFacts turn={job} />}
        side={isLive(job) && <StopJob job={job} />}
      />
    ))}
  </ul>
);

export function StopJob({ job: { id, description, command } }: { job: Job }) {
  const stop = () => act('The command is stopped', 'stopJob', { job: id });
  return <Button name="Stop" kind="quiet" label={`Stop the command: ${description || command}`} run={stop} />;
}

export const isLive = ({ state }: Pick<Job, 'state'>): boolean => state === 'running' || state === 'pending';

/** Commands stand among the turns too. */
export const isJob = ({ runner }: Pick<Turn, 'runner'>): boolean => runner === 'job' || runner === 'monitor';

/** @param knows what the reader knows of all of them: their task, or their agent and that they run */
export const TurnRows = ({ turns, knows }: { turns: readonly Turn[]; knows?: 'task' | 'agent' }) => (
  <ul>
    {turns.map((turn) => (
      <li key={turn.id}>
        <a class="turn-row line" data-stop href={addressOf(['turn', turn.id])}>
          <TurnMark turn={turn} />
          {knows === 'task' || <bdi class="grow cut">{turn.description}</bdi>}
          {knows === 'agent' ? <Elapsed of={turn} /> : <TurnFacts turn={turn} />}
        </a>
      </li>
    ))}
  </ul>
);
