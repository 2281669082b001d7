// The branches of turns that run on workers, at the host: what a worker is told of its workspace, the file it sends or asks for in
// pieces, and the branch that is taken when its report is applied. A file alone changes nothing.
import { existsSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { RoomError } from '../../core/errors.ts';
import type { RunInput } from '../../runners/runner.ts';
import { MAX_BUNDLE_BYTES } from '../../runners/workspace/bundle.ts';
import type { DispatchedTable, WorkspaceRow } from '../../store/ledger/turns/jobs.ts';
import { BRANCH_PIECE, type CallInput, type WorkerReport } from '../worker-protocol.ts';
import { assertBundleSize, bundleFor, describeElsewhere, takeBack } from '../workspaces/elsewhere.ts';
import type { WorkspaceRoom } from '../workspaces/workspace-room.ts';
import { appendAt, branchFile, readAt, sentBytes } from './turn-files.ts';

/** Of all attempts at one turn. */
const MOST_SENT_BYTES = 4 * MAX_BUNDLE_BYTES;
const OUT = 'branch.out.bundle';

export type Branches = ReturnType<typeof createBranches>;

export function createBranches(room: WorkspaceRoom, table: Pick<DispatchedTable, 'get'>) {
  const rowOf = ({ task }: RunInput): WorkspaceRow | null => {
    const row = task === undefined ? null : room.records.get(task.id);
    return row?.elsewhere ? row : null;
  };
  const mustHave = (input: RunInput): WorkspaceRow => {
    const row = rowOf(input);
    if (row !== null) return row;
    throw new RoomError('refused', `turn ${input.turn.id} has no workspace on another machine`);
  };
  return {
    /** Null for a turn without a workspace. */
    async describe(input: RunInput) {
      const row = rowOf(input);
      return row === null ? null : describeElsewhere(room, row, input.agent);
    },
    /**
     * Keeps a piece of the file that a worker sends, beside the turn.
     * @returns bytes that are here
     * @throws RoomError `refused` for one that is too large, `io`
     */
    keep(dir: string, { attempt, worker, offset, size, data }: CallInput<'keepBranch'>) {
      assertBundleSize(size);
      if (!existsSync(dir)) throw new RoomError('gone', 'nothing is kept of that turn any more');
      const path = branchFile(dir, attempt, worker);
      const bytes = Buffer.from(data, 'base64');
      if (offset + bytes.length > size || sentBytes(dir) + bytes.length > MOST_SENT_BYTES)
        throw new RoomError('refused', 'more was sent of branches than is taken');
      return appendAt(path, offset, bytes);
    },
    /** A piece of the branch as it is here. @throws RoomError `refused`, `io` */
    async read(input: RunInput, offset: number) {
      const path = join(input.dir, OUT);
      if (offset === 0) await bundleFor(room, mustHave(input), path);
      const { size, data } = readAt(path, offset, BRANCH_PIECE);
      return { size, data: data.toString('base64') };
    },
    /** Takes the branch as the report says. @throws RoomError `refused` */
    async take(input: RunInput, { tip, by, bytes }: Extract<WorkerReport, { kind: 'branch' }>) {
      const row = mustHave(input);
      if (by === null) return;
      const { attempt, worker } = table.get(input.turn.id)!;
      const file = by === 'push' ? null : branchFile(input.dir, attempt!, worker!);
      const size = file === null ? bytes : statSync(file, { throwIfNoEntry: false })?.size;
      // One that is gone was taken before a crash.
      if (size !== undefined && size !== bytes)
        throw new RoomError('refused', `${size} of ${bytes} bytes of the branch are here`);
      try {
        await takeBack(room, row, { tip, file });
      } finally {
        // Taken, or none that is ever taken: the next begins anew.
        if (file !== null) rmSync(file, { force: true });
      }
    },
  };
}
