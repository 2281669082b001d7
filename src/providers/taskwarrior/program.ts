// Runs the `task` program. It never sees a shell, never asks, runs no hooks, renumbers nothing and takes no default or
// alias of the person's; a filter reaches it as the value of a setting, so that no word of it can become a command.
import { isUtf8 } from 'node:buffer';
import { execa } from 'execa';
import { RoomError } from '../../core/errors.ts';
import type { Effects } from '../../effects.ts';
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

export type TaskProgram = ReturnType<typeof createTaskProgram>;

/** Where the person's configuration and data lie; null leaves it to Taskwarrior. */
export type Places = { taskrc: string | null; taskdata: string | null };

/** All calls throw RoomError `unavailable` when the program is missing or fails, `interrupted` when stopped. */
export function createTaskProgram(places: Places, effects: Effects) {
  const env = environmentOf(places, effects);
  let runs = 0;
  /** @param failed makes the error of a run that did not succeed, of what Taskwarrior said */
  const run = async (args: readonly string[], failed: Failed, more: RunOptions = {}): Promise<Uint8Array> => {
    assertNotStopped(more.signal);
    runs += 1;
    const { output, problem } = await runProgram(env, args, more);
    const error = problem === null ? null : failed(problem);
    if (error !== null) throw error;
    return output;
  };
  return {
    /** The whole database, or these tasks of it; UUIDs that are not there are left out. `lossy`: some text was not UTF-8 and
     * has replacement characters now, so that writing it back would lose it. */
    async exportTasks(uuids: readonly string[] | null, signal?: AbortSignal) {
      const failed = (problem: string) => new RoomError('unavailable', `\`task export\` failed: ${problem}`);
      const output = await run([...SETTINGS, ...(uuids ?? []), 'export'], failed, { signal });
      return { records: read(output), lossy: !isUtf8(output) };
    },
    /** UUIDs a filter lets in, of the whole database or of these. @throws RoomError `bad_input` for a filter that can't be read */
    async filterTasks(filter: string, uuids: readonly string[] | null, signal?: AbortSignal) {
      const report = [`rc.report.next.filter=${filter}`, 'rc.report.next.sort=', ...(uuids ?? [])];
      const what = `Taskwarrior can't read the filter ${JSON.stringify(filter)}`;
      const hint = "Mend the source of the mirror; `task '<filter>' export` tries one out.";
      const failed = (problem: string) => new RoomError('bad_input', `${what}: ${problem}`, hint);
      const output = await run([...SETTINGS, ...report, 'export', 'next'], failed, { signal });
      return new Set(read(output).map(({ uuid }) => uuid));
    },
    /** Makes the task, or replaces it whole; an abort or a shutdown does not cut it short. @throws RoomError `refused` */
    async importTask(record: TaskRecord): Promise<void> {
      const failed = (problem: string) =>
        new RoomError('refused', `Taskwarrior did not take the task: ${problem}`);
      await run([...SETTINGS, 'import', '-'], failed, { input: JSON.stringify([record]), outlives: true });
    },
    /** A setting's value; '' when it has none. */
    setting: async (name: string) =>
      textOf(await run([...SETTINGS, '_get', `rc.${name}`], () => null)).trim(),
    /** `2.6.2`. */
    async version(): Promise<string> {
      const failed = (problem: string) =>
        new RoomError('unavailable', `\`task --version\` failed: ${problem}`);
      return textOf(await run(['--version'], failed)).trim();
    },
    runs: () => runs,
  };
}

type Failed = (problem: string) => RoomError | null;

interface RunOptions {
  input?: string;
  /** Ends by itself when this process ends: a data file half written would be worse than one write more. */
  outlives?: boolean;
  signal?: AbortSignal | undefined;
}

async function runProgram(
  env: Record<string, string>,
  args: readonly string[],
  { input = '', outlives = false, signal }: RunOptions,
) {
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
  if (result.code === 'ENOENT')
    throw new RoomError('unavailable', `the program \`${PROGRAM}\` is not on the PATH`, INSTALL_HINT);
  if (result.exitCode === undefined && !result.isTerminated)
    throw new RoomError('unavailable', `\`${PROGRAM}\` could not run: ${result.originalMessage ?? ''}`);
  if (result.timedOut) throw new RoomError('unavailable', `\`${PROGRAM}\` gave no answer within a minute`);
  const { stdout: output, stderr, exitCode, signal: by } = result;
  return { output, problem: exitCode === 0 ? null : problemOf(stderr, exitCode, by) };
}

function environmentOf({ taskrc, taskdata }: Places, effects: Effects): Record<string, string> {
  const named = Object.entries(effects.env).filter(([name]) => ENVIRONMENT.test(name));
  const set = {
    ...(taskrc === null ? {} : { TASKRC: taskrc }),
    ...(taskdata === null ? {} : { TASKDATA: taskdata }),
  };
  return { ...(Object.fromEntries(named) as Record<string, string>), ...set };
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
