// Which workers live, and how they are woken: each holds one request open until there is something for it. Work wakes one
// free worker that can run its agent, and what no worker waits for at the moment is told to the next that asks.
import type { Effects, Timer } from '../../effects.ts';
import type { WorkerRow, WorkersTable } from '../../store/ledger/turns/dispatched.ts';
import { LIVE_MS } from '../../tasks/workers/read-workers.ts';

export interface WorkerRegistry {
  /** A worker came, or asked for news. */
  seen(worker: WorkerRow): void;
  /** It said that it goes. */
  left(id: string): void;
  /** It asks for news at this moment, or did just now: one that died or was cut off does not. */
  isHeard(id: string | null): boolean;
  live(): WorkerRow[];
  /** Whether a living worker can run that agent. */
  offers(agent: string): boolean;
  /** There is work for an agent. */
  announce(agent: string): void;
  /** Something is to be told to that worker. */
  nudge(id: string): void;
  /** And to all of them. */
  nudgeAll(): void;
  /**
   * Waits for news.
   * @returns whether there may be work
   */
  wait(worker: WorkerRow, free: number, waitMs: number, signal: AbortSignal): Promise<boolean>;
  close(): void;
}

/** One whose request for news was cut off comes again within this, or is gone. */
const GONE_MS = 5_000;
/** Its last sight is put on record this often at most. */
const NOTED_MS = 10_000;
/** Between two requests for news of a worker that has not died. */
const SILENT_MS = 3_000;

/** Told of again as long as it waits: more is of no use. */
const MOST_OPEN = 1_000;

interface Waiting {
  agents: readonly string[];
  free: number;
  resolve(work: boolean): void;
}

function freest(waiting: ReadonlyMap<string, Waiting>, agent: string): Waiting | undefined {
  const fit = [...waiting.values()].filter(({ free, agents }) => free > 0 && agents.includes(agent));
  return fit.sort((a, b) => b.free - a.free)[0];
}

function wakeAll(waiting: ReadonlyMap<string, Waiting>): void {
  for (const { resolve } of [...waiting.values()]) resolve(false);
}

const offerOf = ({ agents, trouble }: WorkerRow) => JSON.stringify([agents, trouble]);

/** What one worker has no slot for is left for the next. */
function takeOpen(open: Map<string, number>, agents: readonly string[], free: number): boolean {
  let left = free;
  for (const agent of agents) {
    const there = open.get(agent) ?? 0;
    if (there > left) open.set(agent, there - left);
    else open.delete(agent);
    left -= Math.min(left, there);
    if (left === 0) break;
  }
  return left < free;
}

/** Resolves with whether there may be work. @param onCut its connection broke while it was the worker's last request */
function holdOpen(
  waiting: Map<string, Waiting>,
  effects: Effects,
  held: { worker: WorkerRow; free: number; waitMs: number; signal: AbortSignal },
  onCut: () => void,
): Promise<boolean> {
  const { id, agents } = held.worker;
  return new Promise((resolve) => {
    const timer = effects.setTimer(held.waitMs, () => done(false), true);
    const done = (work: boolean) => {
      timer.cancel();
      if (waiting.get(id)?.resolve === done) waiting.delete(id);
      resolve(work);
    };
    waiting.get(id)?.resolve(false);
    waiting.set(id, { agents, free: held.free, resolve: done });
    const cut = () => {
      if (waiting.get(id)?.resolve === done) onCut();
      done(false);
    };
    held.signal.addEventListener('abort', cut, { once: true });
  });
}

/** How those that wait are told of work, and woken without any. */
function callsOf(
  waiting: Map<string, Waiting>,
  open: Map<string, number>,
): Pick<WorkerRegistry, 'announce' | 'nudge' | 'nudgeAll'> {
  return {
    announce(agent) {
      const best = freest(waiting, agent);
      if (best === undefined) open.set(agent, Math.min((open.get(agent) ?? 0) + 1, MOST_OPEN));
      else best.resolve(true);
    },
    nudge: (id) => waiting.get(id)?.resolve(false),
    nudgeAll: () => wakeAll(waiting),
  };
}

/** @param onChange living workers, or what they offer, are others than before; told the one that is gone */
export function createWorkerRegistry(
  table: WorkersTable,
  effects: Effects,
  onChange: (gone: WorkerRow | null) => void,
): WorkerRegistry {
  const live = new Map<string, { row: WorkerRow; at: number; notedAt: number; timer: Timer | null }>();
  const waiting = new Map<string, Waiting>();
  /** Pieces of work that nobody waited for, by their agents. */
  const open = new Map<string, number>();
  const forget = (id: string) => {
    const known = live.get(id);
    known?.timer?.cancel();
    if (live.delete(id)) onChange(known!.row);
  };
  const gone = (id: string) => {
    table.update(id, { goneAt: effects.now() });
    forget(id);
  };
  const registry: WorkerRegistry = {
    seen(row) {
      const before = live.get(row.id);
      before?.timer?.cancel();
      const now = effects.monotonicMs();
      const isNoted = before !== undefined && now - before.notedAt < NOTED_MS;
      if (!isNoted) table.update(row.id, { seenAt: effects.now(), goneAt: null });
      const timer = effects.setTimer(LIVE_MS, () => gone(row.id), true);
      live.set(row.id, { row, at: now, notedAt: isNoted ? before.notedAt : now, timer });
      if (before === undefined || offerOf(before.row) !== offerOf(row)) onChange(null);
    },
    left: forget,
    isHeard(id) {
      const known = id === null ? undefined : live.get(id);
      if (known === undefined) return false;
      return waiting.has(known.row.id) || effects.monotonicMs() - known.at < SILENT_MS;
    },
    live: () => [...live.values()].map(({ row }) => row),
    offers: (agent) =>
      [...live.values()].some(({ row }) => row.trouble === null && row.agents.includes(agent)),
    ...callsOf(waiting, open),
    wait(worker, free, waitMs, signal) {
      const isNews = takeOpen(open, worker.agents, free);
      if (isNews || signal.aborted) return Promise.resolve(isNews);
      const held = { worker, free, waitMs, signal };
      return holdOpen(waiting, effects, held, () => {
        const known = live.get(worker.id);
        known?.timer?.cancel();
        if (known !== undefined) known.timer = effects.setTimer(GONE_MS, () => gone(worker.id), true);
      });
    },
    close() {
      wakeAll(waiting);
      for (const { timer } of live.values()) timer?.cancel();
    },
  };
  // Those that a runtime before this one saw a moment ago come again within the next.
  for (const row of table.list())
    if (row.goneAt === null && effects.now() - row.seenAt < LIVE_MS) registry.seen(row);
  return registry;
}
