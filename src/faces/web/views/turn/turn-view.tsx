// One turn: who works or worked on what, how it went, what it cost, and what it prints.
import { addressOf } from '../../address.ts';
import { at } from '../../api/calls.ts';
import type { Turn } from '../../api/shapes.ts';
import { useShortcuts } from '../../keys/shortcuts.ts';
import { TurnMark } from '../../parts/marks.tsx';
import { Failed, Loading } from '../../parts/states.tsx';
import { sayCost, sayCount } from '../../parts/time-words.ts';
import { Elapsed, When } from '../../parts/times.tsx';
import { stopTurn } from '../../room/actions.ts';
import { useResource } from '../../room/resource.ts';
import { isJob } from './job-list.tsx';
import { JobView } from './job-view.tsx';
import { TurnOutput } from './turn-output.tsx';

export function TurnView({ path: [id = ''] }: { path: readonly string[] }) {
  const { value: turn, error } = useResource(at('showTurn', { turn: id }), ['turns']);
  if (error !== null && turn === null) return <Failed error={error} />;
  if (turn === null) return <Loading />;
  if (isJob(turn)) return <JobView path={[id]} />;
  return (
    <article class="turn-view">
      <TurnHead turn={turn} />
      {turn.message === null || turn.message === '' ? null : (
        <p class={turn.state === 'failed' ? 'why-not failed' : 'why-not'}>{turn.message}</p>
      )}
      <TurnOutput turn={turn} />
    </article>
  );
}

function TurnHead({ turn }: { turn: Turn }) {
  const stop = () => {
    if (turn.state === 'running') void stopTurn(turn.id);
  };
  useShortcuts([{ key: 's', about: 'Stop the turn', group: 'This turn', run: stop }]);
  const cost = sayCost(turn.usage?.cost_usd);
  const tokens = turn.usage ? turn.usage.input_tokens + turn.usage.output_tokens : 0;
  return (
    <header class="view-head">
      <h1 dir="auto">{turn.description}</h1>
      <p class="turn-facts">
        <TurnMark turn={turn} />
        <bdi>{turn.agent}</bdi>
        <Elapsed from={turn.started_at} to={turn.ended_at} pausedMs={turn.paused_ms} />
        <span>attempt {turn.attempt}</span>
        {tokens === 0 ? null : <span>{sayCount(tokens)} tokens</span>}
        {cost === null ? null : <span>{cost}</span>}
        <When at={turn.started_at} prefix="began " />
        <When at={turn.ended_at} prefix="ended " />
      </p>
      <div class="actions">
        {turn.task === null ? null : (
          <a class="button" href={addressOf(['task', turn.task])}>
            Its task
          </a>
        )}
        {turn.state === 'running' ? (
          <button type="button" onClick={stop}>
            Stop
          </button>
        ) : null}
      </div>
    </header>
  );
}
