// The chores of the room as their files said last. A file that can't be read leaves the ledger's state of its chore
// alone, and is told of once.
import type { Chore } from '../core/chore/chore.ts';
import type { EventBus } from '../core/events.ts';
import {
  type ChoreFile,
  type ChoresReading,
  createChoreFiles,
  type InvalidChore,
} from '../store/chore-files.ts';
import type { ChoreRoom, EndedChore } from './chore-room.ts';
import { takeInChores } from './record-chore-files.ts';

export type KnownChores = ReturnType<typeof createKnownChores>;

export function createKnownChores(deps: ChoreRoom) {
  const files = createChoreFiles(deps);
  const tellInvalid = createInvalidChoreReport(deps.events);
  let known = new Map<string, ChoreFile>();
  return {
    /** What the files say now; changes nothing. */
    read: (): Promise<ChoresReading> => files.read(),
    /** Makes a reading the one that counts, here and in the ledger; returns the chores whose work must end. */
    takeIn(reading: ChoresReading): EndedChore[] {
      tellInvalid(reading.invalid);
      const before = known;
      known = reading.chores;
      return takeInChores(deps, before, reading);
    },
    list: (): Chore[] => [...known.values()].map(({ chore }) => chore),
    /** The chore as its file said last; null when it is gone or can't be read. */
    find: (name: string): Chore | null => known.get(name)?.chore ?? null,
  };
}

/** Tells once which chore files can't be read, and once that they can again. */
function createInvalidChoreReport(events: EventBus): (invalid: readonly InvalidChore[]) => void {
  let told = new Map<string, string>();
  return (invalid) => {
    const now = new Map(invalid.map(({ path, problems }) => [path, JSON.stringify(problems)]));
    for (const { path, problems } of invalid)
      if (told.get(path) !== now.get(path)) events.emit({ type: 'chore.invalid', path, problems });
    for (const path of told.keys()) if (!now.has(path)) events.emit({ type: 'chore.mended', path });
    told = now;
  };
}
