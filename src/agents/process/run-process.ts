// Runs a turn's program under the wrapper, or attaches to one that already runs, and follows it to its end.
// Invariant: when `runProcess` returns, nothing the turn started is alive; when it is abandoned (`return()`,
// or the runtime dies) the program goes on and can be attached to again.
import { existsSync } from 'node:fs';
import { type FileHandle, open, stat, truncate } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { execa } from 'execa';
import type { TurnReason } from '../../core/rules/turn.ts';
import { sleep } from '../../effects.ts';
import { type RunBasics, type RunnerEvent, StopTurn } from '../runner.ts';
import { type Launch, turnMarks } from './launch.ts';
import { readEnvironment } from './proc-files.ts';
import {
  claimUnstarted,
  isAlive,
  type ProcessIdentity,
  readExit,
  readIdentity,
  startOf,
} from './process-identity.ts';
import { endProcesses } from './terminate.ts';
import { CONTEXT_FILE, OUTPUT_FILE, PID_FILE, PROMPT_FILE, SHELL, WRAPPER } from './wrapper.ts';

/** How often a running turn is looked at: its output's size and, when attached, whether it lives. */
const POLL_MS = 250;

/** Whose process it is, and the folder that is its own. */
export type ProcessInput = Pick<RunBasics, 'dir' | 'signal' | 'effects'> & {
  turn: Pick<RunBasics['turn'], 'id'>;
};

/** The pipes of a program that is talked to; both are to be read and closed by whoever takes them. */
export interface ProgramPipes {
  stdin: Writable;
  stdout: Readable;
}

/** What a runner sees while a process runs; `tick` is a moment to look at the turn's folder. */
export type ProcessEvent = RunnerEvent | { type: 'tick' };

export interface ProcessEnd {
  /**
   * `exited`: it ended by itself. `stopped`: the signal ended it. `lost`: it vanished without a record.
   * `unstarted`: it never ran.
   */
  how: 'exited' | 'stopped' | 'lost' | 'unstarted';
  /** Recorded exit code, 128 + n after death by signal n; null when there is none. */
  code: number | null;
  /** Why it was stopped; `interrupted` when lost. */
  reason: TurnReason;
  message: string;
  /** Processes of the turn that could not be ended. */
  survivors: number[];
}

interface Followed {
  identity: ProcessIdentity;
  /** Aborted when the wrapper is known to be gone; null when only looking can tell. */
  gone: AbortSignal | null;
  /** The wrapper's own exit code, once it is gone and was our child. */
  childCode(): number | null;
  /** Lets go of the process without touching it. */
  release(): void;
}

/**
 * Runs (`launch`) or adopts (null) the process of a turn.
 * @param launch What to start; null attaches to what stands in the turn's folder.
 * @param talk Takes the program's pipes: it then has neither the prompt on its standard input nor its standard output in
 *   the turn's folder, and can't be adopted.
 */
export async function* runProcess(
  input: ProcessInput,
  launch: Launch | null,
  talk?: (pipes: ProgramPipes) => void,
): AsyncGenerator<ProcessEvent, ProcessEnd, void> {
  if (input.signal.aborted && launch) return ending('stopped', { reason: stopReason(input.signal) });
  const followed = launch ? await spawn(input, launch, talk) : await attach(input);
  if ('how' in followed) return followed;
  try {
    yield { type: 'started', pid: followed.identity.pid };
    const bytes = yield* follow(input, followed);
    // What ended before it was told to has ended by itself.
    const stopped =
      input.signal.aborted && !(await hasEnded(followed)) && (await readExit(input.dir)) === null;
    const turn = { leader: followed.identity, watched: true, marks: marksOf(input, launch) };
    const survivors = await endProcesses(turn, input.effects, () => trimOutput(input));
    await trimOutput(input);
    const size = await outputSize(input.dir);
    if (size > bytes) yield { type: 'output', bytes: size };
    return await conclude(input, followed, stopped, survivors);
  } finally {
    followed.release();
  }
}

async function* follow(input: ProcessInput, followed: Followed): AsyncGenerator<ProcessEvent, number, void> {
  const wake = AbortSignal.any([input.signal, ...(followed.gone ? [followed.gone] : [])]);
  let bytes = 0;
  for (;;) {
    // Looked at before the size, so that the last size seen is the whole.
    const ended = await hasEnded(followed);
    const size = await outputSize(input.dir);
    if (size > bytes) {
      bytes = size;
      yield { type: 'output', bytes };
    }
    yield { type: 'tick' };
    if (ended || input.signal.aborted) return bytes;
    await sleep(input.effects, POLL_MS, wake);
  }
}

async function spawn(
  input: ProcessInput,
  launch: Launch,
  talk: ((pipes: ProgramPipes) => void) | undefined,
): Promise<Followed | ProcessEnd> {
  const started = await startChild(input, launch, talk !== undefined);
  if ('how' in started) return started;
  const { child } = started;
  const gone = new AbortController();
  let code: number | null = null;
  const ended = child.then((result) => {
    code = result.exitCode ?? null;
    gone.abort();
    return result;
  });
  // A child of its own that holds the pipe would keep the end from being told.
  child.nodeChildProcess.once('exit', (exitCode) => {
    code = exitCode;
    gone.abort();
  });
  if (child.pid === undefined) {
    const { originalMessage } = await ended;
    return ending('unstarted', {
      reason: 'exit',
      message: `could not start: ${originalMessage ?? 'unknown'}`,
    });
  }
  if (talk) talk({ stdin: child.stdin!, stdout: child.stdout! });
  const identity = { pid: child.pid, start: (await startOf(child.pid)) ?? '' };
  const release = () => child.nodeChildProcess.unref();
  return { identity, gone: gone.signal, childCode: () => code, release };
}

