// Sends local changes of mirrored tasks upstream soon after they happened, between the syncs that their chores run.
// Holds no list of its own: what waits, and until when, follows from the ledger each time.

import type { Effects, Timer } from '../../effects.ts';
import { LONGEST_WAIT_MS } from '../alarm.ts';
import type { Base } from '../base.ts';
import type { PulseDependencies } from '../ports.ts';

export interface PushesOptions extends Pick<Base, 'keep' | 'onTrouble'> {
  effects: Effects;
  /** A room that mirrors nothing is not kept waiting. A source that failed is left alone until its time. */
  mirrors: Pick<PulseDependencies, 'isMirrored' | 'dirtySources'>;
  /** Sends what waits for one chore. What fails is on record, and `dirtySources` says when to try again. */
  push: PulseDependencies['pushChore'];
  idle: Pick<Base['idle'], 'check'>;
}

// The entries an agent writes at the end of its turn go up together.
const SOON_MS = 500;

export function createUpstreamPushes(options: PushesOptions) {
  const { effects, mirrors, push, idle, keep, onTrouble } = options;
  const control = new AbortController();
  let soon: Timer | null = null;
  let later: Timer | null = null;
  const running = new Map<string, Promise<void>>();

  /** Something may be there to be sent. */
  const look = keep(() => {
    if (control.signal.aborted || !mirrors.isMirrored()) return;
    soon ??= effects.setTimer(SOON_MS, begin, true);
  });

  /** Each source for itself: one that is slow holds up no other. */
  const begin = keep(() => {
    soon = null;
    if (control.signal.aborted) return;
    const dirty = mirrors.dirtySources().filter(({ chore }) => !running.has(chore));
    const now = effects.now();
    for (const { chore } of dirty.filter(({ dueAt }) => dueAt <= now)) running.set(chore, send(chore));
    waitFor(dirty.filter(({ dueAt }) => dueAt > now).map(({ dueAt }) => dueAt - now));
    idle.check();
  });

  async function send(chore: string): Promise<void> {
    try {
      await push(chore, control.signal);
    } catch (error) {
      onTrouble(error);
    } finally {
      running.delete(chore);
      // Something may have changed while it was sent, or waits for its time.
      look();
      idle.check();
    }
  }

  function waitFor(waits: readonly number[]): void {
    later?.cancel();
    later = waits.length === 0 ? null : effects.setTimer(Math.min(...waits, LONGEST_WAIT_MS), look, true);
  }

  return {
    look,
    /** True while something is sent, or will be within a moment. */
    isBusy: (): boolean => soon !== null || running.size > 0,
    /** Ends what is being sent, and waits for it. */
    async stop(): Promise<void> {
      control.abort();
      soon?.cancel();
      later?.cancel();
      soon = null;
      await Promise.all(running.values());
    },
  };
}
