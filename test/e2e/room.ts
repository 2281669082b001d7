// A room for the end-to-end tests, in a temp folder: the built `taskroom` run as a person runs it, daemons
// that are waited for by their events, and an end that leaves no process behind.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import { type Daemon, PATIENCE_MS, startDaemon } from './daemon.ts';

/** The program under test: the build, or another one (an installed package, say). */
export const PROGRAM = resolve(
  process.env.TASKROOM_PROGRAM ?? join(import.meta.dirname, '../../dist/bin/bin.cjs'),
);

/** The `taskroom` of its turns. */
export const TURN_PROGRAM = resolve(PROGRAM, '../turn-path/taskroom');

export type Ran = { code: number | null; stdout: string; stderr: string };

export type RunOptions = { env?: Record<string, string>; input?: string; cwd?: string };

export type E2eRoom = ReturnType<typeof openFolder>;

export const SETTINGS = ['default_agent: gate', 'settle: 50ms', 'limits:', '  total: 4', '  task: 4'];

// The name of the task is the last key of its object in the context, whatever signs it holds.
const GATE = `name=$(sed -n 's/^ *"name": "\\(.*\\)",*$/\\1/p' "$TASKROOM_CONTEXT" | head -n 1)
echo "start $TASKROOM_TURN $name" >> "$AGENT_ROOM/agent.log"
pipe="$AGENT_ROOM/gates/$name"
if [ -p "$pipe" ]; then read -r words < "$pipe"; eval "$words"; fi
echo "end $TASKROOM_TURN $name" >> "$AGENT_ROOM/agent.log"
`;

let built = false;

/** Builds the program anew where its sources changed. */
export function buildProgram(): void {
  if (built || process.env.TASKROOM_PROGRAM !== undefined) return;
  const script = join(import.meta.dirname, '../../scripts/build.mjs');
  execFileSync(process.execPath, [script, '--if-stale'], { stdio: 'inherit' });
  built = true;
}

/** A room with the agents `runbook` and `gate`; the latter ends at once where no gate was made. */
export async function createRoom(parent = tmpdir()): Promise<E2eRoom> {
  buildProgram();
  const dir = fs.mkdtempSync(join(parent, 'taskroom-e2e-'));
  const room = openFolder(dir);
  await room.ok('init', dir, '--agent', 'runbook');
  fs.mkdirSync(room.at('gates'));
  room.settings(...SETTINGS);
  room.agent('gate', { command: ['/bin/sh', 'agents/gate/agent.sh'], writes: false });
  room.save('agents/gate/agent.sh', GATE);
  return room;
}

