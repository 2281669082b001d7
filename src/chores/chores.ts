// The chores of a running room: their files are taken in, what is due runs (a mirror by its sync, a prompt by asking for
// a turn), and what a removed or paused one does is ended. Holds no schedule of its own: what is due follows from the
// files, the ledger and the clock each time, with one timer for what will be. One chore's trouble stops no other.
import type { Chore } from '../core/chore/chore.ts';
import type { EventBus } from '../core/events.ts';
import { createRounds } from '../core/keyed-mutex.ts';
import { sameWords } from '../core/rules/checks.ts';
import type { Wake } from '../core/rules/decide.ts';
import type { Timer } from '../effects.ts';
import type { ChoreFile, ChoresReading, InvalidChore } from '../store/files/chore-files.ts';
import { createChoreFiles } from '../store/files/chore-files.ts';
import type { RoomParts } from '../store/ledger/ledger.ts';
import { type ChoreStop, choreFacts, type EndedChore } from './chore-room.ts';
import { type DueChore, type DueReason, planChores } from './due.ts';
import { createSyncRuns, type SyncChore } from './sync-runs.ts';

export interface ChoresOptions {
  deps: RoomParts;
  known: KnownChores;
  once: boolean; // No timer: only what is due at the start runs, and what a person asks for.
  syncChore: SyncChore;
  /** Asks for a prompt's turn; joins the transaction it is called in. */
  askTurn(chore: Chore, reason: Wake): void;
  /** Takes back what was asked for and not started, and ends a running turn. */
  stopTurn(name: string, reason: ChoreStop): void;
  onChange(): void;
  onTrouble(error: unknown): void;
}

export type Chores = ReturnType<typeof createChores>;
type SyncRuns = ReturnType<typeof createSyncRuns>;

export function createChores(options: ChoresOptions) {
  const { deps, known, onTrouble } = options;
  const syncs = createSyncRuns(options, () => {
    dueRuns.run();
    options.onChange();
  });
  const dueRuns = createDueRuns(options, syncs);
  const rounds = createRounds(lookNow);
  let isOpen = false;

  async function lookNow(): Promise<void> {
    if (!isOpen) return;
    try {
      const found = await known.read();
      if (!isOpen) return;
      for (const { name, reason } of known.takeIn(found)) {
        syncs.end(name);
        options.stopTurn(name, reason);
      }
      dueRuns.run();
    } catch (error) {
      onTrouble(error);
      dueRuns.runLater();
    }
  }

  return {
    /** Reads the files, so that turns of before find their chores; runs nothing. */
    prepare(): Promise<void> {
      isOpen = true;
      return rounds.ask();
    },
    /** Runs what is due; resolves when all that is has begun. */
    async start(): Promise<void> {
      isOpen = true;
      dueRuns.allow('all');
      await rounds.ask();
      if (options.once) dueRuns.allow('asked');
    },
    look: rounds.ask, // The files may have changed, or a person asked for a run. Never rejects.
    turnOver: dueRuns.run,
    isBusy: (): boolean => syncs.count() > 0, // True while a sync runs or waits for its place.
    /** True when a prompt that failed is tried again by itself. */
    awaitsRetry: (): boolean => known.list().some((chore) => isRetriedByItself(deps, chore)),
    async stop(): Promise<void> {
      isOpen = false;
      dueRuns.stop();
      await syncs.stop();
      await rounds.settled();
    },
  };
}

