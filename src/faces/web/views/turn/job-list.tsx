// Commands in the background, with the way into the output of each.
import { addressOf } from '../../address.ts';
import { change } from '../../api/calls.ts';
import type { Job, Turn } from '../../api/shapes.ts';
import { TurnMark } from '../../parts/marks.tsx';
import { Elapsed, When } from '../../parts/times.tsx';
import { act } from '../../room/actions.ts';

export function JobList({ jobs }: { jobs: readonly Job[] }) {
  return (
    <ul class="rows">
      {jobs.map((job) => (
        <li key={job.id} class="card">
          <a class="card-main" data-stop href={addressOf(['job', job.id])}>
            <TurnMark turn={job} />
            <bdi class="job-what">{job.description || job.command}</bdi>
            <span class="muted turn-facts">
              <bdi>{job.agent}</bdi>
              <Elapsed from={job.started_at} to={job.ended_at} pausedMs={job.paused_ms} />
              <When at={job.ended_at} />
            </span>
          </a>
          {isLive(job) ? <StopJob job={job} /> : null}
        </li>
      ))}
    </ul>
  );
}

export function StopJob({ job }: { job: Job }) {
  return (
    <button
      type="button"
      class="quiet"
      aria-label={`Stop the command: ${job.description || job.command}`}
      onClick={() => void stopJob(job)}
    >
      Stop
    </button>
  );
}

function stopJob({ id }: Job): Promise<boolean> {
  return act('The command is stopped', change('stopJob', { job: id }));
}

export function isLive({ state }: Pick<Job, 'state'>): boolean {
  return state === 'running' || state === 'pending';
}

/** Commands stand among the turns too. */
export function isJob({ runner }: Pick<Turn, 'runner'>): boolean {
  return runner === 'job' || runner === 'monitor';
}
