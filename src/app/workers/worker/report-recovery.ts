// Sends the reports of a worker that died: they lie beside the room's turns until the next worker in the folder sends them. What the host
// refuses, because the attempt is another's by then, stays here for a week.
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { hasCode, isRoomError, type RoomError } from '../../../core/errors.ts';
import type { Effects } from '../../../effects.ts';
import { onDisk } from '../../../store/room.ts';
import { readUnanswered } from '../../bridge/bridge-folder.ts';
import { OUTPUT_PIECE } from '../../worker-protocol.ts';
import type { WorkQueue } from '../queue/pg-boss-queue.ts';
import { type Host, untilItWorks } from './host.ts';
import { createReporter, type Reporter, readOutput, readUnsent, type UnsentReports } from './reporter.ts';
import { type BranchFile, branchFilesIn, sendFile } from './workspace/branch-transfer.ts';

const UNSENT = 'unsent';
const REFUSED = 'refused';
const KEEP_REFUSED_MS = 7 * 24 * 3600_000;

/** Sets aside the folder of a turn with unsent reports, and removes any other. @param turns absolute path. @throws RoomError `io` */
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
    // Another process that cleans up was first.
    if (!hasCode(error, 'ENOENT')) throw error;
  }
  return target;
}

interface Recovery {
  room: string; // Absolute path of the folder that stands for the room.
  queue: Pick<WorkQueue, 'giveBack'>;
  effects: Effects;
  hostAs(worker: string): Promise<Host>; // Greets the host as a worker before this one.
  signal: AbortSignal; // Aborts when the rest is left to the next worker.
  say(line: string): void;
}

/** Resolves when all reports are taken or refused. */
export async function sendUnsent(recovery: Recovery): Promise<void> {
  const { room, effects, signal } = recovery;
  for (const dir of foldersIn(room, REFUSED))
    if (effects.now() - statSync(dir).mtimeMs > KEEP_REFUSED_MS)
      rmSync(dir, { recursive: true, force: true });
  for (const dir of foldersIn(room, UNSENT)) {
    const unsent = readUnsent(dir);
    if (unsent !== null) await sendOne(recovery, dir, unsent);
    if (signal.aborted) return;
    rmSync(dir, { recursive: true, force: true });
  }
}

function foldersIn(room: string, name: string): string[] {
  const folder = join(room, '.taskroom', name);
  const names = existsSync(folder) ? readdirSync(folder).sort() : [];
  return names.map((each) => join(folder, each));
}

async function sendOne(recovery: Recovery, dir: string, unsent: UnsentReports): Promise<void> {
  const { queue, effects, hostAs, say, signal } = recovery;
  const { job, answered } = unsent;
  let refused: RoomError | null = null;
  let reporter: Reporter | null = null;
  const stop = () => reporter?.close();
  try {
    const isAway = (error: unknown) => isRoomError(error, 'unavailable');
    const host = await untilItWorks(recovery, [1_000, 1_000], () => hostAs(unsent.worker), isAway);
    if (host === null) return;
    reporter = createReporter({
      ...{ effects, host, job, answered, onTrouble: () => {} },
      onLost(error) {
        refused = error;
      },
    });
    signal.addEventListener('abort', stop, { once: true });
    try {
      const branches = branchFilesIn(dir);
      for (const branch of branches) await sendFile({ host, job, effects, signal }, branch);
      if (!(await tellAll(reporter, dir, unsent, branches))) await queue.giveBack(job).catch(() => false);
      say(`${job.turn}  what a worker before this one had not reported is told`);
    } finally {
      reporter.close();
      await host('bye', {}).catch(() => undefined);
    }
  } catch (error) {
    if (!isRoomError(error)) throw error;
    const why = refused ?? (signal.aborted ? null : error);
    if (why !== null) sayRefused(recovery, dir, unsent, why.message);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** Returns false for a turn that another worker is to try again: its program had not ended, or its branch is not here. */
async function tellAll(reporter: Reporter, dir: string, unsent: UnsentReports, branches: BranchFile[]) {
  const { reports, requests, output, handed, isEnded, ran } = unsent;
  const told = reports.map((report) => reporter.report(report));
  const end = branches.length === 0 ? null : ran;
  if (!isEnded) {
    for (const text of readUnanswered(join(dir, 'bridge')).filter((each) => !requests.has(each)))
      told.push(reporter.report({ kind: 'request', text }));
    await Promise.all(told);
    for (const { report } of branches)
      if (!handed.includes(report.repository)) told.push(reporter.report(report));
    let offset = output;
    for (let piece = readOutput(dir, offset, OUTPUT_PIECE); piece.length > 0; ) {
      await reporter.report({ kind: 'output', offset, data: piece.toString('base64') });
      offset += piece.length;
      piece = readOutput(dir, offset, OUTPUT_PIECE);
    }
    told.push(reporter.report(end === null ? { kind: 'left' } : { kind: 'end', end }));
  }
  await Promise.all(told);
  return isEnded || end !== null;
}

function sayRefused(recovery: Recovery, dir: string, { job, reports }: UnsentReports, why: string): void {
  const { room, say } = recovery;
  const hasBranch = branchFilesIn(dir).length > 0;
  if (reports.length === 0 && !hasBranch) return;
  const place = moveTo(join(room, '.taskroom', REFUSED), dir, `${job.turn}.${job.attempt}`);
  const count = `${reports.length} ${reports.length === 1 ? 'report' : 'reports'}${hasBranch ? ' and a branch' : ''}`;
  say(`${job.turn}  ${count} of a worker before this one came too late (${why}); kept in ${place}`);
}