// Everything goes straight between the program and files; nothing passes through this process but what is said to a
// program that is talked to.
async function startChild(input: ProcessInput, launch: Launch, talks: boolean) {
  const files: FileHandle[] = [];
  try {
    files.push(await open(join(input.dir, PROMPT_FILE), 'r'));
    files.push(await open(join(input.dir, OUTPUT_FILE), 'a'));
    // execa takes any descriptor, its types only those of one digit.
    const [prompt, log] = files.map(({ fd }) => fd as 3);
    const stdio = talks ? (['pipe', 'pipe', log!] as const) : ([prompt!, log!, log!] as const);
    return { child: startWrapper(input, launch, stdio) };
  } catch (error) {
    // A full disk or no descriptors left is the machine's state, not a bug.
    if (typeof (error as NodeJS.ErrnoException).code !== 'string') throw error;
    return ending('unstarted', { reason: 'exit', message: `could not start: ${(error as Error).message}` });
  } finally {
    await Promise.all(files.map((file) => file.close()));
  }
}

type Pipe = 3 | 'pipe';

function startWrapper(input: ProcessInput, launch: Launch, stdio: readonly [Pipe, Pipe, 3]) {
  return execa(SHELL, ['-c', WRAPPER, 'taskroom-turn', input.dir, launch.program, ...launch.args], {
    cwd: launch.cwd,
    env: launch.env,
    extendEnv: false,
    stdio: [...stdio],
    detached: true,
    cleanup: false,
    buffer: false,
    reject: false,
  });
}

async function attach(input: ProcessInput): Promise<Followed | ProcessEnd> {
  let claim: Awaited<ReturnType<typeof claimUnstarted>>;
  try {
    claim = await claimUnstarted(input.dir);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return ending('lost', {});
  }
  if (claim === 'claimed') return ending('lost', {});
  const followed = { identity: claim, gone: null, childCode: () => null, release: () => {} };
  const marks = turnMarks(input.turn.id);
  if (await isAlive(claim)) {
    if (!claim.start.startsWith('linux ') || isOwn(input, claim.pid)) return followed;
    // One that ends between the two looks has no environment any more, and may well be ours.
    if (await isAlive(claim)) return ending('lost', {});
  }
  // It ended while nobody watched: what it left behind is found by its marks alone.
  const survivors = await endProcesses({ leader: claim, watched: false, marks }, input.effects);
  return conclude(input, followed, false, survivors);
}

/** Another worker on this machine may have the same turn by now, in a room's folder of its own. One that was adopted may have moved. */
function marksOf({ turn }: ProcessInput, launch: Launch | null): string[] {
  const room = launch?.env.AGENT_ROOM;
  return [...turnMarks(turn.id), ...(room === undefined ? [] : [`AGENT_ROOM=${room}`])];
}

// A copied room names a process of the original in its pid file; that one still has its own folder. A moved
// room's process remembers a folder that is gone.
function isOwn(input: ProcessInput, pid: number): boolean {
  const environment = readEnvironment(pid);
  if (!turnMarks(input.turn.id).every((mark) => environment.includes(mark))) return false;
  const home = environment
    .find((entry) => entry.startsWith('TASKROOM_CONTEXT='))
    ?.slice('TASKROOM_CONTEXT='.length);
  if (home === undefined || home === join(input.dir, CONTEXT_FILE)) return true;
  return !existsSync(join(dirname(home), PID_FILE));
}

async function hasEnded(followed: Followed): Promise<boolean> {
  return followed.gone ? followed.gone.aborted : !(await isAlive(followed.identity));
}

async function conclude(
  input: ProcessInput,
  followed: Followed,
  stopped: boolean,
  survivors: number[],
): Promise<ProcessEnd> {
  const claim = await readIdentity(input.dir);
  if (claim?.pid !== followed.identity.pid) {
    return stopped
      ? ending('stopped', { reason: stopReason(input.signal), survivors })
      : ending('lost', { survivors });
  }
  // The wrapper ends with the code it records: that still counts when the disk was full.
  const code = (await readExit(input.dir)) ?? followed.childCode();
  if (stopped) return ending('stopped', { reason: stopReason(input.signal), code, survivors });
  return code === null
    ? ending('lost', { survivors })
    : ending('exited', { reason: 'exit', code, survivors });
}

function ending(how: ProcessEnd['how'], facts: Partial<ProcessEnd>): ProcessEnd {
  return { how, code: null, reason: 'interrupted', message: '', survivors: [], ...facts };
}

export function stopReason(signal: AbortSignal): TurnReason {
  return signal.reason instanceof StopTurn ? signal.reason.reason : 'interrupted';
}

// A program that prints without end writes on until it is gone: what is above its limit is cut off meanwhile.
const BUFFER_BYTES = 64 * 1024;

async function trimOutput({ dir, signal }: ProcessInput): Promise<void> {
  const keep = signal.reason instanceof StopTurn ? signal.reason.keepBytes : null;
  if (keep === null || (await outputSize(dir)) <= keep + BUFFER_BYTES) return;
  await truncate(join(dir, OUTPUT_FILE), keep + BUFFER_BYTES);
}

async function outputSize(dir: string): Promise<number> {
  try {
    return (await stat(join(dir, OUTPUT_FILE))).size;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0;
    throw error;
  }
}
