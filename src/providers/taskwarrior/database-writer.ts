// What every write to a Taskwarrior database goes through: one after another, each on the task as it is at that moment,
// which is imported whole and read again.
import { RoomError } from '../../core/errors.ts';
import type { SerialQueue } from '../../core/keyed-mutex.ts';
import type { RemoteRef } from '../provider.ts';
import type { Database, Found } from './database.ts';
import { assertNotStopped, type TaskProgram } from './program.ts';
import { formatSecond, isUuid, type TaskRecord } from './record.ts';

export type DatabaseWriter = ReturnType<typeof createDatabaseWriter>;

export function createDatabaseWriter(program: TaskProgram, database: Database, serially: SerialQueue['add']) {
  /** @throws RoomError `bad_input`, `gone` */
  async function read(ref: RemoteRef, signal?: AbortSignal): Promise<Found> {
    if (!isUuid(ref)) throw new RoomError('bad_input', `${JSON.stringify(ref)} is not a Taskwarrior UUID`);
    const found = (await database.find([ref], signal)).get(ref);
    if (!found) throw new RoomError('gone', `Taskwarrior has no task ${ref} any more`);
    return found;
  }
  return {
    read,
    /** Runs a write after those before it. @throws RoomError `interrupted` when stopped before it begins */
    write: <T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> =>
      serially(async () => {
        assertNotStopped(signal);
        return work();
      }),
    /**
     * Makes the task, or replaces it whole.
     * @param lossy see {@link Found}
     * @returns what stands there now
     * @throws RoomError `refused`
     */
    async put(record: TaskRecord, lossy: boolean): Promise<Found> {
      if (lossy) {
        const hint = `Mend its text with \`task ${record.uuid.slice(0, 8)} edit\`.`;
        throw new RoomError('refused', `task ${record.uuid} holds text that is not UTF-8`, { hint });
      }
      await program.importTask({ ...record, modified: formatSecond(database.nowSecond()) });
      // It is written: the answer is read whatever the caller's signal says.
      return read(record.uuid);
    },
  };
}
