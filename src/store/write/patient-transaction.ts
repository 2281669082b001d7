// Ledger transactions that wait for other processes without blocking the event loop.
import { isRoomError } from '../../core/errors.ts';
import { type Effects, sleep } from '../../effects.ts';
import type { Database } from '../ledger/database.ts';

// The event loop stands still for no longer than this at a time.
const TRY_MS = 4;
const GIVE_UP_MS = 30_000;

/** Runs `body` in one transaction. Rejects with RoomError `locked` when others keep the ledger busy for 30 s. */
export type Transact = <T>(body: () => T) => Promise<T>;

export function patientTransactions(database: Database, effects: Effects): Transact {
  return async (body) => {
    const giveUpAt = effects.monotonicMs() + GIVE_UP_MS;
    for (;;) {
      try {
        return database.transaction(body, TRY_MS);
      } catch (error) {
        if (!isRoomError(error, 'locked') || effects.monotonicMs() > giveUpAt) throw error;
        await sleep(effects, 1 + (effects.randomBytes(1)[0]! % 16));
      }
    }
  };
}
