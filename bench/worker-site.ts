// The parts of the bench `workers`: processes of workers, and a room with its daemon that they work for. None outlives the bench.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Postgres } from '../test/support/postgres.ts';
import { type Daemon, PROGRAM, startDaemon } from './daemon.ts';
import { type BenchRoom, createRoom, type RoomPlan, removeRoom } from './room-files.ts';
import type { Told, Work } from './worker-process.ts';

export interface Crew {
  ready: Promise<void>;
  onTold(handle: (told: Told) => void): void;
  end(): void;
}

const alive = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of alive) child.kill('SIGKILL');
});

export function startProcess(work: Work): Crew {
  const path = join(import.meta.dirname, 'worker-process.ts');
  const child = spawn(process.execPath, [path], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  alive.add(child);
  const ended = new Promise<never>((_, reject) =>
    child.once('exit', () => {
      alive.delete(child);
      reject(new Error('a process of workers ended'));
    }),
  );
  ended.catch(() => undefined);
  const ready = new Promise<void>((resolve) =>
    child.on('message', (told: Told) => told.kind === 'ready' && resolve()),
  );
  // Some of it comes before anybody listens.
  const told: Told[] = [];
  child.on('message', (each: Told) => told.push(each));
  child.send(work);
  return {
    ready: Promise.race([ready, ended]),
    onTold(handle) {
      for (const each of told) handle(each);
      child.on('message', handle);
    },
    end: () => void child.kill('SIGKILL'),
  };
}

/** Processor time of PostgreSQL so far, ms: its main process with all that it started and that ended, and those that live. */
export async function postgresCpuMs(postgres: Postgres): Promise<number> {
  const [found] = await postgres.query(
    "SELECT pid FROM pg_stat_activity WHERE backend_type = 'checkpointer'",
  );
  const main = fieldsOf(Number(found!.pid))?.[1] ?? '';
  const own = fieldsOf(Number(main));
  if (own === null) return Number.NaN;
  let ticks = Number(own[11]) + Number(own[12]) + Number(own[13]) + Number(own[14]);
  for (const name of readdirSync('/proc')) {
    const fields = /^\d+$/.test(name) ? fieldsOf(Number(name)) : null;
    if (fields?.[1] === main) ticks += Number(fields[11]) + Number(fields[12]);
  }
  return ticks * TICK_MS;
}

const TICK_MS = 10;

/** Of /proc/PID/stat from the third on; null for a process that is gone. */
function fieldsOf(pid: number): string[] | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return null;
  }
}

interface Site {
  room: BenchRoom;
  daemon: Daemon;
  /** Starts processes of workers; resolves when all of them take turns. */
  crew(processes: number, each: number, options: { slots: number; holds: boolean }): Promise<Crew[]>;
  close(): Promise<void>;
}

export async function openSite(postgres: Postgres, plan: RoomPlan, limit: number): Promise<Site> {
  const limits = `limits:\n  total: ${limit}\n  task: ${limit}\n`;
  const settings = `settle: 0\nhold_above: 0\n${limits}queue:\n  postgres: BENCH_QUEUE\n${plan.settings ?? ''}`;
  const room = createRoom({ ...plan, settings });
  const daemon = await startDaemon(room, { BENCH_QUEUE: postgres.url }, ['--port', '0']);
  const url = await addressOf(room);
  const args = [PROGRAM, 'token', 'new', 'bench', '--worker', '--room', room.dir];
  const token = execFileSync(process.execPath, args, { encoding: 'utf8' }).trim();
  const crews: Crew[] = [];
  return {
    room,
    daemon,
    async crew(processes, each, options) {
      const started = Array.from({ length: processes }, (_, at) =>
        startProcess({
          ...{
            kind: 'workers',
            postgres: postgres.url,
            url,
            token,
            dir: join(room.dir, 'workers'),
            ...options,
          },
          names: Array.from({ length: each }, (_, one) => `w${at}-${one}`),
        }),
      );
      crews.push(...started);
      await Promise.all(started.map(({ ready }) => ready));
      return started;
    },
    async close() {
      for (const { end } of crews) end();
      await daemon.stop();
      removeRoom(room);
    },
  };
}

/** Its API answers a moment after the room is ready. */
async function addressOf({ dir }: BenchRoom): Promise<string> {
  for (;;) {
    try {
      return JSON.parse(readFileSync(join(dir, '.taskroom', 'api.json'), 'utf8')).url;
    } catch {
      await sleep(20);
    }
  }
}
