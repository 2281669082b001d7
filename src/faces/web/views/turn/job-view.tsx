// One command in the background: whose it is, how it went, and what it prints.
import { useEffect, useState } from 'preact/hooks';
import { addressOf } from '../../address.ts';
import { at } from '../../api/calls.ts';
import { ask } from '../../api/request.ts';
import type { Job } from '../../api/shapes.ts';
import { TurnMark } from '../../parts/marks.tsx';
import { Failed, Loading } from '../../parts/states.tsx';
import { Elapsed, When } from '../../parts/times.tsx';
import { useResource } from '../../room/resource.ts';
import { isLive, StopJob } from './job-list.tsx';
import { StuckToEnd } from './stuck-to-end.tsx';

export function JobView({ path: [id = ''] }: { path: readonly string[] }) {
  const { value: job, error } = useResource(at('showJob', { job: id, limit: 4 }), ['jobs']);
  if (error !== null && job === null) return <Failed error={error} />;
  if (job === null) return <Loading />;
  return (
    <article class="turn-view">
      <JobHead job={job} />
      <pre class="job-command" dir="ltr">
        {job.command}
      </pre>
      {job.message ? (
        <p class={job.state === 'failed' ? 'why-not failed' : 'why-not'}>{job.message}</p>
      ) : null}
      <JobOutput key={job.id} id={job.id} isOver={!isLive(job)} />
    </article>
  );
}

function JobHead({ job }: { job: Job }) {
  return (
    <header class="view-head">
      <h1 dir="auto">{job.description || 'Command in the background'}</h1>
      <p class="turn-facts">
        <TurnMark turn={job} />
        <bdi>{job.agent}</bdi>
        <Elapsed from={job.started_at} to={job.ended_at} pausedMs={job.paused_ms} />
        {job.exit_code === null ? null : <span>exit code {job.exit_code}</span>}
        {job.keep ? <span>outlives its turn</span> : null}
        {job.watch === null ? null : (
          <span>
            watches for “<bdi>{job.watch}</bdi>”
          </span>
        )}
        <When at={job.started_at} prefix="began " />
        <When at={job.ended_at} prefix="ended " />
      </p>
      <div class="actions">
        {job.task === null ? null : (
          <a class="button" href={addressOf(['task', job.task])}>
            Its task
          </a>
        )}
        {job.turn === null ? null : (
          <a class="button" href={addressOf(['turn', job.turn])}>
            Its turn
          </a>
        )}
        {isLive(job) ? <StopJob job={job} /> : null}
      </div>
    </header>
  );
}

/** Of a long output the end is shown. */
const TAIL_BYTES = 256 * 1024;
const AGAIN_MS = 1_000;

function JobOutput({ id, isOver }: { id: string; isOver: boolean }) {
  const [text, setText] = useState('');
  const [skipped, setSkipped] = useState(0);
  useEffect(() => {
    let isGone = false;
    const follow = async () => {
      let { output_bytes: size } = await ask(at('showJob', { job: id, limit: 4 }));
      let offset = Math.max(0, size - TAIL_BYTES);
      setSkipped(offset);
      while (!isGone) {
        const read = await ask(at('showJob', { job: id, offset, limit: TAIL_BYTES }));
        if (isGone) return;
        const { output, output_offset: next } = read;
        size = read.output_bytes;
        if (output !== '') setText((was) => `${was}${output}`.slice(-4 * TAIL_BYTES));
        if (next >= size && !isLive(read)) return;
        if (next === offset) await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
        offset = next;
      }
    };
    // While the room is away what is shown stays; the view looks again when it is back.
    const run = () => {
      setText('');
      follow().catch(() => setTimeout(() => isGone || run(), AGAIN_MS));
    };
    run();
    return () => {
      isGone = true;
    };
  }, [id]);
  return (
    <section aria-labelledby="output" class="output-section">
      <h2 id="output">Output</h2>
      {skipped === 0 ? null : <p class="muted">Its last part: more lies in its file.</p>}
      <StuckToEnd of={text} label="Output of the command">
        {text === '' ? (
          <p class="muted">{isOver ? 'It printed nothing.' : 'Nothing is printed yet.'}</p>
        ) : (
          <pre class="out-line">{text}</pre>
        )}
      </StuckToEnd>
    </section>
  );
}
