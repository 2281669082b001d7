// Turns in a list, with the way into each.
import { addressOf } from '../../address.ts';
import type { Turn } from '../../api/shapes.ts';
import { TurnMark } from '../../parts/marks.tsx';
import { TurnFacts } from '../../parts/times.tsx';

/** @param isOfOneTask the reader knows what they were about */
export function TurnRows({ turns, isOfOneTask = false }: { turns: readonly Turn[]; isOfOneTask?: boolean }) {
  return (
    <ul>
      {turns.map((turn) => (
        <li key={turn.id}>
          <a class="turn-row line" data-stop href={addressOf(['turn', turn.id])}>
            <TurnMark turn={turn} />
            {isOfOneTask || <bdi class="grow cut">{turn.description}</bdi>}
            <TurnFacts turn={turn} />
          </a>
        </li>
      ))}
    </ul>
  );
}
