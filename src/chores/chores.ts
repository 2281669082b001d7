// Runs the room's chores when they are due: a mirror by its sync, a prompt by asking for a turn. Holds no schedule of its
// own: what is due follows from the files, the ledger and the clock each time. One chore's trouble stops no other.
import type { Chore } from '../core/chore/chore.ts';
import type { Wake } from '../core/rules/decide.ts';
import type { Timer } from '../effects.ts';
import { type ChoreFile, createChoreFiles } from '../store/chore-files.ts';
import { type ChoreRoom, type ChoreStop, choreFacts } from './chore-room.ts';
import { type DueChore, type DueReason, planChores } from './due.ts';
import { createInvalidChoreReport } from './invalid-chores.ts';
import { takeInChores } from './record-chore-files.ts';
import { createSyncRuns, type SyncChore } from './sync-runs.ts';

export interface ChoresOptions {
  deps: ChoreRoom;
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
  /** The chore as its file says it now; null when it is gone or can't be read. */
  find(name: string): Chore | null;
  /** Ends syncs and waits for them. */
  stop(): Promise<void>;
}

// Laptops sleep and clocks are set: never wait without a look at the clock for longer.
const LONGEST_WAIT_MS = 60_000;
const LEAST_WAIT_MS = 10;

const TURN_REASONS: Readonly<Record<DueReason, Wake>> = {
  asked: 'run',
  first: 'scheduled',
  scheduled: 'scheduled',
  retry: 'retry',
  interrupted: 'retry',
};

export function createChores(options: ChoresOptions): Chores {
  const { deps, once, onTrouble } = options;
  const { ledger, effects, events } = deps;
  const files = createChoreFiles(deps.room, effects);
  const news = createInvalidChoreReport(events);
  const syncs = createSyncRuns({ deps, sync: options.syncChore, onEnd: afterSync, onTrouble });
  let known = new Map<string, ChoreFile>();
  let timer: Timer | null = null;
  let reading: Promise<void> | null = null;
  let again = false;
  let open = false;
  let started = false;
  /** What was due at the start has begun. */
  let began = false;

  /** Reads and runs; calls that come meanwhile share one more round. */
  function look(): Promise<void> {
    again = true;
    reading ??= rounds().finally(() => {
      reading = null;
    });
    return reading;
  }

  async function rounds(): Promise<void> {
    while (again && open) {
      again = false;
      try {
        await takeIn();
        runDue();
      } catch (error) {
        onTrouble(error);
        arm(null);
      }
    }
  }

  async function takeIn(): Promise<void> {
    const found = await files.read();
    if (!open) return;
    news.tell(found.invalid);
    const before = known;
    known = found.chores;
    for (const { name, reason } of takeInChores(deps, before, found)) {
      syncs.end(name);
      options.stopTurn(name, reason);
    }
  }

  function runDue(): void {
    if (!open || !started) return;
    const now = effects.now();
    const { timezone } = deps.config();
    const chores = [...known.values()].map(({ chore }) => chore);
    const plan = planChores(choreFacts(deps, chores, syncs.has), timezone, now);
    const starts = plan.due.filter(({ reason }) => !began || !once || reason === 'asked');
    for (const due of starts) run(due);
    arm(plan.wakeAt);
    if (starts.length > 0) options.onChange();
  }

  function run({ chore, reason }: DueChore): void {
    const kind = chore.mirror === null ? 'prompt' : 'mirror';
    // The clock, the asking and what it leads to are one step: none is lost, and none comes twice.
    ledger.transaction(() => {
      ledger.chores.update(chore.name, { startedAt: effects.now(), endedAt: null, askedAt: null });
      if (kind === 'prompt') options.askTurn(chore, TURN_REASONS[reason]);
    });
    events.emit({ type: 'chore.due', name: chore.name, kind, reason });
    if (kind === 'mirror') syncs.add(chore);
  }

  function afterSync(): void {
    if (open) tick();
    options.onChange();
  }

  function arm(wakeAt: number | null): void {
    timer?.cancel();
    timer = null;
    if (once || !open) return;
    const waitMs = wakeAt === null ? LONGEST_WAIT_MS : wakeAt - effects.now();
    const delayMs = Math.min(Math.max(waitMs, LEAST_WAIT_MS), LONGEST_WAIT_MS);
    timer = effects.setTimer(delayMs, tick, true);
  }

  function tick(): void {
    try {
      runDue();
    } catch (error) {
      onTrouble(error);
      arm(null);
    }
  }

  return {
    async prepare() {
      open = true;
      await look();
    },
    async start() {
      open = true;
      started = true;
      await look();
      began = true;
    },
    look: () => (open ? look() : Promise.resolve()),
    turnOver() {
      if (open) tick();
    },
    isBusy: () => syncs.count() > 0,
    awaitsRetry() {
      const waits = ({ failures, retryAt }: { failures: number; retryAt: number | null }) =>
        failures > 0 && retryAt !== null;
      return [...known.values()].some(({ chore }) => {
        const memory = chore.mirror === null && !chore.paused ? ledger.chores.get(chore.name) : null;
        return memory !== null && waits(memory);
      });
    },
    find: (name) => known.get(name)?.chore ?? null,
    async stop() {
      open = false;
      timer?.cancel();
      await syncs.stop();
      await reading;
    },
  };
}
