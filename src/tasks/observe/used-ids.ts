// Ids that may not be given again (S7): what the ledger ever saw, what stands in files now, and what history.jsonl
// tells of the time before this ledger.
import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { RoomError } from '../../core/errors.ts';
import { newTaskId, type TaskId } from '../../core/ids.ts';
import type { TaskRoom } from '../task-room.ts';

interface HistoryIds {
  ids: Set<string>;
  /** Bytes of the file that were looked at; always the end of a line. */
  upTo: number;
}

const known = new WeakMap<TaskRoom, HistoryIds>();
const CHUNK = 1024 * 1024;
const HEAD_CHARS = 256;

/** A new id that no task of this room ever had. Throws RoomError `io` when the history can't be read. */
export function freshTaskId(deps: TaskRoom): TaskId {
  for (;;) {
    const id = newTaskId(deps.effects.randomBytes);
    const used = deps.ledger.tasks.get(id) !== null || deps.ledger.files.pathsOfId(id).length > 0;
    if (!used && !historyIds(deps).has(id)) return id;
  }
}

function historyIds(deps: TaskRoom): ReadonlySet<string> {
  const state = known.get(deps) ?? { ids: new Set<string>(), upTo: 0 };
  known.set(deps, state);
  try {
    const size = statSync(deps.room.historyPath, { throwIfNoEntry: false })?.size ?? 0;
    if (size !== state.upTo) readOn(deps.room.historyPath, state);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return state.ids;
    throw new RoomError('io', `can't read ${deps.room.historyPath}: ${(error as Error).message}`, {
      cause: error,
      hint: 'check its permissions',
    });
  }
  return state.ids;
}

/** Takes in the lines that were added since last time; only the head of each, where the id stands. */
function readOn(path: string, state: HistoryIds): void {
  const file = openSync(path, 'r');
  try {
    // A file that shrank is another one.
    if (fstatSync(file).size < state.upTo) state.upTo = 0;
    const buffer = Buffer.alloc(CHUNK);
    for (let rest = ''; ; ) {
      const count = readSync(file, buffer, 0, CHUNK, state.upTo + rest.length);
      if (count === 0) return;
      const lines = (rest + buffer.toString('latin1', 0, count)).split('\n');
      rest = lines.pop()!;
      for (const line of lines) {
        const id = /"id":"([0-9A-Za-z_.-]+)"/.exec(line.slice(0, HEAD_CHARS))?.[1];
        if (id !== undefined) state.ids.add(id);
        state.upTo += line.length + 1;
      }
    }
  } finally {
    closeSync(file);
  }
}
