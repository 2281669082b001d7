// The finished tasks that history.jsonl tells of.
import { RoomError } from '../../core/errors.ts';
import { type FilteredTask, wordsNotInHead } from '../../core/task/filter.ts';
import { readSince } from '../../core/time/dates.ts';
import { type HistoryLine, readHistory } from '../../store/files/history.ts';
import { onDisk } from '../../store/room.ts';
import { chooseTask } from '../observe/snapshot.ts';
import { idOfRef, namesOfWord } from '../references.ts';
import type { RoomHandle } from '../room-handle.ts';
import type { ListFilter } from '../shapes/list.ts';

const DEFAULT_LIMIT = 20;

interface HistoryWish extends Omit<ListFilter, 'ready' | 'sort'> {
  limit?: number;
  ref?: string;
  since?: string;
}

/** The newest lines that fit, 20 without a limit. @throws RoomError `not_found`, `ambiguous`, `bad_input`, `io` */
export async function readTaskHistory(
  deps: RoomHandle,
  { limit = DEFAULT_LIMIT, ref, since, ...filter }: HistoryWish,
): Promise<HistoryLine[]> {
  if (!(limit > 0))
    throw new RoomError('bad_input', `${limit} is no number of lines`, 'give a positive number');
  const fits = await fitsOf(deps, filter, since);
  if (ref === undefined) return readLines(deps, limit, fits);
  const clean = idOfRef(ref);
  const names = namesOfWord(ref);
  const exact = readLines(deps, limit, (line) => line.id === clean && fits(line));
  if (exact.length > 0) return exact;
  try {
    const { id } = await chooseTask(deps, ref);
    return id === null ? [] : readLines(deps, limit, (line) => line.id === id && fits(line));
  } catch (error) {
    if (!(error instanceof RoomError) || error.code !== 'not_found') throw error;
    const named = readLines(deps, limit, (line) => names.includes(line.name) && fits(line));
    if (named.length > 0) return named;
    throw error;
  }
}

async function fitsOf(deps: RoomHandle, filter: ListFilter, since: string | undefined) {
  const { words, fits } = await (await import('./list.ts')).readFilter(deps, filter, null);
  const sinceMs = since === undefined ? 0 : readSince(since, deps.effects.now());
  return (line: HistoryLine): boolean => {
    const { id, name, status, task, text } = line;
    const row = {
      labels: [],
      ...task,
      id,
      name,
      status,
      running: null,
      blocked: false,
    } as unknown as FilteredTask;
    if (Date.parse(line.archived_at) < sinceMs || !fits(row)) return false;
    const rest = wordsNotInHead(row, words);
    return rest.length === 0 || rest.every((word) => text.toLowerCase().includes(word));
  };
}

/** The newest lines that are wanted. @throws RoomError `io` */
export function readLines({ room }: RoomHandle, limit: number, wanted?: (line: HistoryLine) => boolean) {
  return onDisk(room.historyPath, () => readHistory(room.historyPath, limit, wanted), 'read');
}
