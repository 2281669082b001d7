// Sends local changes of mirrored tasks upstream soon after they happened, between the syncs that their chores run.
// Holds no list of its own: what waits, and until when, follows from the ledger each time.
import type { Effects, Timer } from '../effects.ts';

export interface PushesOptions {
  effects: Effects;
  /** Chores with something to send, and when; a source that failed is left alone until its time. */
  dirty(): { chore: string; dueAt: number }[];
  /** Sends what waits for one chore. What fails is on record, and `dirty` says when to try again. */
  push(chore: string, signal: AbortSignal): Promise<void>;
  /** A push began or ended. */
  onChange(): void;
  onTrouble(error: unknown): void;
}

export interface Pushes {
  /** Something may be there to be sent. */
  look(): void;
  /** True while something is sent, or will be within a moment. */
  isBusy(): boolean;
  /** Ends what is being sent, and waits for it. */
  stop(): Promise<void>;
}

// The entries an agent writes at the end of its turn go up together.
const SOON_MS = 500;
// Laptops sleep and clocks are set: never wait without a look at the clock for longer.
const LONGEST_WAIT_MS = 60_000;

export function createPushes({ effects, dirty, push, onChange, onTrouble }: PushesOptions): Pushes {
  const control = new AbortController();
  let soon: Timer | null = null;
  let later: Timer | null = null;
  let running: Promise<void> | null = null;
  /** Asked for while it ran. */
  let again = false;

  function look(): void {
    if (control.signal.aborted) return;
    if (running !== null) again = true;
    else soon ??= effects.setTimer(SOON_MS, begin, true);
  }

  function begin(): void {
    soon = null;
    if (control.signal.aborted) return;
    running = sendAll().finally(() => {
      running = null;
      if (again) look();
      again = false;
      onChange();
    });
    onChange();
  }

  async function sendAll(): Promise<void> {
    try {
      const tried = new Set<string>();
      for (;;) {
        const next = dirty().find(({ chore, dueAt }) => dueAt <= effects.now() && !tried.has(chore));
        if (next === undefined || control.signal.aborted) break;
        tried.add(next.chore);
        await push(next.chore, control.signal);
      }
      waitForLater();
    } catch (error) {
      onTrouble(error);
    }
  }

  function waitForLater(): void {
    later?.cancel();
    later = null;
    const times = dirty().map(({ dueAt }) => dueAt);
    if (times.length === 0 || control.signal.aborted) return;
    const wait = Math.max(SOON_MS, Math.min(...times) - effects.now());
    later = effects.setTimer(Math.min(wait, LONGEST_WAIT_MS), look, true);
  }

  return {
    look,
    isBusy: () => soon !== null || running !== null,
    async stop() {
      control.abort();
      soon?.cancel();
      later?.cancel();
      soon = null;
      await running;
    },
  };
}
