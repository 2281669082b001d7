// A room whose turns run on workers: a real PostgreSQL, the room's daemon, and workers as processes with homes of their own.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Postgres } from '../support/postgres.ts';
import { createRoom, type E2eRoom, PROGRAM, processesOf, SETTINGS, until } from './room.ts';

export interface WorkerProcess {
  readonly name: string;
  readonly pid: number;
  readonly home: string;
  /** What it printed. */
  said(): string;
  signal(signal: NodeJS.Signals): void;
  /** Resolves with its exit code. */
  readonly ended: Promise<number | null>;
}

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

export interface Site {
  room: E2eRoom;
  /** Makes a token for a worker. */
  token(name: string, ...options: string[]): Promise<string>;
  url(): string;
  /** Starts a worker; waits until it takes turns. */
  worker(name: string, options?: WorkerSetup): Promise<WorkerProcess>;
  /** Processes of the agents of that worker. */
  agentsOf(worker: WorkerProcess): number[];
  close(): Promise<void>;
}

export async function createSite(postgres: Postgres): Promise<Site> {
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
  const site: Site = {
    room,
    url: () => JSON.parse(room.read('.taskroom/api.json')).url,
    token: async (name, ...options) => (await room.ok('token', 'new', name, '--worker', ...options)).trim(),
    async worker(name, { token, args = [], url = site.url(), queue = postgres.url, env, ...setup } = {}) {
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
    agentsOf: ({ home }) => roomsOf(home).flatMap((dir) => processesOf(dir)),
    async close() {
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
): WorkerProcess {
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
    said: () => said,
    signal: (signal) => void child.kill(signal),
    ended: new Promise((resolve) => child.on('close', (code) => resolve(code))),
  };
}
