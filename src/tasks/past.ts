// The finished tasks that history.jsonl tells of.
import { RoomError } from '../core/errors.ts';
import { type HistoryLine, readHistory } from '../store/history.ts';
import type { Desk } from './desk.ts';
import { candidates } from './locate.ts';
import { chooseByWord, idOfRef, nameOfWord } from './references.ts';
import { takeSnapshot } from './snapshot.ts';

const DEFAULT_LIMIT = 20;

/**
 * The newest lines, newest first; of one task when `ref` is given, which may be known from the history alone.
 * @param options.limit lines, 20 when absent
 * @throws RoomError `not_found`, `ambiguous`, `bad_input`, `io`
 */
export async function readPast(
  desk: Desk,
  options: { limit?: number; ref?: string },
): Promise<HistoryLine[]> {
  const { limit = DEFAULT_LIMIT, ref } = options;
  if (!(limit > 0))
    throw new RoomError('bad_input', `${limit} is no number of lines`, { hint: 'give a positive number' });
  if (ref === undefined) return read(desk, limit);
  const clean = idOfRef(ref);
  const name = nameOfWord(ref);
  const exact = read(desk, limit, (line) => line.id === clean);
  if (exact.length > 0) return exact;
  try {
    const { id } = chooseByWord(ref, candidates(desk, await takeSnapshot(desk)));
    return id === null ? [] : read(desk, limit, (line) => line.id === id);
  } catch (error) {
    if (!(error instanceof RoomError) || error.code !== 'not_found') throw error;
    const named = read(desk, limit, (line) => line.name === name);
    if (named.length > 0) return named;
    throw error;
  }
}

function read(desk: Desk, limit: number, wanted?: (line: HistoryLine) => boolean): HistoryLine[] {
  try {
    return readHistory(desk.deps.room.historyPath, limit, wanted);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (typeof code !== 'string') throw error;
    throw new RoomError('io', `can't read ${desk.deps.room.historyPath}: ${message}`, {
      cause: error,
      hint: 'check its permissions',
    });
  }
}
