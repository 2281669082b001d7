// How a turn whose worker died came to run elsewhere, step by step: what the queue heard last of its worker, when it took the
// turn away, who fetched and claimed it, and when its agent began. All on one machine, so that its clock tells all of them.
import { setTimeout as pause } from 'node:timers/promises';
import { isAlive, type Run, readRuns } from './worker-runs.ts';
import type { StormSite } from './worker-site.ts';

/** Steps are ms after the worker's death, null for one that was never taken. */
export interface Move {
  turn: string;
  /** The last heartbeat of the worker that died, so below 0. */
  heard: number | null;
  /** The queue had taken the turn away. */
  freed: number | null;
  /** The worker that ran it had got it. */
  fetched: number | null;
  /** The host had let it claim that. */
  claimed: number | null;
  /** Its agent ran there. */
  began: number | null;
  /** Attempts that came to nothing between the two. */
  failed: number;
}

/** A turn of a worker that died has this long to run elsewhere, at the most to be measured. */
const MOVE_MS = 60_000;
const LOOK_MS = 50;

/** Kills a worker that has turns, in peace; resolves with how those went elsewhere that had not ended. */
export async function killAlone(on: StormSite, worker: number, isOver: () => boolean): Promise<Move[]> {
  const { dir } = on.site.room;
  const home = on.homes[worker];
  const working = () =>
    readRuns(dir).runs.filter(
      (run) => run.home === home && run.endedAtMs === null && isAlive(run.run.split('-')[0]!),
    );
  while (working().length === 0 && !isOver()) await pause(20);
  const lost = working();
  const diedAt = Date.now();
  await on.killWorker(worker);
  const watch = watchMoves(on, lost, diedAt);
  let running = await on.running();
  // One whose last word was heard needs nobody else.
  const isOut = ({ turn }: Move) => running?.some(({ id }) => id === turn) ?? true;
  const waits = () => watch.moves.some((move) => move.began === null && isOut(move));
  while (waits() && Date.now() - diedAt < MOVE_MS) {
    await watch.look();
    await pause(LOOK_MS);
    running = await on.running();
  }
  await on.startWorker(worker);
  return watch.moves.filter((move) => move.began !== null || isOut(move));
}

interface JobRow {
  turn: string;
  active: boolean;
  attempt: number;
  heard: number | null;
  started: number | null;
}

function watchMoves({ site, postgres, daemons }: StormSite, lost: readonly Run[], diedAt: number) {
  const home = lost[0]?.home;
  const { dir } = site.room;
  const steps = { heard: null, freed: null, fetched: null, claimed: null, began: null };
  const moves = lost.map(({ turn }): Move => ({ turn, ...steps, failed: 0 }));
  const attempts = new Map<string, number>();
  const after = (atMs: number | null) => (atMs === null ? null : Math.round(atMs - diedAt));
  const noteJob = (move: Move, job: JobRow) => {
    const before = attempts.get(move.turn) ?? job.attempt;
    attempts.set(move.turn, before);
    if (job.active && job.attempt === before) move.heard = after(job.heard);
    else move.freed ??= after(Date.now());
    if (job.attempt === before) return;
    move.fetched = after(job.started);
    move.failed = job.attempt - before - 1;
  };
  async function look(): Promise<void> {
    const names = moves.map(({ turn }) => `'${turn}'`).join();
    const rows = (await postgres.query(
      `SELECT data->>'turn' AS turn, state = 'active' AS active, retry_count AS attempt,
        (extract(epoch FROM heartbeat_on) * 1000)::float AS heard, (extract(epoch FROM started_on) * 1000)::float AS started
        FROM taskroom.job WHERE data->>'turn' IN (${names})`,
    )) as unknown as JobRow[];
    const { runs } = readRuns(dir);
    for (const move of moves.filter(({ began }) => began === null)) {
      const job = rows.find(({ turn }) => turn === move.turn);
      if (job !== undefined) noteJob(move, job);
      const claims = daemons.at(-1)!.all('turn.claimed', { turn: move.turn });
      const claimed = claims.map(({ at }) => Date.parse(at)).filter((at) => at > diedAt);
      move.claimed = after(claimed.at(-1) ?? null);
      const next = runs.find(
        (run) => run.turn === move.turn && run.home !== home && run.startedAtMs > diedAt,
      );
      if (next !== undefined) move.began = after(next.startedAtMs);
    }
  }
  return { moves, look };
}

/** `heard -0.4, freed 10.2, fetched 10.3, claimed 10.3, began 10.5 s` */
export function formatMove({ failed, ...move }: Move): string {
  const steps = (['heard', 'freed', 'fetched', 'claimed', 'began'] as const).map((step) => {
    const ms = move[step];
    return `${step} ${ms === null ? 'never' : (ms / 1000).toFixed(1)}`;
  });
  return `${steps.join(', ')} s${failed === 0 ? '' : `, after ${failed} attempts that came to nothing`}`;
}
