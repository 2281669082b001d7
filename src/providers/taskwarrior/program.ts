// Runs the `task` program. It never sees a shell, never asks, runs no hooks, renumbers nothing and takes no default or
// alias of the person's; a filter reaches it as the value of a setting, so that no word of it can become a command.
import { isUtf8 } from 'node:buffer';
import { execa } from 'execa';
import { RoomError } from '../../core/errors.ts';
import type { Effects } from '../../effects.ts';
import type { TaskwarriorOptions } from './options.ts';
import { parseExport, type TaskRecord } from './record.ts';

export const INSTALL_HINT =
  'Install Taskwarrior 2.6 or newer (on Debian and Ubuntu: apt install taskwarrior).';

const PROGRAM = 'task';
/** A database on a dead network disk; Taskwarrior itself waits for its lock without end. */
const TIMEOUT_MS = 60_000;
const MAX_BYTES = 512 * 1024 * 1024;

const SETTINGS = [
  'rc.hooks=off',
  'rc.confirmation=off',
  'rc.json.array=on',
  'rc.json.depends.array=on',
  'rc.verbose=nothing',
  'rc.color=off',
  // A reading must not renumber what the person has on the screen, nor make the next recurring task.
  'rc.gc=off',
  'rc.recurrence=off',
  // What the person looks at in the moment decides nothing here.
  'rc.context=',
  // An import would take them as if the person had typed them.
  'rc.default.project=',
  'rc.default.priority=',
  'rc.default.due=',
  'rc.default.scheduled=',
  'rc.alias.export=export',
  'rc.alias.import=import',
  'rc.alias.next=next',
  'rc.alias._get=_get',
];

/** What of the environment Taskwarrior looks at; tokens of other programs stay away from it. */
const ENVIRONMENT =
  /^(?:HOME|PATH|USER|LOGNAME|LANG|LC_\w+|TZ|TMPDIR|TASKRC|TASKDATA|XDG_\w+|SYSTEMROOT|USERPROFILE)$/;

interface Export {
  records: TaskRecord[];
  /** Some text was not UTF-8 and has replacement characters now: writing it back would lose it. */
  lossy: boolean;
}

export type TaskProgram = ReturnType<typeof createTaskProgram>;

/** All calls throw RoomError `unavailable` when the program is missing or fails, `interrupted` when stopped. */
export function createTaskProgram(options: TaskwarriorOptions, effects: Effects) {
  const env = environmentOf(options, effects);
  let runs = 0;

  const run = async (args: readonly string[], more: RunOptions = {}): Promise<Result> => {
    assertNotStopped(more.signal);
    runs += 1;
    return runProgram(env, args, more);
  };
  const withSettings = (args: readonly string[]): string[] => [...SETTINGS, ...args];

  return {
    /** The whole database, or these tasks of it; UUIDs that are not there are left out. */
    async exportTasks(uuids: readonly string[] | null, signal?: AbortSignal): Promise<Export> {
      const { output, problem } = await run(withSettings([...(uuids ?? []), 'export']), { signal });
      if (problem !== null) throw new RoomError('unavailable', `\`task export\` failed: ${problem}`);
      return { records: read(output), lossy: !isUtf8(output) };
    },
    /**
     * UUIDs a filter lets in, of the whole database or of these.
     * @throws RoomError `bad_input` for a filter that can't be read
     */
    async filterTasks(filter: string, uuids: readonly string[] | null, signal?: AbortSignal) {
      const report = [`rc.report.next.filter=${filter}`, 'rc.report.next.sort=', ...(uuids ?? [])];
      const { output, problem } = await run(withSettings([...report, 'export', 'next']), { signal });
      if (problem !== null) {
        const message = `Taskwarrior can't read the filter ${JSON.stringify(filter)}: ${problem}`;
        throw new RoomError('bad_input', message, {
          hint: "Mend the source of the mirror; `task '<filter>' export` tries one out.",
        });
      }
      return new Set(read(output).map(({ uuid }) => uuid));
    },
    /** Makes the task, or replaces it whole; an abort or a shutdown does not cut it short. @throws RoomError `refused` */
    async importTask(record: TaskRecord): Promise<void> {
      const input = JSON.stringify([record]);
      const { problem } = await run(withSettings(['import', '-']), { input, outlives: true });
      if (problem !== null) throw new RoomError('refused', `Taskwarrior did not take the task: ${problem}`);
    },
    /** A setting's value; '' when it has none. */
    async setting(name: string): Promise<string> {
      const { output } = await run(withSettings(['_get', `rc.${name}`]));
      return textOf(output).trim();
    },
    /** `2.6.2`. */
    async version(): Promise<string> {
      const { output, problem } = await run(['--version']);
      if (problem !== null) throw new RoomError('unavailable', `\`task --version\` failed: ${problem}`);
      return textOf(output).trim();
    },
    /** Times the program ran. */
    runs: () => runs,
  };
}

interface RunOptions {
  input?: string;
  /** Ends by itself when this process ends: a data file half written would be worse than one write more. */
  outlives?: boolean;
  signal?: AbortSignal | undefined;
}

interface Result {
  output: Uint8Array;
  /** In Taskwarrior's words; null when it succeeded. */
  problem: string | null;
}

async function runProgram(
  env: Record<string, string>,
  args: readonly string[],
  { input = '', outlives = false, signal }: RunOptions,
): Promise<Result> {
  const result = await execa(PROGRAM, args, {
    env,
    extendEnv: false,
    input,
    reject: false,
    encoding: 'buffer',
    stripFinalNewline: false,
    maxBuffer: MAX_BYTES,
    timeout: TIMEOUT_MS,
    cleanup: !outlives,
    ...(signal ? { cancelSignal: signal } : {}),
  });
  if (result.isCanceled) assertNotStopped(signal);
  if (result.code === 'ENOENT') {
    throw new RoomError('unavailable', `the program \`${PROGRAM}\` is not on the PATH`, {
      hint: INSTALL_HINT,
    });
  }
  if (result.exitCode === undefined && !result.isTerminated) {
    throw new RoomError('unavailable', `\`${PROGRAM}\` could not run: ${result.originalMessage ?? ''}`);
  }
  if (result.timedOut) throw new RoomError('unavailable', `\`${PROGRAM}\` gave no answer within a minute`);
  const problem = result.exitCode === 0 ? null : problemOf(result.stderr, result.exitCode, result.signal);
  return { output: result.stdout, problem };
}

function environmentOf(options: TaskwarriorOptions, effects: Effects): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(effects.env)) {
    if (value !== undefined && ENVIRONMENT.test(name)) env[name] = value;
  }
  if (options.taskrc !== null) env.TASKRC = options.taskrc;
  if (options.taskdata !== null) env.TASKDATA = options.taskdata;
  return env;
}

const textOf = (bytes: Uint8Array): string => new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);

function read(output: Uint8Array): TaskRecord[] {
  try {
    return parseExport(textOf(output));
  } catch (error) {
    throw new RoomError('unavailable', '`task export` printed something that is not JSON', { cause: error });
  }
}

function problemOf(stderr: Uint8Array, code: number | undefined, signal: string | undefined): string {
  const lines = textOf(stderr).split('\n');
  const said = lines.map((line) => line.trim()).filter((line) => !/^$|override[: ]/i.test(line));
  return said.join(' ').slice(0, 500) || (signal ? `ended by ${signal}` : `exit code ${code}`);
}

/** @throws RoomError `interrupted` */
export function assertNotStopped(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new RoomError('interrupted', 'stopped', { cause: signal.reason });
}
