// Starts what is due, and waits for what will be, with one timer. Holds no schedule of its own: what is due follows from
// the files, the ledger and the clock each time.
import type { Chore } from '../core/chore/chore.ts';
import type { Wake } from '../core/rules/decide.ts';
import type { Timer } from '../effects.ts';
import { type ChoreRoom, choreFacts } from './chore-room.ts';
import { type DueChore, type DueReason, planChores } from './due.ts';
import type { KnownChores } from './known-chores.ts';
import type { SyncRuns } from './sync-runs.ts';

export interface DueRunsOptions {
  deps: ChoreRoom;
  known: Pick<KnownChores, 'list'>;
  syncs: Pick<SyncRuns, 'add' | 'has'>;
  /** No timer: only what is due at the start runs, and what a person asks for. */
  once: boolean;
  /** Asks for a prompt's turn; joins the transaction it is called in. */
  askTurn(chore: Chore, reason: Wake): void;
  /** Something was started. */
  onChange(): void;
  onTrouble(error: unknown): void;
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

export function createDueRuns(options: DueRunsOptions) {
  const { deps, known, syncs, once, onTrouble } = options;
  const { effects } = deps;
  let allowed: 'nothing' | 'all' | 'asked' = 'nothing';
  let stopped = false;
  let timer: Timer | null = null;

  /** Starts what is due and allowed. Never throws. */
  function run(): void {
    if (stopped || allowed === 'nothing') return;
    try {
      const plan = planChores(
        choreFacts(deps, known.list(), syncs.has),
        deps.config().timezone,
        effects.now(),
      );
      const starts = plan.due.filter(({ reason }) => allowed === 'all' || reason === 'asked');
      for (const due of starts) startRun(options, due);
      waitUntil(plan.wakeAt);
      if (starts.length > 0) options.onChange();
    } catch (error) {
      onTrouble(error);
      waitUntil(null);
    }
  }

  function waitUntil(wakeAt: number | null): void {
    timer?.cancel();
    timer = null;
    if (once || stopped) return;
    const waitMs = wakeAt === null ? LONGEST_WAIT_MS : wakeAt - effects.now();
    const delayMs = Math.min(Math.max(waitMs, LEAST_WAIT_MS), LONGEST_WAIT_MS);
    timer = effects.setTimer(delayMs, run, true);
  }

  return {
    /** From now on, what of the due chores `run` starts; nothing before the first call. */
    allow(what: 'all' | 'asked'): void {
      allowed = what;
    },
    run,
    /** Looks again after the longest wait: what is due can't be told now. */
    runLater: (): void => waitUntil(null),
    stop(): void {
      stopped = true;
      timer?.cancel();
    },
  };
}

function startRun({ deps, syncs, askTurn }: DueRunsOptions, { chore, reason }: DueChore): void {
  const { ledger, effects, events } = deps;
  const kind = chore.mirror === null ? 'prompt' : 'mirror';
  // The clock, the asking and what it leads to are one step: none is lost, and none comes twice.
  ledger.transaction(() => {
    ledger.chores.update(chore.name, { startedAt: effects.now(), endedAt: null, askedAt: null });
    if (kind === 'prompt') askTurn(chore, TURN_REASONS[reason]);
  });
  events.emit({ type: 'chore.due', name: chore.name, kind, reason });
  if (kind === 'mirror') syncs.add(chore);
}
