// Times as people say them, kept current, with the exact one as the tip.
import type { Job, Turn } from '../api/shapes.ts';
import { now } from '../room/live.ts';
import { sayCost, sayElapsed, sayWhen } from './time-words.ts';

export function When({ at, prefix = '' }: { at: string | null; prefix?: string }) {
  if (at === null) return null;
  const date = new Date(at);
  return (
    <time
      dateTime={at}
      // Made when somebody looks: hundreds of them are drawn.
      onPointerEnter={({ currentTarget }) => {
        currentTarget.title = date.toLocaleString();
      }}
    >
      {prefix}
      {sayWhen(date.getTime(), now.value)}
    </time>
  );
}

export function Elapsed({ of: { started_at: from, ended_at: to, paused_ms: pausedMs } }: { of: Turn | Job }) {
  if (from === null) return null;
  const end = to === null ? now.value : Date.parse(to);
  return <span>{sayElapsed(end - Date.parse(from) - pausedMs)}</span>;
}

/** Whose turn it is, how long it took, what it cost and when it ended. */
export function TurnFacts({ turn }: { turn: Turn | Job }) {
  const cost = 'usage' in turn ? sayCost(turn.usage?.cost_usd) : null;
  return (
    <span class="turn-facts wrap muted">
      <bdi>{turn.agent}</bdi>
      <Elapsed of={turn} />
      {cost && <span>{cost}</span>}
      <When at={turn.ended_at ?? turn.started_at} />
    </span>
  );
}
