// The branch of a turn on its way to the host: pushed to its repository, or, where that does not take it, sent as a file. The host
// has it when it said so; until then the file lies in the turn's folder, and the commits in the worktree.
import { existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isAncestor, MAX_BUNDLE_BYTES, makeBundle } from '../../../../agents/workspace/bundle.ts';
import type { Git } from '../../../../agents/workspace/git.ts';
import { tipOf } from '../../../../agents/workspace/repository.ts';
import { isRoomError, RoomError } from '../../../../core/errors.ts';
import type { Effects } from '../../../../effects.ts';
import type { WorkspaceRow } from '../../../../store/ledger/turns/jobs.ts';
import { BRANCH_PIECE, type InHand, type ReportAnswer, type WorkerReport } from '../../../worker-protocol.ts';
import { readAt } from '../../host/turn-files.ts';
import { createBackoff, type Host } from '../host.ts';
import type { Reporter } from '../reporter.ts';
import { hostRef } from './go-on.ts';

interface Preparing {
  git: Git;
  row: WorkspaceRow;
  /** Commit that the host has of it. */
  tip: string | null;
  /** The turn's folder. */
  dir: string;
}

interface Sending {
  host: Host;
  job: InHand;
  effects: Effects;
  /** Aborts when the turn is given back: what is not told by then stays here. */
  signal: AbortSignal;
}

export interface HandingOver extends Preparing, Sending {
  reporter: Pick<Reporter, 'report'>;
}

export interface BranchFile {
  path: string;
  /** What is told of it once it was sent. */
  report: Extract<WorkerReport, { kind: 'branch' }>;
}

/** Commit that is to be handed over; null where the host has all of it. */
async function commitToHand({ git, row, tip }: Preparing): Promise<string | null> {
  const { project, branch, base } = row;
  const here = await tipOf(git, project, branch);
  if (here === null || here === tip || (tip === null && here === base)) return null;
  return tip !== null && (await isAncestor(git, project, here, tip)) ? null : here;
}

/** Has the branch as a file in the turn's folder before anything is told, so that it outlives this worker while the host is away. */
export async function prepareBranch(preparing: Preparing): Promise<void> {
  const here = await commitToHand(preparing);
  if (here !== null) await writeFile(preparing, here);
}

/**
 * @returns the commit that the host has now
 * @throws RoomError `refused` where neither way takes it, `gone` when the attempt is lost
 */
export async function handOver(handing: HandingOver): Promise<string | null> {
  const { git, row, tip, dir, reporter } = handing;
  const { project, branch } = row;
  const here = await commitToHand(handing);
  if (here === null) return tip;
  const prepared = branchFileIn(dir);
  const file = prepared?.report.tip === here ? prepared : await writeFile(handing, here);
  // Nothing is pushed by one that lost the turn.
  mustBeDone(await reporter.report({ kind: 'branch', tip: here, by: null, bytes: 0 }));
  const name = `refs/heads/${branch}`;
  const pushed = await git(project, 'push', '--quiet', 'origin', `${name}:${name}`);
  const isTaken =
    pushed.ok && (await reporter.report({ kind: 'branch', tip: here, by: 'push', bytes: 0 })).kind === 'done';
  if (!isTaken) {
    if (typeof file === 'string')
      throw new RoomError('refused', `${branch} can't be handed over: ${file}; git push: ${pushed.message}`);
    await sendFile(handing, file.path);
    mustBeDone(await reporter.report(file.report));
  }
  await git(project, 'update-ref', hostRef(branch), here);
  return here;
}

/** The file, or why there is none. */
async function writeFile({ git, row, tip, dir }: Preparing, here: string): Promise<BranchFile | string> {
  const { project, branch, base } = row;
  const fresh = join(dir, 'branch.new');
  const known = tip === null ? [base] : [base, tip];
  const fault = await makeBundle(git, project, { branch, file: fresh, known });
  if (fault !== null) return fault;
  const bytes = statSync(fresh).size;
  if (bytes > MAX_BUNDLE_BYTES) {
    rmSync(fresh);
    const size = Math.ceil(bytes / 2 ** 20);
    return `it comes to ${size} MiB, and ${MAX_BUNDLE_BYTES / 2 ** 20} are taken`;
  }
  // Under its name it is whole, and tells what it holds.
  renameSync(fresh, join(dir, `branch.${here}.bundle`));
  return branchFileIn(dir)!;
}

/** The branch that was to be sent out of a turn's folder; null where there is none. */
export function branchFileIn(dir: string): BranchFile | null {
  const names = existsSync(dir) ? readdirSync(dir) : [];
  const found = names.find((name) => /^branch\.[0-9a-f]{40,64}\.bundle$/.test(name));
  if (found === undefined) return null;
  const path = join(dir, found);
  const tip = found.split('.')[1]!;
  return { path, report: { kind: 'branch', tip, by: 'bundle', bytes: statSync(path).size } };
}

/** Sends the file in pieces, from where the host is; waits for a host that is away. */
export async function sendFile(
  { host, job: { turn, attempt }, effects, signal }: Sending,
  path: string,
): Promise<void> {
  const { size } = statSync(path);
  const backoff = createBackoff(effects, 250, 2_000);
  for (let offset = 0; offset < size; ) {
    if (signal.aborted) throw new RoomError('gone', 'the turn was given back');
    try {
      const data = readAt(path, offset, BRANCH_PIECE).data.toString('base64');
      offset = (await host('keepBranch', { turn, attempt, offset, size, data }, signal)).size;
      backoff.reset();
    } catch (error) {
      if (isRoomError(error) && !PASSING.has(error.code)) throw error;
      await backoff.rest(signal);
    }
  }
}

const PASSING = new Set(['unavailable', 'io', 'locked', 'rate_limited', 'room_gone']);

function mustBeDone(answer: ReportAnswer): void {
  if (answer.kind === 'failed') throw new RoomError('refused', answer.error.message);
}
