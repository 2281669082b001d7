// The real program as a child: `taskroom up --json`, its events, what it costs, and its end. None outlives the bench.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { BenchRoom } from './room-files.ts';

export const PROGRAM = join(import.meta.dirname, '..', 'dist', 'bin', 'bin.cjs');
/** Memory and processor time of a process are read from here. */
export const HAS_PROC = existsSync('/proc/self/stat');
// USER_HZ: the same on every Linux that Node runs on.
const TICK_MS = 10;
// Even the largest room on the slowest machine is ready by then.
const READY_LIMIT_MS = 300_000;

export interface DaemonEvent {
  type: string;
  id?: string;
  state?: string;
  message?: string;
  turn?: string;
}

export interface Daemon {
  readonly pid: number;
  /** From just before the spawn to the `room.ready` line. */
  readonly readyMs: number;
  /** Calls back for each event; returns how to stop that. */
  onEvent(handle: (event: DaemonEvent) => void): () => void;
  /** Processor time so far, all threads. */
  cpuMs(): number;
  /** Most memory it ever had resident, MB. */
  peakMb(): number;
  stop(): Promise<void>;
}

const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

export async function startDaemon(
  { dir }: Pick<BenchRoom, 'dir'>,
  env: Readonly<Record<string, string>> = {},
  options: readonly string[] = [],
): Promise<Daemon> {
  const listeners = new Set<(event: DaemonEvent) => void>();
  const startedAt = performance.now();
  const child = spawn(process.execPath, [PROGRAM, 'up', '--json', '--room', dir, ...options], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  });
  running.add(child);
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  void ended.then(() => running.delete(child));
  createInterface({ input: child.stdout! }).on('line', (line) => {
    const event = JSON.parse(line) as DaemonEvent;
    if (event.type === 'room.trouble') process.stderr.write(`  trouble: ${event.message}\n`);
    for (const listener of listeners) listener(event);
  });
  const ready = new Promise<number>((resolve) => {
    listeners.add(({ type }) => type === 'room.ready' && resolve(performance.now() - startedAt));
  });
  const readyMs = await Promise.race([ready, failure(ended, 'the daemon ended before it was ready')]);
  const pid = child.pid!;
  return {
    pid,
    readyMs,
    onEvent(handle) {
      listeners.add(handle);
      return () => void listeners.delete(handle);
    },
    cpuMs: () => cpuMsOf(pid),
    peakMb: () => peakMbOf(pid),
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/** Resolves with the first event that fits; rejects after `limitMs`. Ask before what causes the event. */
export function nextEvent(
  daemon: Daemon,
  fits: (event: DaemonEvent) => boolean,
  limitMs: number,
): Promise<DaemonEvent> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => over(reject, new Error(`no such event within ${limitMs} ms`)), limitMs);
    const forget = daemon.onEvent((event) => fits(event) && over(resolve, event));
    function over<T>(settle: (value: T) => void, value: T): void {
      clearTimeout(timer);
      forget();
      settle(value);
    }
  });
}

async function failure(ended: Promise<void>, message: string): Promise<never> {
  const limit = new Promise<void>((resolve) => setTimeout(resolve, READY_LIMIT_MS).unref());
  await Promise.race([ended, limit]);
  throw new Error(message);
}

export function cpuMsOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // After the program's name, which may hold anything: field 3 is the state, 14 and 15 user and system time.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

const peakMbOf = (pid: number): number => statusMb(pid, /^VmHWM:\s+(\d+) kB/m);

/** Memory that is resident now, MB. */
export const residentMbOf = (pid: number): number => statusMb(pid, /^VmRSS:\s+(\d+) kB/m);

function statusMb(pid: number, line: RegExp): number {
  const found = line.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return (Number(found?.[1] ?? Number.NaN) * 1024) / 1e6;
}
