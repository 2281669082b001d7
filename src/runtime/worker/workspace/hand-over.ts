// The branch of a turn on its way to the host: pushed to its repository, or, where that does not take it, sent as a file. The host
// has it when it said so; until then the file lies in the turn's folder, and the commits in the worktree.
import { existsSync, readdirSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isRoomError, RoomError } from '../../../core/errors.ts';
import { type Effects, sleep } from '../../../effects.ts';
import { BRANCH_PIECE, type ReportAnswer, type WorkerReport } from '../../../remote/worker-wire.ts';
import { isAncestor, MAX_BUNDLE_BYTES, makeBundle } from '../../../runners/workspace/bundle.ts';
import type { Git } from '../../../runners/workspace/git.ts';
import { tipOf } from '../../../runners/workspace/repository.ts';
import type { WorkspaceRow } from '../../../store/ledger/turns/workspaces.ts';
import { readPiece } from '../report-journal.ts';
import type { Reporter } from '../reporter.ts';
import { hostRef } from './go-on.ts';

export interface HandingOver {
  git: Git;
  row: WorkspaceRow;
  /** Commit that the host has of it. */
  tip: string | null;
  /** The turn's folder. */
  dir: string;
  reporter: Pick<Reporter, 'report'>;
  send: SendPiece;
  effects: Effects;
  /** Aborts when the turn is given back: what is not told by then stays here. */
  signal: AbortSignal;
}

export interface BranchFile {
  path: string;
  /** What is told of it once it was sent. */
  report: Extract<WorkerReport, { kind: 'branch' }>;
}

/** Sends a piece of the file; resolves with the bytes that the host has. */
export type SendPiece = (
  piece: { offset: number; size: number; data: string },
  signal: AbortSignal,
) => Promise<number>;

const AGAIN_MS = 250;
const LONGEST_REST_MS = 2_000;

/**
 * @returns the commit that the host has now
 * @throws RoomError `refused` where neither way takes it, `gone` when the attempt is lost
 */
export async function handOver(handing: HandingOver): Promise<string | null> {
  const { git, row, tip, reporter } = handing;
  const { project, branch, base } = row;
  const here = await tipOf(git, project, branch);
  if (here === null || here === tip || (tip === null && here === base)) return tip;
  if (tip !== null && (await isAncestor(git, project, here, tip))) return tip;
  // Nothing is pushed by one that lost the turn.
  mustBeDone(await reporter.report({ kind: 'branch', tip: here, by: null, bytes: 0 }));
  const name = `refs/heads/${branch}`;
  const pushed = await git(project, 'push', '--quiet', 'origin', `${name}:${name}`);
  const isTaken =
    pushed.ok && (await reporter.report({ kind: 'branch', tip: here, by: 'push', bytes: 0 })).kind === 'done';
  if (!isTaken) await sendAsFile(handing, here, pushed.message);
  await git(project, 'update-ref', hostRef(branch), here);
  return here;
}

async function sendAsFile(handing: HandingOver, here: string, refusal: string): Promise<void> {
  const { git, row, tip, dir, reporter } = handing;
  const { project, branch, base } = row;
  const fresh = join(dir, 'branch.new');
  const known = tip === null ? [base] : [base, tip];
  const fault = await makeBundle(git, project, { branch, file: fresh, known });
  const why = refusal === '' ? '' : ` (git push: ${refusal})`;
  if (fault !== null) throw new RoomError('refused', `${branch} can't be handed over: ${fault}${why}`);
  const bytes = statSync(fresh).size;
  if (bytes > MAX_BUNDLE_BYTES)
    throw new RoomError(
      'refused',
      `${branch} comes to ${Math.ceil(bytes / 2 ** 20)} MiB, and ${MAX_BUNDLE_BYTES / 2 ** 20} are taken; let this worker push to its repository${why}`,
    );
  // Under its name it is whole, and tells what it holds.
  renameSync(fresh, join(dir, `branch.${here}.bundle`));
  const file = branchFileIn(dir)!;
  await sendFile(handing, file.path);
  mustBeDone(await reporter.report(file.report));
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

/** Sends it in pieces, from where the host is; waits for one that is away. */
export async function sendFile(
  { send, effects, signal }: Pick<HandingOver, 'send' | 'effects' | 'signal'>,
  path: string,
): Promise<void> {
  const { size } = statSync(path);
  let restMs = AGAIN_MS;
  for (let offset = 0; offset < size; ) {
    if (signal.aborted) throw new RoomError('gone', 'the turn was given back');
    try {
      const data = readPiece(path, offset, BRANCH_PIECE).toString('base64');
      offset = await send({ offset, size, data }, signal);
      restMs = AGAIN_MS;
    } catch (error) {
      if (isRoomError(error) && !PASSING.has(error.code)) throw error;
      await sleep(effects, restMs, signal);
      restMs = Math.min(restMs * 2, LONGEST_REST_MS);
    }
  }
}

const PASSING = new Set(['unavailable', 'io', 'locked', 'rate_limited', 'room_gone']);

function mustBeDone(answer: ReportAnswer): void {
  if (answer.kind !== 'failed') return;
  throw new RoomError('refused', answer.error.message);
}