/** The same over a folder that is a room already, or becomes one. */
export function openFolder(dir: string) {
  const daemons: Daemon[] = [];
  const gates = new Map<string, number>();
  const env = cleanEnv();
  const at = (path: string) => join(dir, path);
  let barriers = 0;

  const room = {
    dir,
    /** The user that programs run as, set by tests of root; null for our own. */
    user: null as number | null,
    /** What stands in the environment of daemons beside what a person's shell hands over. */
    daemonEnv: {} as Record<string, string>,
    /** Absolute path of a file in the room. */
    at,
    read: (path: string): string => fs.readFileSync(at(path), 'utf8'),
    /** Writes as most editors save: a new file that takes the old one's place. */
    save(path: string, text: string): void {
      const folder = at(path).replace(/[^/]*$/, '');
      fs.mkdirSync(folder, { recursive: true });
      fs.writeFileSync(join(folder, '.saving'), text);
      fs.renameSync(join(folder, '.saving'), at(path));
    },
    /** Saves the text that `edit` makes of what stands there now. */
    edit: (path: string, edit: (text: string) => string): void => room.save(path, edit(room.read(path))),
    /** Writes the file of an agent: a command where it names no other runner. */
    agent: (id: string, config: object): void =>
      room.save(`agents/${id}/agent.json`, `${JSON.stringify({ runner: 'command', ...config })}\n`),
    /** Settings, one line each. */
    settings: (...lines: string[]): void => room.save('room.yaml', `${lines.join('\n')}\n`),
    /** Runs a command to its end. */
    run: (args: readonly string[], options: RunOptions = {}): Promise<Ran> =>
      runProgram(room, args, { ...options, env: { ...env, ...options.env } }),
    /** Runs a command that must exit with 0; returns what it printed. */
    async ok(...args: string[]): Promise<string> {
      const ran = await room.run(args);
      if (ran.code !== 0)
        throw new Error(`taskroom ${args.join(' ')} ended with ${ran.code}\n${ran.stdout}${ran.stderr}`);
      return ran.stdout;
    },
    /** The same with --json, parsed. */
    // biome-ignore lint/suspicious/noExplicitAny: what a command prints is checked by the test that asked for it
    json: async (...args: string[]): Promise<any> => JSON.parse(await room.ok(...args, '--json')),
    /** Starts a daemon; it may still be reading the room. */
    start(...args: string[]): Daemon {
      const daemon = startDaemon(PROGRAM, ['--room', dir, ...args], {
        env: { ...env, ...room.daemonEnv },
        ...runsAs(room),
      });
      daemons.push(daemon);
      return daemon;
    },
    /** Starts a daemon and waits until it watches. */
    async up(...args: string[]): Promise<Daemon> {
      const daemon = room.start(...args);
      await daemon.see('room.ready');
      return daemon;
    },
    /** Resolves when the daemon has taken in all that was saved before and has nothing left to do. */
    async quiet(daemon: Daemon): Promise<void> {
      barriers += 1;
      const name = `zz barrier ${barriers}`;
      const from = daemon.mark();
      room.save(`tasks/${name}.md`, `---\nid: barrier${barriers}\nstatus: draft\n---\n`);
      const { index } = await daemon.see('task.seen', { name }, from);
      await daemon.see('room.idle', {}, index);
    },
    /** Makes the turns of the agent `gate` on the task of this name wait for `open`. */
    gate(name: string): void {
      execFileSync('mkfifo', [at(`gates/${name}`)]);
      // Open for both: neither side waits for the other, and what is written stays until it is read.
      gates.set(name, fs.openSync(at(`gates/${name}`), fs.constants.O_RDWR | fs.constants.O_NONBLOCK));
    },
    /** Lets one waiting turn go on, with words for its shell. */
    open: (name: string, words: string = ':'): void => void fs.writeSync(gates.get(name)!, `${words}\n`),
    /** Runs SQL on the ledger; only while nothing else has the room. */
    sql(statement: string): unknown[] {
      const database = new DatabaseSync(at('.taskroom/ledger.db'));
      try {
        return database.prepare(statement).all();
      } finally {
        database.close();
      }
    },
    /** Starts of turns, as the agents themselves recorded them. */
    agentLog: (): string[] =>
      fs.existsSync(at('agent.log')) ? room.read('agent.log').trim().split('\n') : [],
    async close(): Promise<void> {
      await Promise.all(daemons.map((daemon) => daemon.kill()));
      for (const pid of processesOf(dir)) {
        try {
          process.kill(pid, 'SIGKILL');
        } catch {
          // It ended by itself meanwhile.
        }
      }
      await until('every process of the room is gone', () => processesOf(dir).length === 0);
      for (const fd of gates.values()) fs.closeSync(fd);
      fs.rmSync(dir, { recursive: true, force: true });
    },
  };
  return room;
}

/** What a person's shell would hand over: nothing of a turn, no colours, UTC. */
function cleanEnv(): Record<string, string> {
  const own = /^(TASKROOM_|AGENT_ROOM$|NODE_OPTIONS$|VITEST)/;
  const kept = Object.entries(process.env).filter(([name]) => !own.test(name));
  return { ...(Object.fromEntries(kept) as Record<string, string>), NO_COLOR: '1', TZ: 'UTC' };
}

function runsAs({ user }: E2eRoom): { uid?: number; gid?: number } {
  return user === null ? {} : { uid: user, gid: user };
}

async function runProgram(room: E2eRoom, args: readonly string[], options: RunOptions): Promise<Ran> {
  const { env, input, cwd = tmpdir() } = options;
  const named = args.includes('--room') || args[0] === 'init' ? [] : ['--room', room.dir];
  const child = spawn(process.execPath, [PROGRAM, ...args, ...named], { env, cwd, ...runsAs(room) });
  // One that refuses its words ends before it has read what it was given.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input ?? '');
  const printed = [text(child.stdout), text(child.stderr)] as const;
  const [[code], stdout, stderr] = await Promise.all([once(child, 'close'), ...printed]);
  return { code, stdout, stderr };
}

/** Pids of living processes with this room in their environment or command line (Linux). */
export function processesOf(dir: string): number[] {
  if (process.platform !== 'linux') return [];
  const pids = fs.readdirSync('/proc').filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
  return pids.filter((pid) => belongsTo(pid, dir)).map(Number);
}

function belongsTo(pid: string, dir: string): boolean {
  const file = (name: string) => {
    try {
      return fs.readFileSync(`/proc/${pid}/${name}`, 'utf8');
    } catch {
      return '';
    }
  };
  const named =
    file('environ').split('\0').includes(`AGENT_ROOM=${dir}`) || file('cmdline').split('\0').includes(dir);
  return named && !/\) [ZX]/.test(file('stat'));
}

/** Waits for a condition that nothing announces. */
export async function until(what: string, condition: () => boolean): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error(`never happened: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
