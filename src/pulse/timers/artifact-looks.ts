// Looks at the documents in artifacts/: soon after something happened there, at each rescan, and once more when one that was
// still being written has been quiet.
import { createRounds } from '../../effects.ts';
import type { Loop } from '../state/loop.ts';

// Several files of one save are looked at together.
const SOON_MS = 50;

/** @param onChange called when documents changed the room, before it may be idle */
export function createArtifactLooks(loop: Loop, onChange: () => Promise<void>) {
  const timers = loop.newTimers();
  let isClosed = false;
  const rounds = createRounds(() => loop.during(takeIn));

  async function takeIn(): Promise<void> {
    if (isClosed) return;
    try {
      const quietMs = loop.mode.once ? 0 : loop.deps.config().settleMs;
      const { againInMs, changed } = await loop.takeInArtifacts({ quietMs });
      if (changed) await onChange();
      if (againInMs !== null) after(againInMs);
    } catch (error) {
      loop.onTrouble(error);
    }
  }

  function after(delayMs: number): void {
    timers.set('artifacts', delayMs, look);
  }

  /** Looks now; resolves when what was found is taken in. Never rejects. */
  function look(): Promise<void> {
    timers.cancel('artifacts');
    return rounds.ask();
  }

  return {
    hint: (): void => after(SOON_MS),
    look,
    async close(): Promise<void> {
      isClosed = true;
      timers.close();
      await rounds.settled();
    },
  };
}
