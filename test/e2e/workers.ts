// A room whose turns run on workers: a real PostgreSQL, the room's daemon, and workers as processes with homes of their own.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Postgres } from '../support/postgres.ts';
import { createRoom, PROGRAM, processesOf, SETTINGS, until } from './room.ts';

export type WorkerProcess = ReturnType<typeof startWorker>;

export interface WorkerSetup {
  token?: string;
  args?: string[];
  url?: string;
  /** Address of PostgreSQL as it reaches it. */
  queue?: string;
  /** Of a worker before, which it comes after; a new one where none is given. */
  home?: string;
  /** Variables beside the usual ones. */
  env?: Record<string, string>;
}

export type Site = Awaited<ReturnType<typeof createSite>>;

export async function createSite(postgres: Postgres) {
  const room = await createRoom();
  room.settings(...SETTINGS, 'queue:', '  postgres: ROOM_QUEUE');
  room.daemonEnv.ROOM_QUEUE = postgres.url;
  const workers: WorkerProcess[] = [];
  const dirOf = (home: string) => join(home, 'cache');
  const roomsOf = (home: string): string[] => {
    try {
      return readdirSync(dirOf(home)).map((each) => join(dirOf(home), each));
    } catch {
      return [];
    }
  };
  const site = {
    room,
    url: (): string => JSON.parse(room.read('.taskroom/api.json')).url,
    /** Makes a token for a worker. */
    token: async (name: string, ...options: string[]): Promise<string> =>
      (await room.ok('token', 'new', name, '--worker', ...options)).trim(),
    /** Starts a worker; waits until it takes turns. */
    async worker(name: string, options: WorkerSetup = {}): Promise<WorkerProcess> {
      const { token, args = [], url = site.url(), queue = postgres.url, env, ...setup } = options;
      const home = setup.home ?? mkdtempSync(join(tmpdir(), 'taskroom-home-'));
      const worker = startWorker(name, home, {
        token: token ?? (await site.token(name)),
        args: ['--dir', dirOf(home), '--url', url, ...args],
        env: { ...env, ROOM_QUEUE: queue },
      });
      workers.push(worker);
      await until(`worker ${name} takes turns`, () => /takes turns of/.test(worker.said()));
      return worker;
    },
    /** Processes of the agents of that worker. */
    agentsOf: ({ home }: WorkerProcess): number[] => roomsOf(home).flatMap((dir) => processesOf(dir)),
    async close(): Promise<void> {
      for (const worker of workers) worker.signal('SIGKILL');
      await Promise.all(workers.map(({ ended }) => ended));
      for (const { home } of workers) {
        for (const dir of roomsOf(home)) for (const pid of processesOf(dir)) killQuietly(pid);
        for (const pid of processesOf(dirOf(home))) killQuietly(pid);
        rmSync(home, { recursive: true, force: true });
      }
      await room.close();
    },
  };
  return site;
}

function killQuietly(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended meanwhile.
  }
}

/** Starts `taskroom worker` with that folder for its home. */
export function startWorker(
  name: string,
  home: string,
  { token, args, env }: { token: string; args: string[]; env: Record<string, string> },
) {
  const { PATH = '' } = process.env;
  const child: ChildProcess = spawn(process.execPath, [PROGRAM, 'worker', '--name', name, ...args], {
    cwd: home,
    env: { PATH, HOME: home, TZ: 'UTC', NO_COLOR: '1', TASKROOM_TOKEN: token, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout!, child.stderr!])
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
  return {
    ...{ name, home, pid: child.pid! },
    /** What it printed. */
    said: () => said,
    signal: (signal: NodeJS.Signals) => void child.kill(signal),
    /** Resolves with its exit code. */
    ended: new Promise<number | null>((resolve) => child.on('close', (code) => resolve(code))),
  };
}
