// The branch of a turn between the host and a worker. It comes from its repository or from the host, and is handed over by a push to its
// repository, or as a file where the push fails. Commits that are only here are never overwritten, but set aside under another name. Until the
// host says that it has the branch, the file lies in the turn's folder and the commits in the worktree.
import { existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import {
  type Git,
  hasCommit,
  isAncestor,
  MAX_BUNDLE_BYTES,
  makeBundle,
  takeBundle,
  tipOf,
} from '../../../../agents/workspace/git.ts';
import { isPassing, isRoomError, RoomError } from '../../../../core/errors.ts';
import type { Effects } from '../../../../effects.ts';
import type { WorkspaceRow } from '../../../../store/ledger/turns/jobs.ts';
import type { ClaimedWorkspace, ReportAnswer, TurnAttempt, WorkerReport } from '../../../worker-protocol.ts';
import { BRANCH_PIECE } from '../../../worker-protocol.ts';
import { readAt } from '../../host/turn-files.ts';
import { type Host, untilItWorks } from '../host.ts';
import type { Reporter } from '../reporter.ts';
import type { WorkspaceRecord } from './records.ts';

export const hostRef = (branch: string) => `refs/remotes/host/${branch}`;

/** Fetches the commits that a turn goes on from. Returns what went wrong; null for nothing.
 * @param fetchBranch writes the branch as the host has it to a file, and resolves with its path */
export async function getCommits(
  git: Git,
  dir: string,
  { base, tip, branch, address }: ClaimedWorkspace,
  fetchBranch: () => Promise<string>,
): Promise<string | null> {
  if (!(await hasCommit(git, dir, base))) {
    await git(dir, 'fetch', '--quiet', '--no-tags', 'origin', base);
    if (!(await hasCommit(git, dir, base)))
      return `${address} does not give the commit ${base}, which the branch began at`;
  }
  if (tip === null) return null;
  if (!(await hasCommit(git, dir, tip))) {
    const into = `refs/taskroom/in/${branch}`;
    const fault = await takeBundle(git, dir, { branch, file: await fetchBranch(), tip, into });
    if (fault !== null) return `the branch can't be taken from the room: ${fault}`;
  }
  const noted = await git(dir, 'update-ref', hostRef(branch), tip);
  return noted.ok ? null : noted.message;
}

/** Brings the branch here to where the host has it. @param say tells what was set aside */
export async function goOn(
  git: Git,
  { row, handed }: WorkspaceRecord,
  tip: string | null,
  say: (line: string) => void,
): Promise<'as it is' | 'anew' | { fault: string }> {
  const { project, branch, path } = row;
  const here = await tipOf(git, project, branch);
  // Nobody else worked on the branch since, whatever was done to it here.
  if (tip === null || here === null || here === tip || handed === tip) return 'as it is';
  if (await isAncestor(git, project, tip, here)) return 'as it is';
  if (await isAncestor(git, project, here, tip)) {
    const moved = existsSync(path)
      ? await forward(git, row, tip)
      : (await git(project, 'update-ref', `refs/heads/${branch}`, tip)).ok;
    if (moved) return 'as it is';
  }
  return setAside(git, row, here, say);
}

async function forward(git: Git, { path, branch }: WorkspaceRow, tip: string): Promise<boolean> {
  const at = await git(path, 'symbolic-ref', '--quiet', 'HEAD');
  return at.stdout === `refs/heads/${branch}` && (await git(path, 'merge', '--quiet', '--ff-only', tip)).ok;
}

async function setAside(git: Git, row: WorkspaceRow, here: string, say: (line: string) => void) {
  const { project, branch, path } = row;
  const kept = `${branch}-kept-${here.slice(0, 10)}`;
  const place = `${path}.kept-${here.slice(0, 10)}`;
  if (existsSync(path)) {
    const moved = await git(project, 'worktree', 'move', path, place);
    if (!moved.ok) return { fault: `${path} can't be set aside: ${moved.message}` };
  } else await git(project, 'worktree', 'prune');
  const renamed = await git(project, 'branch', '--quiet', '-m', branch, kept);
  if (!renamed.ok) return { fault: `${branch} can't be set aside: ${renamed.message}` };
  const where = existsSync(place) ? `, in ${place}` : '';
  say(`${branch} was worked on elsewhere since; what is only here is kept as ${kept}${where}`);
  return 'anew' as const;
}

interface Branch {
  git: Git;
  row: WorkspaceRow;
  tip: string | null; // The host's commit.
  dir: string; // The turn's folder.
}

interface Sending {
  host: Host;
  job: TurnAttempt;
  effects: Effects;
  signal: AbortSignal; // Aborts when the turn is given back.
}

export interface BranchFile {
  path: string;
  report: Extract<WorkerReport, { kind: 'branch' }>; // Made once the file was sent.
}

/** The commit that is to be handed over; null where the host has it. */
async function commitToHand({ git, row, tip }: Branch): Promise<string | null> {
  const { project, branch, base } = row;
  const here = await tipOf(git, project, branch);
  if (here === null || here === tip || (tip === null && here === base)) return null;
  return tip !== null && (await isAncestor(git, project, here, tip)) ? null : here;
}

/** Writes the branches to files in the turn's folder before the end is reported, so that they outlive this worker while the host is
 * away: all of them, or none. */
export async function prepareBranches(preparing: readonly Branch[]): Promise<void> {
  for (const one of preparing) {
    const here = await commitToHand(one);
    if (here === null || typeof (await writeFile(one, here)) !== 'string') continue;
    for (const { path } of branchFilesIn(one.dir)) rmSync(path);
    return;
  }
}

/** Returns the commit that the host has then. @throws RoomError `refused` where neither way takes it, `gone` when the attempt is lost */
export async function handOver(handing: Branch & Sending & { reporter: Pick<Reporter, 'report'> }) {
  const { git, row, tip, dir, reporter } = handing;
  const { project, branch, name: repository } = row;
  const here = await commitToHand(handing);
  if (here === null) return tip;
  const prepared = branchFilesIn(dir).find(({ report }) => report.repository === repository);
  const file = prepared?.report.tip === here ? prepared : await writeFile(handing, here);
  // A worker that lost the turn pushes nothing.
  mustBeDone(await reporter.report({ kind: 'branch', repository, tip: here, by: null, bytes: 0 }));
  const name = `refs/heads/${branch}`;
  const pushed = await git(project, 'push', '--quiet', 'origin', `${name}:${name}`);
  const byPush = { kind: 'branch', repository, tip: here, by: 'push', bytes: 0 } as const;
  const isTaken = pushed.ok && (await reporter.report(byPush)).kind === 'done';
  if (!isTaken) {
    if (typeof file === 'string')
      throw new RoomError('refused', `${branch} can't be handed over: ${file}; git push: ${pushed.message}`);
    await sendFile(handing, file);
    mustBeDone(await reporter.report(file.report));
  }
  await git(project, 'update-ref', hostRef(branch), here);
  return here;
}

/** The file, or why there is none. */
async function writeFile({ git, row, tip, dir }: Branch, here: string): Promise<BranchFile | string> {
  const { project, branch, base, name } = row;
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
  // A file of that name is whole.
  renameSync(fresh, join(dir, `branch.${here}.${name}.bundle`));
  return branchFilesIn(dir).find(({ report }) => report.repository === name)!;
}

/** The branches in a turn's folder that were to be sent. */
export function branchFilesIn(dir: string): BranchFile[] {
  return (existsSync(dir) ? readdirSync(dir) : []).flatMap((found): BranchFile[] => {
    const [, tip, repository] = /^branch\.([0-9a-f]{40,64})\.(.*)\.bundle$/.exec(found) ?? [];
    if (tip === undefined || repository === undefined) return [];
    const path = join(dir, found);
    return [{ path, report: { kind: 'branch', repository, tip, by: 'bundle', bytes: statSync(path).size } }];
  });
}

/** Sends the file in pieces, from where the host is; waits for a host that is away. @throws RoomError `gone` once `signal` aborts */
export async function sendFile(sending: Sending, { path, report }: BranchFile): Promise<void> {
  const { host, signal } = sending;
  const { turn, attempt } = sending.job;
  const { repository } = report;
  const { size } = statSync(path);
  for (let offset = 0; offset < size; ) {
    const data = readAt(path, offset, BRANCH_PIECE).data.toString('base64');
    const send = () => host('keepBranch', { turn, attempt, repository, offset, size, data }, signal);
    const kept = await untilItWorks(sending, [250, 2_000], send, mayPass);
    if (kept === null) throw new RoomError('gone', 'the turn was given back');
    offset = kept.size;
  }
}

const mayPass = (error: unknown) =>
  !isRoomError(error) || isPassing(error) || ['unavailable', 'rate_limited'].includes(error.code);

function mustBeDone(answer: ReportAnswer): void {
  if (answer.kind === 'failed') throw new RoomError('refused', answer.error.message);
}
