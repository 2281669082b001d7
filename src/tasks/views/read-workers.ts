// The workers on other machines: who lives, what each has in hand, what is missing. Read from the ledger alone.
import { isoOrNull } from '../../core/time/durations.ts';
import type { WorkersJson } from '../shapes/turn.ts';
import type { TaskRoom } from '../task-room.ts';

/** Longer than a worker's request for news is held, and than between two notes of its last sight. */
export const LIVE_MS = 40_000;

/** Those that were seen within a day, by name. */
export function readWorkers({ ledger, effects, agents, config }: TaskRoom): WorkersJson {
  const out = ledger.dispatched.out();
  const rows = ledger.workers.all();
  const names = new Map(rows.map(({ id, name }) => [id, name]));
  const workers = rows.map(({ token: _, goneAt, startedAt, seenAt, ...worker }) => ({
    ...worker,
    live: goneAt === null && effects.now() - seenAt < LIVE_MS,
    turns: out.filter(({ worker: id }) => id === worker.id).map(({ turn }) => turn as string),
    started_at: isoOrNull(startedAt),
    seen_at: isoOrNull(seenAt),
  }));
  if (config().queue.postgres === null) return { workers, places: null, unserved: [] };
  const served = new Set(
    workers.filter(({ live, trouble }) => live && trouble === null).flatMap(({ agents: own }) => own),
  );
  return {
    workers,
    places: Object.fromEntries(
      out.map(({ turn, worker }) => [turn, worker && (names.get(worker) ?? worker)]),
    ),
    unserved: [...agents().keys()].filter((agent) => !served.has(agent)),
  };
}
