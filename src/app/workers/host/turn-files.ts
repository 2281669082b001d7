// The branches of turns that run on workers, at the host, and the pieces in which files go between host and worker. A file that a worker
// sends changes nothing until its report is applied.
import * as fs from 'node:fs';
import { basename, join } from 'node:path';
import type { RunInput } from '../../../agents/runner.ts';
import {
  adoptBranch,
  MAX_BUNDLE_BYTES,
  makeBundle,
  takeBundle,
  takePushed,
  tipOf,
} from '../../../agents/workspace/git.ts';
import { RoomError } from '../../../core/errors.ts';
import type { DispatchedRow, WorkspaceRow } from '../../../store/ledger/turns/jobs.ts';
import { onDisk } from '../../../store/room.ts';
import type { CallInput, ClaimedWorkspace, WorkerReport } from '../../worker-protocol.ts';
import { BRANCH_PIECE } from '../../worker-protocol.ts';
import { folderOf, type WorkspaceRoom } from '../../workspaces/enter.ts';

/** Appends what is new in a piece of a file. Returns the size of the file now. @throws RoomError `io` */
export function appendAt(path: string, offset: number, data: Uint8Array): number {
  return onDisk(path, () => {
    const size = fs.statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    // The bytes before were not sent yet, or the piece was applied before.
    if (offset > size || offset + data.length <= size) return size;
    try {
      fs.appendFileSync(path, data.subarray(size - offset), { mode: 0o600 });
    } catch (error) {
      // Half a piece would be in the way of the whole.
      if (fs.existsSync(path)) fs.truncateSync(path, size);
      throw error;
    }
    return offset + data.length;
  });
}

/** A piece of a file from a byte on. @throws RoomError `io` */
export function readAt(path: string, offset: number, most: number): { size: number; data: Buffer } {
  return onDisk(path, () => {
    const file = fs.openSync(path, 'r');
    try {
      const buffer = Buffer.alloc(most);
      const { size } = fs.fstatSync(file);
      return { size, data: buffer.subarray(0, fs.readSync(file, buffer, 0, most, offset)) };
    } finally {
      fs.closeSync(file);
    }
  });
}

const rowsOf = ({ records }: WorkspaceRoom, { task }: RunInput): WorkspaceRow[] =>
  task === undefined ? [] : records.of(task.id).filter(({ remote }) => remote);

function mustHave(room: WorkspaceRoom, input: RunInput, repository: string): WorkspaceRow {
  const row = rowsOf(room, input).find(({ name }) => name === repository);
  if (row !== undefined) return row;
  throw new RoomError('refused', `turn ${input.turn.id} has no such workspace on another machine`);
}

/** What a worker is told of its workspace; nothing for a turn without one. */
export async function describeBranches(room: WorkspaceRoom, input: RunInput): Promise<ClaimedWorkspace[]> {
  const told: ClaimedWorkspace[] = [];
  for (const row of input.agent.workspace === null ? [] : rowsOf(room, input)) {
    const { name, address, branch, base, onto: from, prefix, project } = row;
    const tip = await tipOf(room.git, project, branch);
    const folder = basename(folderOf(row));
    if (address !== null) told.push({ name, address, from, branch, base, tip, prefix, folder });
  }
  return told;
}

const fileOf = (dir: string, attempt: number, worker: string, repository: string) =>
  join(dir, `branch.${attempt}.${worker}.${repository}.bundle`);

const MOST_SENT_BYTES = 4 * MAX_BUNDLE_BYTES; // Of all attempts at one turn.

/** Keeps a piece of the file that a worker sends, beside the turn. Returns how many bytes are here.
 * @throws RoomError `refused` for a file that is too large, `gone`, `io` */
export function keepPiece(dir: string, piece: CallInput<'keepBranch'>) {
  const { attempt, worker, repository, offset, size, data } = piece;
  if (size > MAX_BUNDLE_BYTES) {
    const [comes, taken] = [size, MAX_BUNDLE_BYTES].map((bytes) => Math.ceil(bytes / 2 ** 20));
    const hint = 'let the worker push to the repository';
    throw new RoomError('refused', `the branch comes to ${comes} MiB, and ${taken} are taken`, hint);
  }
  if (!fs.existsSync(dir)) throw new RoomError('gone', 'nothing is kept of that turn any more');
  const bytes = Buffer.from(data, 'base64');
  const sent = fs.readdirSync(dir).filter((name) => /^branch\..*\.bundle$/.test(name));
  const sentBytes = sent.reduce((sum, name) => sum + fs.statSync(join(dir, name)).size, 0);
  if (offset + bytes.length > size || sentBytes + bytes.length > MOST_SENT_BYTES)
    throw new RoomError('refused', 'more was sent of branches than is taken');
  return appendAt(fileOf(dir, attempt, worker, repository), offset, bytes);
}

/** A piece of the branch as it is here. @throws RoomError `refused`, `io` */
export async function readPiece(room: WorkspaceRoom, input: RunInput, repository: string, offset: number) {
  const file = join(input.dir, `branch.out.${repository}.bundle`);
  if (offset === 0) {
    const { project, branch, base } = mustHave(room, input, repository);
    const make = () => makeBundle(room.git, project, { branch, file, known: [base] });
    const fault = await room.byTurns(project, make);
    if (fault !== null) throw new RoomError('refused', `${branch} can't be handed on: ${fault}`);
  }
  const { size, data } = readAt(file, offset, BRANCH_PIECE);
  return { size, data: data.toString('base64') };
}

/** Takes the branch as the report says: from its repository, or out of the file that was sent.
 * @throws RoomError `refused` for anything but the branch of that workspace at that commit; nothing has changed then */
export async function takeBranch(
  room: WorkspaceRoom,
  { attempt, worker }: DispatchedRow,
  input: RunInput,
  { repository, tip, by, bytes }: Extract<WorkerReport, { kind: 'branch' }>,
): Promise<void> {
  const row = mustHave(room, input, repository);
  if (by === null) return;
  const file = by === 'push' ? null : fileOf(input.dir, attempt!, worker!, repository);
  const size = file === null ? bytes : fs.statSync(file, { throwIfNoEntry: false })?.size;
  // A file that is gone was taken before a crash.
  if (size !== undefined && size !== bytes)
    throw new RoomError('refused', `${size} of ${bytes} bytes of the branch are here`);
  try {
    const fault = await room.byTurns(row.project, () => adopt(room, row, tip, file));
    if (fault !== null) throw new RoomError('refused', `the branch ${row.branch} is not taken: ${fault}`);
  } finally {
    if (file !== null) fs.rmSync(file, { force: true });
  }
}

async function adopt({ git }: WorkspaceRoom, row: WorkspaceRow, tip: string, file: string | null) {
  const { project, branch } = row;
  if ((await tipOf(git, project, branch)) === tip) return null;
  const into = `refs/taskroom/in/${branch}`;
  const taken =
    file === null
      ? await takePushed(git, project, { branch, into })
      : await takeBundle(git, project, { branch, file, tip, into });
  const fault = taken ?? (await adoptBranch(git, project, { branch, tip, from: into }));
  await git(project, 'update-ref', '-d', into);
  return fault;
}
