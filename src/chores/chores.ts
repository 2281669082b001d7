// The chores of a running room: their files are taken in, what is due runs (a mirror by its sync, a prompt by asking for
// a turn), and what a removed or paused one does is ended. One chore's trouble stops no other.
import type { Chore } from '../core/chore/chore.ts';
import type { Wake } from '../core/rules/decide.ts';
import type { ChoreRoom, ChoreStop } from './chore-room.ts';
import { createDueRuns } from './due-runs.ts';
import type { KnownChores } from './known-chores.ts';
import type { SyncChore } from './sync-run.ts';
import { createSyncRuns } from './sync-runs.ts';

export interface ChoresOptions {
  deps: ChoreRoom;
  known: KnownChores;
  /** Only what is due at the start runs, and what a person asks for. */
  once: boolean;
  syncChore: SyncChore;
  /** Asks for a prompt's turn; joins the transaction it is called in. */
  askTurn(chore: Chore, reason: Wake): void;
  /** Takes back what was asked for and not started, and ends a running turn. */
  stopTurn(name: string, reason: ChoreStop): void;
  /** Turns were asked for, or a sync ended. */
  onChange(): void;
  onTrouble(error: unknown): void;
}

export interface Chores {
  /** Reads the files, so that turns of before find their chores; runs nothing. */
  prepare(): Promise<void>;
  /** Runs what is due; resolves when all that is has begun. */
  start(): Promise<void>;
  /** The files may have changed, or a person asked for a run. Never rejects. */
  look(): Promise<void>;
  /** A prompt's turn is over. */
  turnOver(): void;
  /** True while a sync runs or waits for its place. */
  isBusy(): boolean;
  /** True when a prompt that failed is tried again by itself. */
  awaitsRetry(): boolean;
  /** Ends syncs and waits for them. */
  stop(): Promise<void>;
}

export function createChores(options: ChoresOptions): Chores {
  const { deps, known, onTrouble } = options;
  const syncs = createSyncRuns({ deps, sync: options.syncChore, onEnd: afterSync, onTrouble });
  const dueRuns = createDueRuns({ ...options, syncs });
  const rounds = createSharedRounds(oneRound);
  let isOpen = false;

  async function oneRound(): Promise<void> {
    if (!isOpen) return;
    try {
      await takeInFiles();
      dueRuns.run();
    } catch (error) {
      onTrouble(error);
      dueRuns.runLater();
    }
  }

  async function takeInFiles(): Promise<void> {
    const found = await known.read();
    if (!isOpen) return;
    for (const { name, reason } of known.takeIn(found)) {
      syncs.end(name);
      options.stopTurn(name, reason);
    }
  }

  function afterSync(): void {
    dueRuns.run();
    options.onChange();
  }

  return {
    prepare() {
      isOpen = true;
      return rounds.ask();
    },
    async start() {
      isOpen = true;
      dueRuns.allow('all');
      await rounds.ask();
      if (options.once) dueRuns.allow('asked');
    },
    look: () => (isOpen ? rounds.ask() : Promise.resolve()),
    turnOver: dueRuns.run,
    isBusy: () => syncs.count() > 0,
    awaitsRetry: () => known.list().some((chore) => isRetriedByItself(deps, chore)),
    async stop() {
      isOpen = false;
      dueRuns.stop();
      await syncs.stop();
      await rounds.settled();
    },
  };
}

/** One round at a time: calls that come during one share the next. @param oneRound never rejects */
function createSharedRounds(oneRound: () => Promise<void>) {
  let isAsked = false;
  let running: Promise<void> | null = null;

  async function run(): Promise<void> {
    while (isAsked) {
      isAsked = false;
      await oneRound();
    }
    running = null;
  }

  return {
    /** Resolves when a round that began after this call is over. */
    ask(): Promise<void> {
      isAsked = true;
      running ??= run();
      return running;
    },
    settled: (): Promise<void> => running ?? Promise.resolve(),
  };
}

function isRetriedByItself({ ledger }: ChoreRoom, chore: Chore): boolean {
  const memory = chore.mirror === null && !chore.paused ? ledger.chores.get(chore.name) : null;
  return memory !== null && memory.failures > 0 && memory.retryAt !== null;
}
