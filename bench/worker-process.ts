// A process of the bench `workers`: real workers of a room whose runner does nothing, or the queue's own loop alone. What it
// is to do comes as its first message; what it tells goes back as messages.

import type { RunInput, Runner, RunnerEvent } from '../src/agents/runner.ts';
import { createPgBossQueue } from '../src/app/workers/queue/pg-boss-queue.ts';
import { startWorker } from '../src/app/workers/worker/worker.ts';
import { readVersion } from '../src/cli/version.ts';
import { createNodeEffects } from '../src/node.ts';

export type Work =
  /** Fetches and completes jobs until it is ended, `slots` at once. */
  | { kind: 'queue'; postgres: string; room: string; slots: number }
  /** Workers whose turns end at once, or never. */
  | {
      kind: 'workers';
      postgres: string;
      url: string;
      token: string;
      names: string[];
      /** A folder for theirs. */
      dir: string;
      slots: number;
      holds: boolean;
    };

export type Told =
  | { kind: 'ready' }
  /** The turn's runner began. Epoch ms. */
  | { kind: 'began'; turn: string; at: number }
  /** Keys whose jobs are complete. */
  | { kind: 'done'; threads: string[] };

const EMPTY_REST_MS = 4;
const tell = (told: Told) => void process.send!(told);

function createIdleRunner(holds: boolean): Runner {
  return {
    ...{ name: 'command', kind: 'remote', survives: false },
    streams: () => false,
    startsPrograms: () => false,
    check: async () => [],
    async *run({ turn, signal }: RunInput): AsyncGenerator<RunnerEvent, never, void> {
      tell({ kind: 'began', turn: turn.id, at: performance.timeOrigin + performance.now() });
      yield { type: 'started', pid: null };
      if (holds && !signal.aborted)
        await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      return { state: 'completed', reason: 'ok', exitCode: 0, signal: null, message: '' } as never;
    },
  };
}

async function runWorkers(work: Extract<Work, { kind: 'workers' }>): Promise<void> {
  const { url, token, names, dir, slots, holds, postgres } = work;
  const effects = createNodeEffects({ ...process.env, BENCH_QUEUE: postgres });
  const runners = new Map([['command' as const, createIdleRunner(holds)]]);
  const started = names.map(async (name) => {
    const greeted = Promise.withResolvers<void>();
    await startWorker({
      ...{ url, token, name, slots, effects, runners, withoutTls: false, agents: null, queue: 'BENCH_QUEUE' },
      ...{ dir: `${dir}/${name}`, version: readVersion(), clean: ['/bin/true'] },
      say: (line) => {
        if (line.includes('takes turns of bench')) greeted.resolve();
        else if (!/ @bench$/.test(line)) process.stderr.write(`  ${name}: ${line}\n`);
      },
    });
    await greeted.promise;
  });
  await Promise.all(started);
}

async function runQueue({ postgres, room, slots }: Extract<Work, { kind: 'queue' }>): Promise<void> {
  const queue = createPgBossQueue({
    ...{ url: postgres, room, role: 'worker' },
    onTrouble: (error) => process.stderr.write(`${String(error)}\n`),
  });
  tell({ kind: 'ready' });
  let free = slots;
  for (;;) {
    const jobs = free > 0 ? await queue.fetch(['bench'], free) : [];
    free -= jobs.length;
    for (const job of jobs)
      void queue.complete(job).then(() => {
        free += 1;
        tell({ kind: 'done', threads: [job.thread] });
      });
    if (jobs.length === 0) await new Promise((resolve) => setTimeout(resolve, EMPTY_REST_MS));
  }
}

process.on('disconnect', () => process.exit(0));
process.once('message', (work: Work) => {
  if (work.kind === 'queue') return void runQueue(work);
  void runWorkers(work).then(() => tell({ kind: 'ready' }));
  return undefined;
});
