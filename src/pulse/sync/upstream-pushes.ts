// Sends local changes of mirrored tasks upstream soon after they happened, between the syncs that their chores run.
// Holds no list of its own: what waits, and until when, follows from the ledger each time.
import type { Base } from '../base.ts';
import { LONGEST_WAIT_MS } from '../timers.ts';

// The entries an agent writes at the end of its turn go up together.
const SOON_MS = 500;

/** @param onSynced called when something was sent, or could not be; what fails is on record, with when to try again */
export function createUpstreamPushes(base: Base, onSynced: () => Promise<void>) {
  const { deps, keep, onTrouble } = base;
  const control = new AbortController();
  const soon = base.newTimers();
  const running = new Map<string, Promise<void>>();

  /** Something may be there to be sent. A room that mirrors nothing is not kept waiting. */
  const look = keep(() => {
    if (control.signal.aborted || soon.count() > 0 || !base.isMirrored()) return;
    soon.set('pushes', SOON_MS, begin);
  });

  /** Each source for itself: one that is slow holds up no other, and one that failed is left alone until its time. */
  const begin = keep(() => {
    if (control.signal.aborted) return;
    const dirty = base.dirtySources().filter(({ chore }) => !running.has(chore));
    const now = deps.effects.now();
    for (const { chore, dueAt } of dirty)
      if (dueAt <= now)
        running.set(
          chore,
          base.during(() => send(chore)),
        );
    const waits = dirty.filter(({ dueAt }) => dueAt > now).map(({ dueAt }) => dueAt - now);
    if (waits.length === 0) base.timers.cancel('pushes');
    else base.timers.set('pushes', Math.min(...waits, LONGEST_WAIT_MS), look);
  });

  async function send(chore: string): Promise<void> {
    try {
      await base.pushChore(chore, control.signal).finally(onSynced);
    } catch (error) {
      onTrouble(error);
    } finally {
      running.delete(chore);
      // Something may have changed while it was sent, or waits for its time.
      look();
    }
  }

  return {
    look,
    /** Ends what is being sent, and waits for it. */
    async stop(): Promise<void> {
      control.abort();
      soon.close();
      await Promise.all(running.values());
    },
  };
}
