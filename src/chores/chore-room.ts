// What running chores needs of the room; the facts of each chore, and of a failed run, put together from file and ledger.
import type { Chore } from '../core/chore/chore.ts';
import type { RoomConfig } from '../core/config/room-config.ts';
import type { EventBus } from '../core/events.ts';
import { threadOfChore } from '../core/ids.ts';
import type { Effects } from '../effects.ts';
import type { Ledger } from '../store/ledger/ledger.ts';
import type { ChoreChange } from '../store/ledger/mirrors/sources.ts';
import type { Room } from '../store/room.ts';
import { type ChoreFacts, healClock } from './due.ts';
import { afterFailure, type FailedRun } from './run-end.ts';
import { isTold } from './webhook-health.ts';

export interface ChoreRoom {
  readonly room: Room;
  readonly ledger: Ledger;
  readonly effects: Effects;
  readonly events: EventBus;
  config(): RoomConfig;
}

/** Why what a chore does is ended from outside. */
export type ChoreStop = 'paused' | 'canceled';

/** A chore whose work must end. */
export interface EndedChore {
  name: string;
  reason: ChoreStop;
}

/** What is known of each chore now. A clock that was set back is settled on the way. */
export function choreFacts(
  { ledger, effects }: Pick<ChoreRoom, 'ledger' | 'effects'>,
  chores: readonly Chore[],
  isSyncing: (name: string) => boolean,
): ChoreFacts[] {
  const now = effects.now();
  return chores.flatMap((chore): ChoreFacts[] => {
    const { name } = chore;
    const memory = ledger.chores.get(name);
    if (memory === null) return [];
    const busy = chore.mirror === null ? hasTurn(ledger, name) : isSyncing(name);
    const healed = busy ? null : healClock({ chore, memory }, now);
    if (healed === null) return [{ chore, memory, busy, told: isTold(ledger, memory) }];
    ledger.chores.update(name, healed);
    return [{ chore, memory: { ...memory, ...healed }, busy }];
  });
}

/** What a failed run means for the chore, by what is on record of it. */
export function failureOf(
  deps: Pick<ChoreRoom, 'ledger' | 'effects' | 'config'>,
  chore: Chore,
  failure: Pick<FailedRun, 'record' | 'code' | 'retryAfterMs'>,
): ChoreChange {
  const { ledger, effects } = deps;
  const { maxAttempts, timezone } = deps.config();
  return afterFailure({
    chore,
    ...failure,
    failures: ledger.chores.get(chore.name)?.failures ?? 0,
    maxAttempts,
    timezone,
    now: effects.now(),
    random: effects.randomBytes(1)[0]! / 256,
  });
}

/** A turn of the chore runs or waits. */
function hasTurn(ledger: Ledger, name: string): boolean {
  const thread = threadOfChore(name);
  return ledger.requests.get(thread) !== null || ledger.turns.runningOn(thread) !== null;
}
