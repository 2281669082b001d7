// Times as people say them, kept current, with the exact one as the tip.
import type { Turn } from '../api/shapes.ts';
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

/** How long it runs, or ran. */
export function Elapsed({
  from,
  to,
  pausedMs = 0,
}: {
  from: string | null;
  to: string | null;
  pausedMs?: number;
}) {
  if (from === null) return null;
  const end = to === null ? now.value : Date.parse(to);
  return <span class="elapsed">{sayElapsed(end - Date.parse(from) - pausedMs)}</span>;
}

export function UsedCost({ turn }: { turn: Turn }) {
  const cost = sayCost(turn.usage?.cost_usd);
  return cost === null ? null : <span>{cost}</span>;
}
