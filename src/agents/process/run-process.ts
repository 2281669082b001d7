// Runs a turn's program under the wrapper, or attaches to one that already runs, and follows it to its end.
// When `runProcess` returns, nothing the turn started is alive; when it is abandoned (`return()`, or the runtime dies) the
// program goes on and can be attached to again.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { type FileHandle, open, stat, truncate } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import type { TurnReason } from '../../core/rules/turn.ts';
import { sleep } from '../../effects.ts';
import { type RunBasics, type RunnerEvent, StopTurn, stopReason } from '../runner.ts';
import type { Launch } from './launch.ts';
import { readEnvironment } from './proc-files.ts';
import {
  CONTEXT_FILE,
  claimUnstarted,
  ifThere,
  isAlive,
  OUTPUT_FILE,
  PID_FILE,
  PROMPT_FILE,
  type ProcessIdentity,
  readExit,
  readIdentity,
  SHELL,
  startOf,
  WRAPPER,
} from './process-identity.ts';
import { endProcesses, turnMarks } from './terminate.ts';

const POLL_MS = 250; // How often the output's size is read and, of an adopted process, whether it lives.

export type ProcessInput = Pick<RunBasics, 'dir' | 'signal' | 'effects'> & {
  turn: Pick<RunBasics['turn'], 'id'>;
};

/** The pipes of a program that is talked to; their taker reads and closes both. */
export type ProgramPipes = { stdin: Writable; stdout: Readable };

/** `tick` is a moment to look at the turn's folder. */
export type ProcessEvent = RunnerEvent | { type: 'tick' };

export interface ProcessEnd {
  /** It ended by itself, by the signal, vanished without a record, or never ran. */
  how: 'exited' | 'stopped' | 'lost' | 'unstarted';
  code: number | null; // Recorded exit code, 128 + n after death by signal n; null when there is none.
  reason: TurnReason; // Why it was stopped; `interrupted` when lost.
  message: string;
  survivors: number[]; // Processes of the turn that could not be ended.
}

interface Followed {
  identity: ProcessIdentity;
  child: ChildProcess | null; // Null for an adopted process: only looking tells whether it lives.
}

/**
 * @param launch What to start; null adopts what stands in the turn's folder.
 * @param talk Takes the program's pipes: it then has neither the prompt on its standard input nor its standard output in
 *   the turn's folder, and can't be adopted.
 */
export async function* runProcess(
  input: ProcessInput,
  launch: Launch | null,
  talk?: (pipes: ProgramPipes) => void,
): AsyncGenerator<ProcessEvent, ProcessEnd, void> {
  if (input.signal.aborted && launch) return ending('stopped', { reason: stopReason(input.signal) });
  const followed = launch ? await start(input, launch, talk) : await attach(input);
  if ('how' in followed) return followed;
  try {
    yield { type: 'started', pid: followed.identity.pid };
    const bytes = yield* follow(input, followed);
    // What ended before it was told to has ended by itself.
    const stopped =
      input.signal.aborted && !(await hasEnded(followed)) && (await readExit(input.dir)) === null;
    const marks = turnMarks(input.turn.id, launch?.env.AGENT_ROOM);
    const turn = { leader: followed.identity, watched: true, marks };
    const survivors = await endProcesses(turn, input.effects, () => trimOutput(input));
    await trimOutput(input);
    const size = await outputSize(input.dir);
    if (size > bytes) yield { type: 'output', bytes: size };
    return await conclude(input, followed, stopped, survivors);
  } finally {
    followed.child?.unref();
  }
}

