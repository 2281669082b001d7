// Turns that ended, newest first.
import { addressOf } from '../../address.ts';
import type { Turn } from '../../api/shapes.ts';
import { TurnMark } from '../../parts/marks.tsx';
import { Elapsed, UsedCost, When } from '../../parts/times.tsx';

export function EndedList({ turns }: { turns: readonly Turn[] }) {
  return (
    <ul class="rows">
      {turns.map((turn) => (
        <li key={turn.id}>
          <a class="turn-row" data-stop href={addressOf(['turn', turn.id])}>
            <TurnMark turn={turn} />
            <bdi class="turn-what">{turn.description}</bdi>
            <span class="muted turn-facts">
              <bdi>{turn.agent}</bdi>
              <Elapsed from={turn.started_at} to={turn.ended_at} pausedMs={turn.paused_ms} />
              <UsedCost turn={turn} />
              <When at={turn.ended_at} />
            </span>
          </a>
        </li>
      ))}
    </ul>
  );
}
