// Counts of deliveries, put into the ledger once a second: whoever sends many costs no write each.
import { isRoomError } from '../../core/errors.ts';
import type { Effects, Timer } from '../../effects.ts';
import type { Ledger } from '../../store/ledger/ledger.ts';
import type { WebhookCount } from '../../store/ledger/mirrors/sources.ts';

export interface Tally {
  /** One more; `chore` is '' when it concerns none. */
  count(provider: string, chore: string, what: string): void;
  /** Puts what was counted on record now. */
  flush(): void;
}

const EVERY_MS = 1_000;
/** Words of a tracker that nobody knows yet must not grow the ledger for ever. */
const MOST_KINDS = 500;

export function createTally(ledger: Pick<Ledger, 'transaction' | 'webhooks'>, effects: Effects): Tally {
  let counts = new Map<string, WebhookCount>();
  let timer: Timer | null = null;

  /** What the disk refuses now is tried again, with what is counted until then. */
  function flushLater(): void {
    timer = effects.setTimer(
      EVERY_MS,
      () => {
        try {
          flush();
        } catch (error) {
          if (!isRoomError(error)) throw error;
          flushLater();
        }
      },
      true,
    );
  }

  function flush(): void {
    timer?.cancel();
    timer = null;
    const counted = [...counts.values()];
    if (counted.length === 0) return;
    ledger.transaction(() => {
      ledger.webhooks.add(counted);
      for (const { chore, at } of counted) if (chore !== '') ledger.webhooks.mark(chore, 'heardAt', at);
    });
    counts = new Map();
  }

  return {
    count(provider, chore, what) {
      const key = JSON.stringify([provider, chore, what]);
      const known = counts.get(key);
      const at = effects.now();
      if (known) Object.assign(known, { count: known.count + 1, at });
      else if (counts.size < MOST_KINDS) counts.set(key, { provider, chore, what, count: 1, at });
      if (timer === null) flushLater();
    },
    flush,
  };
}
