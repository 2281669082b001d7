// Files of turns that go between host and worker in pieces, and the branches of turns that run on workers, at the host: what a worker is
// told of its workspace, the file it sends or asks for, and the branch that is taken when its report is applied. A file alone changes nothing.
import {
  appendFileSync,
  closeSync,
  existsSync,
  fstatSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  statSync,
  truncateSync,
} from 'node:fs';
import { join } from 'node:path';
import type { RunInput } from '../../../agents/runner.ts';
import { MAX_BUNDLE_BYTES } from '../../../agents/workspace/bundle.ts';
import { RoomError } from '../../../core/errors.ts';
import type { DispatchedRow, WorkspaceRow } from '../../../store/ledger/turns/jobs.ts';
import { onDisk } from '../../../store/room.ts';
import {
  BRANCH_PIECE,
  type CallInput,
  type ClaimedWorkspace,
  type WorkerReport,
} from '../../worker-protocol.ts';
import type { WorkspaceRoom } from '../../workspaces/enter.ts';
import {
  assertBundleSize,
  bundleFor,
  describeElsewhere,
  takeBack,
} from '../../workspaces/remote-workspace.ts';

/**
 * Appends what is new in a piece of a file.
 * @returns the size of the file now
 * @throws RoomError `io`
 */
export function appendAt(path: string, offset: number, data: Uint8Array): number {
  return onDisk(path, () => {
    const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    // What lies before was not sent yet, or the piece was applied before.
    if (offset > size || offset + data.length <= size) return size;
    try {
      appendFileSync(path, data.subarray(size - offset), { mode: 0o600 });
    } catch (error) {
      // Half a piece would be in the way of the whole.
      if (existsSync(path)) truncateSync(path, size);
      throw error;
    }
    return offset + data.length;
  });
}

/** A piece of a file from a byte on. @throws RoomError `io` */
export function readAt(path: string, offset: number, most: number): { size: number; data: Buffer } {
  return onDisk(path, () => {
    const file = openSync(path, 'r');
    try {
      const buffer = Buffer.alloc(most);
      const { size } = fstatSync(file);
      return { size, data: buffer.subarray(0, readSync(file, buffer, 0, most, offset)) };
    } finally {
      closeSync(file);
    }
  });
}

/** Of all attempts at one turn. */
const MOST_SENT_BYTES = 4 * MAX_BUNDLE_BYTES;

function rowOf({ records }: WorkspaceRoom, { task }: RunInput): WorkspaceRow | null {
  const row = task === undefined ? null : records.get(task.id);
  return row?.elsewhere ? row : null;
}

function mustHave(room: WorkspaceRoom, input: RunInput): WorkspaceRow {
  const row = rowOf(room, input);
  if (row !== null) return row;
  throw new RoomError('refused', `turn ${input.turn.id} has no workspace on another machine`);
}

/** Null for a turn without a workspace. */
export async function describeBranch(room: WorkspaceRoom, input: RunInput): Promise<ClaimedWorkspace | null> {
  const row = rowOf(room, input);
  return row === null ? null : describeElsewhere(room, row, input.agent);
}

const fileOf = (dir: string, attempt: number, worker: string) =>
  join(dir, `branch.${attempt}.${worker}.bundle`);

/**
 * Keeps a piece of the file that a worker sends, beside the turn.
 * @returns bytes that are here
 * @throws RoomError `refused` for one that is too large, `io`
 */
export function keepPiece(
  dir: string,
  { attempt, worker, offset, size, data }: CallInput<'keepBranch'>,
): number {
  assertBundleSize(size);
  if (!existsSync(dir)) throw new RoomError('gone', 'nothing is kept of that turn any more');
  const bytes = Buffer.from(data, 'base64');
  const sent = readdirSync(dir).filter((name) => /^branch\..*\.bundle$/.test(name));
  const sentBytes = sent.reduce((sum, name) => sum + statSync(join(dir, name)).size, 0);
  if (offset + bytes.length > size || sentBytes + bytes.length > MOST_SENT_BYTES)
    throw new RoomError('refused', 'more was sent of branches than is taken');
  return appendAt(fileOf(dir, attempt, worker), offset, bytes);
}

/** A piece of the branch as it is here. @throws RoomError `refused`, `io` */
export async function readPiece(room: WorkspaceRoom, input: RunInput, offset: number) {
  const path = join(input.dir, 'branch.out.bundle');
  if (offset === 0) await bundleFor(room, mustHave(room, input), path);
  const { size, data } = readAt(path, offset, BRANCH_PIECE);
  return { size, data: data.toString('base64') };
}

/** Takes the branch as the report says. @throws RoomError `refused` */
export async function takeBranch(
  room: WorkspaceRoom,
  { attempt, worker }: DispatchedRow,
  input: RunInput,
  { tip, by, bytes }: Extract<WorkerReport, { kind: 'branch' }>,
): Promise<void> {
  const row = mustHave(room, input);
  if (by === null) return;
  const file = by === 'push' ? null : fileOf(input.dir, attempt!, worker!);
  const size = file === null ? bytes : statSync(file, { throwIfNoEntry: false })?.size;
  // A file that is gone was taken before a crash.
  if (size !== undefined && size !== bytes)
    throw new RoomError('refused', `${size} of ${bytes} bytes of the branch are here`);
  try {
    await takeBack(room, row, { tip, file });
  } finally {
    // Taken, or never to be taken: the next begins anew.
    if (file !== null) rmSync(file, { force: true });
  }
}