async function* follow(input: ProcessInput, followed: Followed): AsyncGenerator<ProcessEvent, number, void> {
  const gone = new AbortController();
  followed.child?.once('exit', () => gone.abort());
  const wake = AbortSignal.any([input.signal, gone.signal]);
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

// Everything goes straight between the program and files; only what is said to a program that is talked to passes through
// this process.
async function start(
  { dir }: ProcessInput,
  { program, args, cwd, env }: Launch,
  talk: ((pipes: ProgramPipes) => void) | undefined,
): Promise<Followed | ProcessEnd> {
  const files: FileHandle[] = [];
  try {
    files.push(await open(join(dir, PROMPT_FILE), 'r'), await open(join(dir, OUTPUT_FILE), 'a'));
    const [prompt, log] = files.map(({ fd }) => fd) as [number, number];
    const child = spawn(SHELL, ['-c', WRAPPER, 'taskroom-turn', dir, program, ...args], {
      ...{ cwd, env, detached: true },
      stdio: talk ? ['pipe', 'pipe', log] : [prompt, log, log],
    });
    const fault = new Promise<Error>((resolve) => child.on('error', resolve));
    if (child.pid === undefined) throw await fault;
    if (talk) talk({ stdin: child.stdin!, stdout: child.stdout! });
    return { identity: { pid: child.pid, start: (await startOf(child.pid)) ?? '' }, child };
  } catch (error) {
    // A full disk or no descriptors left is the machine's state, not a bug.
    if (typeof (error as NodeJS.ErrnoException).code !== 'string') throw error;
    return ending('unstarted', { reason: 'exit', message: `could not start: ${(error as Error).message}` });
  } finally {
    await Promise.all(files.map((file) => file.close()));
  }
}

async function attach(input: ProcessInput): Promise<Followed | ProcessEnd> {
  const claim = await ifThere(claimUnstarted(input.dir));
  if (claim === null || claim === 'claimed') return ending('lost', {});
  const followed = { identity: claim, child: null };
  if (await isAlive(claim)) {
    if (!claim.start.startsWith('linux ') || isOwn(input, claim.pid)) return followed;
    // One that ends between the two looks has no environment any more, and may well be ours.
    if (await isAlive(claim)) return ending('lost', {});
  }
  // It ended while nobody watched: what it left behind is found by its marks alone.
  const turn = { leader: claim, watched: false, marks: turnMarks(input.turn.id) };
  return conclude(input, followed, false, await endProcesses(turn, input.effects));
}

// A copied room names a process of the original in its pid file; that one still has its own folder. A moved
// room's process remembers a folder that is gone.
function isOwn(input: ProcessInput, pid: number): boolean {
  const environment = readEnvironment(pid);
  if (!turnMarks(input.turn.id).every((mark) => environment.includes(mark))) return false;
  const name = 'TASKROOM_CONTEXT=';
  const home = environment.find((entry) => entry.startsWith(name))?.slice(name.length);
  if (home === undefined || home === join(input.dir, CONTEXT_FILE)) return true;
  return !existsSync(join(dirname(home), PID_FILE));
}

const hasEnded = async ({ identity, child }: Followed): Promise<boolean> =>
  child ? (child.exitCode ?? child.signalCode) !== null : !(await isAlive(identity));

async function conclude(
  { dir, signal }: ProcessInput,
  { identity, child }: Followed,
  stopped: boolean,
  survivors: number[],
): Promise<ProcessEnd> {
  const isOurs = (await readIdentity(dir))?.pid === identity.pid;
  // The wrapper ends with the code it records: that still counts when the disk was full.
  const code = isOurs ? ((await readExit(dir)) ?? child?.exitCode ?? null) : null;
  if (stopped) return ending('stopped', { reason: stopReason(signal), code, survivors });
  return code === null
    ? ending('lost', { survivors })
    : ending('exited', { reason: 'exit', code, survivors });
}

function ending(how: ProcessEnd['how'], facts: Partial<ProcessEnd>): ProcessEnd {
  return { how, code: null, reason: 'interrupted', message: '', survivors: [], ...facts };
}

const BUFFER_BYTES = 64 * 1024;

// A program that prints without end writes on until it is gone: what is above its limit is cut off meanwhile.
async function trimOutput({ dir, signal }: ProcessInput): Promise<void> {
  const keep = signal.reason instanceof StopTurn ? signal.reason.keepBytes : null;
  if (keep === null || (await outputSize(dir)) <= keep + BUFFER_BYTES) return;
  await truncate(join(dir, OUTPUT_FILE), keep + BUFFER_BYTES);
}

const outputSize = async (dir: string): Promise<number> =>
  (await ifThere(stat(join(dir, OUTPUT_FILE))))?.size ?? 0;
