// The chores of the room as their files said last, and what the ledger remembers of them: a new one is noted, an edited one gets a
// fresh start, and what a removed or paused one does is ended. A file that can't be read keeps its state, and is told of once.
import type { Chore } from '../core/chore/chore.ts';
import type { EventBus } from '../core/events.ts';
import { sameWords } from '../core/rules/said-words.ts';
import {
  type ChoreFile,
  type ChoresReading,
  createChoreFiles,
  type InvalidChore,
} from '../store/files/chore-files.ts';
import type { ChoreRoom, EndedChore } from './chore-room.ts';

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
      remember(deps, reading);
      return endedSince(before, reading);
    },
    list: (): Chore[] => [...known.values()].map(({ chore }) => chore),
    /** The chore as its file said last; null when it is gone or can't be read. */
    find: (name: string): Chore | null => known.get(name)?.chore ?? null,
  };
}

function remember({ ledger, effects }: ChoreRoom, { chores }: ChoresReading): void {
  const { checks } = ledger;
  const now = effects.now();
  ledger.transaction(() => {
    for (const [name, { chore, hash }] of chores) {
      // The file counts as its person said it.
      const said = chore.mirror?.checks ?? [];
      const before = checks.saidBy(`chore:${name}`)?.said ?? [];
      if (!sameWords(before, said)) checks.setSaid(`chore:${name}`, { said, seen: said });
      const memory = ledger.chores.get(name);
      if (memory === null) ledger.chores.insertNew({ name, revision: hash, seenAt: now });
      else if (memory.revision !== hash) {
        // What failed may be mended: it is tried at once. A mirror shows at once what the edit made of it.
        const isWorthATry =
          chore.schedule !== null && !chore.paused && (memory.failures > 0 || chore.mirror !== null);
        const fresh = { revision: hash, failures: 0, retryAt: null, stopped: null };
        ledger.chores.update(name, isWorthATry ? { ...fresh, askedAt: now } : fresh);
      }
    }
  });
}

function endedSince(
  before: ReadonlyMap<string, ChoreFile>,
  { chores, invalid }: ChoresReading,
): EndedChore[] {
  const unread = new Set(invalid.map(({ path }) => path));
  return [...before].flatMap(([name, { chore }]): EndedChore[] => {
    const file = chores.get(name);
    if (file === undefined && !unread.has(chore.path)) return [{ name, reason: 'canceled' }];
    return file?.chore.paused && !chore.paused ? [{ name, reason: 'paused' }] : [];
  });
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
