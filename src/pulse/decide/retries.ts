// Tasks whose turn failed are decided over again when their time has come.

import { createAlarm, LONGEST_WAIT_MS } from '../alarm.ts';
import type { Base } from '../base.ts';
import type { Settling } from './settling.ts';

export type Retries = ReturnType<typeof createRetries>;

// One that can't start now (its agent is missing, say) stays due: it is looked at again, but not at once.
const AGAIN_MS = 5_000;

export function createRetries({
  deps,
  settling,
  keep,
  onTrouble,
}: Pick<Base, 'deps' | 'keep' | 'onTrouble'> & { settling: Pick<Settling, 'decide'> }) {
  const { tasks } = deps.ledger;
  const { effects } = deps;
  const alarm = createAlarm(effects, onTrouble);

  function waitAtLeast(leastMs: number): void {
    const at = tasks.nextRetryAt();
    if (at !== null) alarm.set(Math.min(Math.max(at - effects.now(), leastMs), LONGEST_WAIT_MS), decideDue);
  }
  /** Waits for the next retry; to be called when that may have moved. */
  const wait = keep(() => waitAtLeast(0));
  const decideDue = keep(() => {
    tasks.retriesDue(effects.now()).forEach(settling.decide);
    waitAtLeast(AGAIN_MS);
  });

  return { wait, close: alarm.close };
}
