// Looks at the documents in artifacts/: soon after something happened there, at each sweep, and once more when one that was
// still being written has been quiet. One look at a time.

import type { Effects, Timer } from '../../effects.ts';
import type { Base } from '../base.ts';
import type { PulseDependencies } from '../ports.ts';

interface ArtifactLooksOptions extends Pick<Base, 'deps' | 'once' | 'feedback' | 'idle' | 'onTrouble'> {
  takeIn: PulseDependencies['takeInArtifacts'];
}

// Several files of one save are looked at together.
const SOON_MS = 50;

export function createArtifactLooks(options: ArtifactLooksOptions) {
  const { deps, takeIn, feedback, idle, onTrouble } = options;
  const { effects } = deps;
  let timer: Timer | null = null;
  let running: Promise<void> | null = null;
  let isAsked = false;
  let isClosed = false;

  function after(delayMs: number): void {
    timer?.cancel();
    timer = isClosed ? null : wait(effects, delayMs, () => void look());
  }

  /** Looks now; resolves when what was found is taken in. Never rejects. */
  function look(): Promise<void> {
    timer?.cancel();
    timer = null;
    if (isClosed) return Promise.resolve();
    isAsked = running !== null;
    running ??= takeAll().finally(() => {
      running = null;
      idle.check();
    });
    return running;
  }

  async function takeAll(): Promise<void> {
    do {
      isAsked = false;
      try {
        const { againInMs, changed } = await takeIn({ quietMs: options.once ? 0 : deps.config().settleMs });
        if (changed) await feedback.synced();
        if (againInMs !== null) after(againInMs);
      } catch (error) {
        onTrouble(error);
      }
    } while (isAsked && !isClosed);
  }

  return {
    /** Something may have happened. */
    hint: (): void => after(SOON_MS),
    look,
    /** True while documents are taken in, or one is waited for. */
    isBusy: (): boolean => running !== null || timer !== null,
    async close(): Promise<void> {
      isClosed = true;
      timer?.cancel();
      timer = null;
      await running;
    },
  };
}

function wait(effects: Pick<Effects, 'setTimer'>, delayMs: number, run: () => void): Timer {
  return effects.setTimer(delayMs, run, true);
}
