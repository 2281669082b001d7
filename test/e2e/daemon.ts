// A real daemon (`taskroom up --json`) as a test sees it: its events in order, and waiting for one with a deadline.
import { type ChildProcess, type ChildProcessByStdio, type SpawnOptions, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

/** One line of `up --json`. */
export interface SeenEvent {
  at: string;
  type: string;
  /** Its place among all events of this daemon, from 0. */
  index: number;
  [key: string]: unknown;
}

export type Fields = Readonly<Record<string, unknown>>;

export type DaemonEnd = { code: number | null; signal: NodeJS.Signals | null };

export type Daemon = ReturnType<typeof startDaemon>;

/** Longer than anything here takes on a busy machine with two cores. */
export const PATIENCE_MS = Number(process.env.E2E_PATIENCE_MS ?? 40_000);

/** Starts a daemon; it may still be reading the room when this returns. */
export function startDaemon(program: string, args: readonly string[], options: SpawnOptions) {
  const child = spawn(process.execPath, [program, 'up', '--json', ...args], {
    ...options,
    stdio: ['ignore', 'pipe', 'pipe'],
  }) as ChildProcessByStdio<null, Readable, Readable>;
  const events: SeenEvent[] = [];
  const strays: string[] = [];
  const waiting = new Set<() => void>();
  const wake = () => {
    for (const look of [...waiting]) look();
  };
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (!line.startsWith('{')) strays.push(line);
    events.push({ ...(JSON.parse(line) as SeenEvent), index: events.length });
    wake();
  });
  const end = watchEnd(child, wake);
  const find = (type: string, fields: Fields, from: number) =>
    events.slice(from).filter((event) => event.type === type && fits(event, fields));

  function see(type: string, fields: Fields = {}, from = 0): Promise<SeenEvent> {
    return new Promise((resolve, reject) => {
      const fail = (why: string) => {
        const shown = events.slice(-25).map((event) => JSON.stringify(event));
        const wanted = `${type} ${JSON.stringify(fields)} from ${from}`;
        reject(new Error(`${why}: ${wanted}\n${errors}\nlast events:\n${shown.join('\n')}`));
        leave();
      };
      const look = () => {
        const [found] = find(type, fields, from);
        if (found) {
          resolve(found);
          leave();
        } else if (end.ended !== null) fail(`the daemon ended (${JSON.stringify(end.ended)}) before`);
      };
      const timer = setTimeout(() => fail('never seen'), PATIENCE_MS);
      const leave = () => {
        clearTimeout(timer);
        waiting.delete(look);
      };
      waiting.add(look);
      look();
    });
  }

  return {
    pid: child.pid ?? -1,
    events,
    ended: end.promise,
    /** Where the events to come begin. */
    mark: () => events.length,
    /** The first event of that type with these fields at or after `from`; waits for it. */
    see,
    /** Those that came so far. */
    all: (type: string, fields: Fields = {}, from: number = 0) => find(type, fields, from),
    /** Lines of standard output that are no event: there must be none. */
    strays,
    stderr: () => errors,
    signal: (signal: NodeJS.Signals) => void child.kill(signal),
    /** SIGKILL, and waits for the end. */
    async kill() {
      child.kill('SIGKILL');
      await end.promise;
    },
  };
}

function watchEnd(child: ChildProcess, wake: () => void) {
  const end = {
    ended: null as DaemonEnd | null,
    promise: Promise.resolve({ code: null, signal: null } as DaemonEnd),
  };
  end.promise = new Promise((resolve) => {
    child.on('close', (code, signal) => {
      end.ended = { code, signal };
      resolve(end.ended);
      wake();
    });
  });
  return end;
}

function fits(event: SeenEvent, fields: Fields): boolean {
  return Object.entries(fields).every(([key, value]) =>
    value instanceof RegExp
      ? value.test(String(event[key]))
      : JSON.stringify(event[key]) === JSON.stringify(value),
  );
}
