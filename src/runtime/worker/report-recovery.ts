// What a worker that died had not told: kept beside its turns until the next worker in its folder tells it. Whose attempt it
// is by then is the host's to say; what the host does not take stays here for a week, and is said.
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isRoomError, type RoomError } from '../../core/errors.ts';
import { type Effects, sleep } from '../../effects.ts';
import { keyOfRequest } from '../../remote/wire.ts';
import type { Outcome } from '../../runners/runner.ts';
import { onDisk } from '../../store/room.ts';
import { findWork, hasAnswer, readRequest } from '../bridge/spool-files.ts';
import type { WorkQueue } from '../work-queue/pg-boss-queue.ts';
import { OUTPUT_PIECE, type WorkerReport } from '../worker-protocol.ts';
import type { Host } from './host.ts';
import { readOutput, readUnsent, type UnsentReports } from './report-journal.ts';
import { createReporter, type Reporter, tell } from './reporter.ts';
import { type BranchFile, branchFileIn, type SendPiece, sendFile } from './workspace/hand-over.ts';

/** Beside the turns of a room. */
const UNSENT = 'unsent';
const REFUSED = 'refused';
const KEEP_REFUSED_MS = 7 * 24 * 3600_000;
const AGAIN_MS = 1_000;
const MOST_REQUESTS = 500;

/**
 * Sets what the turn in that folder had not told aside; where there is nothing, the folder goes.
 * @param turns absolute path of the folder that it lies in
 * @throws RoomError `io`
 */
export function keepUnsent(turns: string, turn: string): void {
  const dir = join(turns, turn);
  const unsent = readUnsent(dir);
  onDisk(dir, () => {
    if (unsent === null) rmSync(dir, { recursive: true, force: true });
    else moveTo(join(turns, '..', UNSENT), dir, `${turn}.${unsent.job.attempt}`);
  });
}

