// Which workers live, and how they are woken: each holds one request open until there is news. Work wakes one free worker that can run its
// agent; work that no worker waits for is told to the next that asks.
import type { Effects, Timer } from '../../../effects.ts';
import type { WorkerRow, WorkersTable } from '../../../store/ledger/turns/jobs.ts';
import { LIVE_MS } from '../../../tasks/room/read-workers.ts';

/** A worker whose request was cut off asks again within this, or is gone. */
const GONE_MS = 5_000;
/** The ledger is told at most this often that a worker was seen. */
const NOTED_MS = 10_000;
/** A living worker asks again within this. */
const SILENT_MS = 3_000;

interface LiveWorker {
  row: WorkerRow;
  seenMs: number;
  /** Removes the worker when nothing is heard of it. */
  timer: Timer | null;
  request: { free: number; answer(work: boolean): void } | null;
}

const freeOf = ({ request }: LiveWorker) => request ?? { free: 0, answer: () => {} };
const offerOf = ({ agents, trouble }: WorkerRow) => JSON.stringify([agents, trouble]);

export type WorkerRegistry = ReturnType<typeof createWorkerRegistry>;

/** @param onChange runs when living workers, or what they offer, changed; with the one that is gone */
export function createWorkerRegistry(
  table: WorkersTable,
  effects: Effects,
  onChange: (gone: WorkerRow | null) => void,
) {
  const live = new Map<string, LiveWorker>();
  /** Agents with work that no open request waits for. */
  const unclaimed = new Set<string>();

  function forget(id: string): void {
    const worker = live.get(id);
    if (worker === undefined) return;
    live.delete(id);
    worker.timer?.cancel();
    worker.request?.answer(false);
    onChange(worker.row);
  }

  function expire(worker: LiveWorker, delayMs: number): void {
    worker.timer?.cancel();
    const leave = () => {
      table.update(worker.row.id, { goneAt: effects.now() });
      forget(worker.row.id);
    };
    worker.timer = effects.setTimer(delayMs, leave, true);
  }

  /** A worker came, or asked for news. */
  function seen(row: WorkerRow): void {
    const known = live.get(row.id);
    const isNews = known === undefined || offerOf(known.row) !== offerOf(row);
    const fresh = { row, seenMs: effects.monotonicMs() };
    const worker: LiveWorker = Object.assign(known ?? { timer: null, request: null }, fresh);
    const now = effects.now();
    if (row.goneAt !== null || now - row.seenAt >= NOTED_MS)
      table.update(row.id, { seenAt: now, goneAt: null });
    live.set(row.id, worker);
    expire(worker, LIVE_MS);
    if (isNews) onChange(null);
  }

  // Workers that a runtime before this one saw a moment ago ask again soon.
  for (const row of table.list()) if (row.goneAt === null && effects.now() - row.seenAt < LIVE_MS) seen(row);

  const nudge = (id: string) => live.get(id)?.request?.answer(false);
  const nudgeAll = () => {
    for (const id of live.keys()) nudge(id);
  };
  return {
    seen,
    /** The worker said that it goes. */
    left: forget,
    /** There is work for an agent. */
    announce(agent: string) {
      const able = [...live.values()].filter(({ row }) => row.agents.includes(agent));
      const [best] = able.map(freeOf).sort((a, b) => b.free - a.free);
      if (best === undefined || best.free === 0) unclaimed.add(agent);
      else best.answer(true);
    },
    /** There is something to tell one worker, or all of them. */
    ...{ nudge, nudgeAll },
    /** Whether the worker asks for news now, or did a moment ago: one that died or was cut off does not. */
    isHeard(id: string | null) {
      const { request, seenMs } = live.get(id ?? '') ?? { request: null, seenMs: -Infinity };
      return request !== null || effects.monotonicMs() - seenMs < SILENT_MS;
    },
    /** Whether a living worker can run that agent. */
    offers: (agent: string) =>
      [...live.values()].some(({ row }) => row.trouble === null && row.agents.includes(agent)),
    /** Waits for news; resolves with whether there may be work. */
    wait({ id, agents }: WorkerRow, free: number, waitMs: number, signal: AbortSignal): Promise<boolean> {
      const worker = live.get(id);
      const hasWork = free > 0 && agents.some((agent) => unclaimed.delete(agent));
      if (hasWork || signal.aborted || worker === undefined) return Promise.resolve(hasWork);
      return new Promise((resolve) => {
        const timer = effects.setTimer(waitMs, () => answer(false), true);
        const isLast = () => worker.request?.answer === answer;
        const answer = (work: boolean) => {
          timer.cancel();
          if (isLast()) worker.request = null;
          resolve(work);
        };
        worker.request?.answer(false);
        worker.request = { free, answer };
        const cut = () => {
          if (isLast()) expire(worker, GONE_MS);
          answer(false);
        };
        signal.addEventListener('abort', cut, { once: true });
      });
    },
    close() {
      nudgeAll();
      for (const { timer } of live.values()) timer?.cancel();
    },
  };
}
