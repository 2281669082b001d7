// The finished tasks that history.jsonl tells of.
import { RoomError } from '../../core/errors.ts';
import { type HistoryLine, readHistory } from '../../store/files/history.ts';
import { onDisk } from '../../store/room.ts';
import { chooseTask } from '../observe/snapshot.ts';
import { idOfRef, namesOfWord } from '../references.ts';
import type { RoomHandle } from '../room-handle.ts';

const DEFAULT_LIMIT = 20;

/** The newest lines, of one task when `ref` is given, 20 without a limit. @throws RoomError `not_found`, `ambiguous`, `bad_input`, `io` */
export async function readTaskHistory(
  handle: RoomHandle,
  options: { limit?: number; ref?: string },
): Promise<HistoryLine[]> {
  const { limit = DEFAULT_LIMIT, ref } = options;
  if (!(limit > 0))
    throw new RoomError('bad_input', `${limit} is no number of lines`, 'give a positive number');
  if (ref === undefined) return readLines(handle, limit);
  const clean = idOfRef(ref);
  const names = namesOfWord(ref);
  const exact = readLines(handle, limit, (line) => line.id === clean);
  if (exact.length > 0) return exact;
  try {
    const { id } = await chooseTask(handle, ref);
    return id === null ? [] : readLines(handle, limit, (line) => line.id === id);
  } catch (error) {
    if (!(error instanceof RoomError) || error.code !== 'not_found') throw error;
    const named = readLines(handle, limit, (line) => names.includes(line.name));
    if (named.length > 0) return named;
    throw error;
  }
}

/** The newest lines that are wanted. @throws RoomError `io` */
export function readLines(
  { deps: { room } }: RoomHandle,
  limit: number,
  wanted?: (line: HistoryLine) => boolean,
): HistoryLine[] {
  return onDisk(room.historyPath, () => readHistory(room.historyPath, limit, wanted), 'read');
}
