// Which workers live, and how they are woken: each holds one request open until there is something for it. Work wakes one
// free worker that can run its agent, and what no worker waits for at the moment is told to the next that asks.
import type { Effects, Timer } from '../../../effects.ts';
import type { Ledger } from '../../../store/ledger/ledger.ts';
import type { WorkerRow } from '../../../store/ledger/turns/jobs.ts';
import { LIVE_MS } from '../../../tasks/views/agents.ts';

const GONE_MS = 5_000; // One whose request for news was cut off comes again within this, or is gone.
const NOTED_MS = 10_000; // Its last sight is put on record this often at most.
const SILENT_MS = 3_000; // Between two requests for news of a worker that has not died.

type OpenRequest = { agents: readonly string[]; free: number; resolve(work: boolean): void };

/** The requests for news that workers hold open, and the agents with work that none of them waits for. */
function createOpenRequests(effects: Effects) {
  const waiting = new Map<string, OpenRequest>();
  const unclaimed = new Set<string>();
  return {
    has: (worker: string) => waiting.has(worker),
    announce(agent: string) {
      const able = [...waiting.values()].filter(({ free, agents }) => free > 0 && agents.includes(agent));
      const [best] = able.sort((a, b) => b.free - a.free);
      if (best === undefined) unclaimed.add(agent);
      else best.resolve(true);
    },
    nudge: (worker: string) => waiting.get(worker)?.resolve(false),
    nudgeAll() {
      for (const { resolve } of [...waiting.values()]) resolve(false);
    },
    /** @param onCut its connection broke while it was the worker's last request */
    wait({ id, agents }: WorkerRow, free: number, waitMs: number, signal: AbortSignal, onCut: () => void) {
      const isNews = free > 0 && agents.some((agent) => unclaimed.delete(agent));
      if (isNews || signal.aborted) return Promise.resolve(isNews);
      return new Promise<boolean>((resolve) => {
        const timer = effects.setTimer(waitMs, () => done(false), true);
        const isLast = () => waiting.get(id)?.resolve === done;
        const done = (work: boolean) => {
          timer.cancel();
          if (isLast()) waiting.delete(id);
          resolve(work);
        };
        waiting.get(id)?.resolve(false);
        waiting.set(id, { agents, free, resolve: done });
        const cut = () => {
          if (isLast()) onCut();
          done(false);
        };
        signal.addEventListener('abort', cut, { once: true });
      });
    },
  };
}

const offerOf = ({ agents, trouble }: WorkerRow) => JSON.stringify([agents, trouble]);

export type WorkerRegistry = ReturnType<typeof createWorkerRegistry>;

/** @param onChange living workers, or what they offer, are others than before; told the one that is gone */
export function createWorkerRegistry(
  table: Ledger['workers'],
  effects: Effects,
  onChange: (gone: WorkerRow | null) => void,
) {
  const live = new Map<string, { row: WorkerRow; at: number; notedAt: number; timer: Timer }>();
  const { has, announce, nudge, nudgeAll, wait } = createOpenRequests(effects);
  const forget = (id: string) => {
    const known = live.get(id);
    known?.timer.cancel();
    if (live.delete(id)) onChange(known!.row);
  };
  const goneIn = (id: string, delayMs: number) => {
    const go = () => {
      table.update(id, { goneAt: effects.now() });
      forget(id);
    };
    return effects.setTimer(delayMs, go, true);
  };
  const seen = (row: WorkerRow) => {
    const before = live.get(row.id);
    before?.timer.cancel();
    const now = effects.monotonicMs();
    const isNoted = before !== undefined && now - before.notedAt < NOTED_MS;
    if (!isNoted) table.update(row.id, { seenAt: effects.now(), goneAt: null });
    const notedAt = isNoted ? before.notedAt : now;
    live.set(row.id, { row, at: now, notedAt, timer: goneIn(row.id, LIVE_MS) });
    if (before === undefined || offerOf(before.row) !== offerOf(row)) onChange(null);
  };
  // Those that a runtime before this one saw a moment ago come again within the next.
  for (const row of table.all()) if (row.goneAt === null && effects.now() - row.seenAt < LIVE_MS) seen(row);
  return {
    /** A worker came, or asked for news. */
    seen,
    left: forget, // It said that it goes.
    /** Says that there is work for an agent; that there is something to tell one worker; or all of them. */
    ...{ announce, nudge, nudgeAll },
    /** It asks for news at this moment, or did just now: one that died or was cut off does not. */
    isHeard(id: string | null) {
      const known = id === null ? undefined : live.get(id);
      return known !== undefined && (has(known.row.id) || effects.monotonicMs() - known.at < SILENT_MS);
    },
    offers: (agent: string) =>
      [...live.values()].some(({ row }) => row.trouble === null && row.agents.includes(agent)),
    /** Waits for news; resolves with whether there may be work. */
    wait: (worker: WorkerRow, free: number, waitMs: number, signal: AbortSignal) =>
      wait(worker, free, waitMs, signal, () => {
        const known = live.get(worker.id);
        known?.timer.cancel();
        if (known !== undefined) known.timer = goneIn(worker.id, GONE_MS);
      }),
    close() {
      nudgeAll();
      for (const { timer } of live.values()) timer.cancel();
    },
  };
}