function moveTo(folder: string, dir: string, name: string): string {
  const target = join(folder, name);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  rmSync(target, { recursive: true, force: true });
  try {
    renameSync(dir, target);
  } catch (error) {
    // Another that cleans up was first.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  return target;
}

export interface SendingUnsent {
  /** Absolute path of the folder that stands for the room. */
  room: string;
  queue: Pick<WorkQueue, 'giveBack'>;
  effects: Effects;
  /** The host as a worker before this one asked it. */
  hostAs(worker: string): Promise<Host>;
  /** Stops: what is not told yet is told by the next. */
  signal: AbortSignal;
  say(line: string): void;
}

/** Resolves when all is told, or refused. */
export async function sendUnsent(sending: SendingUnsent): Promise<void> {
  const folder = join(sending.room, '.taskroom', UNSENT);
  forgetRefused(sending);
  for (const name of existsSync(folder) ? readdirSync(folder).sort() : []) {
    const dir = join(folder, name);
    const unsent = readUnsent(dir);
    if (unsent !== null) await sendOne(sending, dir, unsent);
    if (sending.signal.aborted) return;
    rmSync(dir, { recursive: true, force: true });
  }
}

async function sendOne(sending: SendingUnsent, dir: string, unsent: UnsentReports): Promise<void> {
  const { queue, effects, say, signal } = sending;
  const { job, worker } = unsent;
  let refused: RoomError | null = null;
  let host: BackAgain;
  try {
    host = await comeBackAs(sending, worker);
  } catch (error) {
    if (!isRoomError(error)) throw error;
    return sayRefused(sending, dir, unsent, error);
  }
  if (host === null) return;
  const reporter = createReporter({
    effects,
    answered: unsent.answered,
    send: (first, reports, closing) => tell(host, job, first, reports, closing),
    onLost: (error) => {
      refused = error;
    },
    onTrouble: () => {},
  });
  const stop = () => reporter.close();
  signal.addEventListener('abort', stop, { once: true });
  try {
    const branch = branchFileIn(dir);
    const { turn, attempt } = job;
    const send: SendPiece = (piece, closing) => host('keepBranch', { turn, attempt, ...piece }, closing);
    if (branch !== null) await sendFile({ send, effects, signal }, branch.path);
    await tellAll(reporter, dir, unsent, branch);
    if (!unsent.isEnded && endWith(unsent, branch) === null) await queue.giveBack(job).catch(() => false);
    say(`${job.turn}  what a worker before this one had not reported is told`);
  } catch (error) {
    if (!isRoomError(error)) throw error;
    const why = refused ?? (signal.aborted ? null : error);
    if (why !== null) sayRefused(sending, dir, unsent, why);
  } finally {
    signal.removeEventListener('abort', stop);
    reporter.close();
    await host('bye', {}).catch(() => undefined);
  }
}

type BackAgain = Awaited<ReturnType<SendingUnsent['hostAs']>> | null;

/** Null when it is to stop before the host is there; one that does not know the worker any more is told so by its answers. */
async function comeBackAs({ hostAs, effects, signal }: SendingUnsent, worker: string) {
  while (!signal.aborted) {
    try {
      return await hostAs(worker);
    } catch (error) {
      if (!isRoomError(error, 'unavailable')) throw error;
      await sleep(effects, AGAIN_MS, signal);
    }
  }
  return null;
}

async function tellAll(
  reporter: Reporter,
  dir: string,
  unsent: UnsentReports,
  branch: BranchFile | null,
): Promise<void> {
  const told = unsent.reports.map((report) => reporter.report(report));
  if (!unsent.isEnded) {
    for (const text of requestsIn(join(dir, 'bridge')).filter((each) => !unsent.requests.has(each)))
      told.push(reporter.report({ kind: 'request', text }));
    await Promise.all(told);
    if (branch !== null && !unsent.hasBranch) told.push(reporter.report(branch.report));
    await tellOutput(reporter, dir, unsent.output);
    const end = endWith(unsent, branch);
    told.push(reporter.report(end === null ? { kind: 'left' } : { kind: 'end', end }));
  }
  await Promise.all(told);
}

/** A turn whose program had ended and whose branch is here is over; any other is somebody's to try again. */
function endWith({ ran }: UnsentReports, branch: BranchFile | null): Outcome | null {
  return branch === null ? null : ran;
}

async function tellOutput(reporter: Reporter, dir: string, from: number): Promise<void> {
  let offset = from;
  for (;;) {
    const piece = readOutput(dir, offset, OUTPUT_PIECE);
    if (piece.length === 0) return;
    const report: WorkerReport = { kind: 'output', offset, data: piece.toString('base64') };
    await reporter.report(report);
    offset += piece.length;
  }
}

/** What the agent asked for and nobody had answered, in order. */
function requestsIn(bridge: string): string[] {
  const names = ['closing', 'requests'].flatMap((source) => findWork(bridge, source, MOST_REQUESTS));
  return [...new Set(names)].flatMap((name) => {
    if (hasAnswer(bridge, keyOfRequest(name)!)) return [];
    const text = readRequest(bridge, name);
    return text === null || text === 'too large' ? [] : [text];
  });
}

function sayRefused(
  { room, say }: SendingUnsent,
  dir: string,
  { job, reports }: UnsentReports,
  { message }: RoomError,
): void {
  if (reports.length === 0 && branchFileIn(dir) === null) return;
  const place = moveTo(join(room, '.taskroom', REFUSED), dir, `${job.turn}.${job.attempt}`);
  const branch = branchFileIn(place) === null ? '' : ' and a branch';
  const count = `${reports.length} ${reports.length === 1 ? 'report' : 'reports'}${branch}`;
  say(`${job.turn}  ${count} of a worker before this one came too late (${message}); kept in ${place}`);
}

function forgetRefused({ room, effects }: SendingUnsent): void {
  const folder = join(room, '.taskroom', REFUSED);
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    const dir = join(folder, name);
    if (effects.now() - statSync(dir).mtimeMs > KEEP_REFUSED_MS)
      rmSync(dir, { recursive: true, force: true });
  }
}