function isRetriedByItself({ ledger }: RoomParts, chore: Chore): boolean {
  const memory = chore.mirror === null && !chore.paused ? ledger.chores.get(chore.name) : null;
  return memory !== null && memory.failures > 0 && memory.retryAt !== null;
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

function createDueRuns(options: ChoresOptions, syncs: SyncRuns) {
  const { deps, known } = options;
  const { effects } = deps;
  let allowed: 'nothing' | 'all' | 'asked' = 'nothing';
  let stopped = false;
  let timer: Timer | null = null;

  /** Starts what is due and allowed. Never throws. */
  function run(): void {
    if (stopped || allowed === 'nothing') return;
    try {
      const facts = choreFacts(deps, known.list(), syncs.has);
      const plan = planChores(facts, deps.config().timezone, effects.now());
      const starts = plan.due.filter(({ reason }) => allowed === 'all' || reason === 'asked');
      for (const due of starts) startRun(options, syncs, due);
      waitUntil(plan.wakeAt);
      if (starts.length > 0) options.onChange();
    } catch (error) {
      options.onTrouble(error);
      waitUntil(null);
    }
  }

  function waitUntil(wakeAt: number | null): void {
    timer?.cancel();
    if (options.once || stopped) return;
    const waitMs = wakeAt === null ? LONGEST_WAIT_MS : wakeAt - effects.now();
    timer = effects.setTimer(Math.min(Math.max(waitMs, LEAST_WAIT_MS), LONGEST_WAIT_MS), run, true);
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

function startRun({ deps, askTurn }: ChoresOptions, syncs: SyncRuns, { chore, reason }: DueChore): void {
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

export type KnownChores = ReturnType<typeof createKnownChores>;

export function createKnownChores(deps: RoomParts) {
  const files = createChoreFiles(deps);
  const tellInvalid = createInvalidChoreReport(deps.events);
  let known = new Map<string, ChoreFile>();
  return {
    read: (): Promise<ChoresReading> => files.read(), // What the files say now; changes nothing.
    /** Makes a reading the one that counts, here and in the ledger; returns the chores whose work must end. */
    takeIn(reading: ChoresReading): EndedChore[] {
      tellInvalid(reading.invalid);
      const before = known;
      known = reading.chores;
      remember(deps, reading);
      return endedSince(before, reading);
    },
    list: (): Chore[] => [...known.values()].map(({ chore }) => chore),
    /** The chore as its file said last; null when it is gone or can't be read. */
    find: (name: string): Chore | null => known.get(name)?.chore ?? null,
  };
}

function remember({ ledger, effects }: RoomParts, { chores }: ChoresReading): void {
  const { saidWords } = ledger;
  const now = effects.now();
  ledger.transaction(() => {
    for (const [name, { chore, hash }] of chores) {
      // The file counts as its person said it.
      const said = chore.mirror?.checks ?? [];
      const before = saidWords.get(`chore:${name}`)?.said ?? [];
      if (!sameWords(before, said)) saidWords.put({ source: `chore:${name}`, said, seen: said });
      const memory = ledger.chores.get(name);
      if (memory === null) ledger.chores.insertNew({ name, revision: hash, seenAt: now });
      else if (memory.revision !== hash) {
        // What failed may be mended: it is tried at once. A mirror shows at once what the edit made of it.
        const isWorthATry =
          chore.schedule !== null && !chore.paused && (memory.failures > 0 || chore.mirror !== null);
        const fresh = { revision: hash, failures: 0, retryAt: null, stopped: null };
        ledger.chores.update(name, isWorthATry ? { ...fresh, askedAt: now } : fresh);
      }
    }
  });
}

function endedSince(before: ReadonlyMap<string, ChoreFile>, { chores, invalid }: ChoresReading) {
  const unread = new Set(invalid.map(({ path }) => path));
  return [...before].flatMap(([name, { chore }]): EndedChore[] => {
    const file = chores.get(name);
    if (file === undefined && !unread.has(chore.path)) return [{ name, reason: 'canceled' }];
    return file?.chore.paused && !chore.paused ? [{ name, reason: 'paused' }] : [];
  });
}

function createInvalidChoreReport(events: EventBus): (invalid: readonly InvalidChore[]) => void {
  let told = new Map<string, string>();
  return (invalid) => {
    const now = new Map(invalid.map(({ path, problems }) => [path, JSON.stringify(problems)]));
    for (const { path, problems } of invalid)
      if (told.get(path) !== now.get(path)) events.emit({ type: 'chore.invalid', path, problems });
    for (const path of told.keys()) if (!now.has(path)) events.emit({ type: 'chore.mended', path });
    told = now;
  };
}
