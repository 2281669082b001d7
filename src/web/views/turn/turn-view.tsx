// One turn, or one command in the background: whose it is, how it went, what it cost, and what it prints.
import type { ComponentChildren } from 'preact';
import { addressOf } from '../../address.ts';
import type { Job, Turn } from '../../api/calls.ts';
import { Answered, CardRow, Head } from '../../parts/blocks.tsx';
import { Button, ButtonLink } from '../../parts/fields.tsx';
import { Elapsed, TurnFacts, TurnMark, When } from '../../parts/marks.tsx';
import { sayCost, sayCount } from '../../parts/time-words.ts';
import { act, askToStop } from '../../room/actions.ts';
import { useQuery } from '../../room/queries.ts';
import { Output } from './output.tsx';

type Path = readonly string[];

export function TurnView({ path: [id = ''] }: { path: Path }) {
  const query = useQuery('showTurn', { turn: id });
  return (
    <Answered query={query}>
      {(turn) => (isJob(turn) ? <JobView path={[id]} /> : <ShownTurn turn={turn} />)}
    </Answered>
  );
}

function ShownTurn({ turn }: { turn: Turn }) {
  const isRunning = turn.state === 'running';
  const stop = () => askToStop(turn.id, turn.description);
  const cost = sayCost(turn.usage?.cost_usd);
  const tokens = turn.usage ? turn.usage.input_tokens + turn.usage.output_tokens : 0;
  return (
    <Work of={turn} title={turn.description} button={isRunning && <Button name="Stop" run={stop} />}>
      <span>{`attempt ${turn.attempt}`}</span>
      {tokens > 0 && <span>{`${sayCount(tokens)} tokens`}</span>}
      {cost && <span>{cost}</span>}
    </Work>
  );
}

export function JobView({ path: [id = ''] }: { path: Path }) {
  const query = useQuery('showJob', { job: id, limit: 4 });
  return <Answered query={query}>{(job) => <ShownJob job={job} />}</Answered>;
}

function ShownJob({ job }: { job: Job }) {
  const { description, command, exit_code: code, keep, watch, turn } = job;
  const button = (
    <>
      {turn && <ButtonLink name="Its turn" href={addressOf(['turn', turn])} />}
      {isLive(job) && <StopJob job={job} />}
    </>
  );
  return (
    <Work of={job} title={description || 'Command in the background'} command={command} button={button}>
      {code === null ? null : <span>{`exit code ${code}`}</span>}
      {keep && <span>outlives its turn</span>}
      {watch && <bdi>{`watches for “${watch}”`}</bdi>}
    </Work>
  );
}

interface WorkProps {
  of: Turn | Job;
  title: string;
  command?: string; // Of a job.
  button: ComponentChildren;
  children: ComponentChildren;
}

const Work = ({ of, title, command, button, children }: WorkProps) => (
  <article class="turn-view stack far">
    <Head title={title}>
      <p class="turn-facts wrap">
        <TurnMark turn={of} />
        <bdi>{of.agent}</bdi>
        <Elapsed of={of} />
        {children}
        <When at={of.started_at} prefix="began " />
        <When at={of.ended_at} prefix="ended " />
      </p>
      <div class="wrap">
        {of.task && <ButtonLink name="Its task" href={addressOf(['task', of.task])} />}
        {button}
      </div>
    </Head>
    {command !== undefined && <pre dir="ltr">{command}</pre>}
    {of.message && <p class={`note tone-${of.state === 'failed' ? 'failed' : 'pending'}`}>{of.message}</p>}
    <Output turn={of.id} isPlain={command !== undefined} />
  </article>
);

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

function StopJob({ job: { id, description, command } }: { job: Job }) {
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
