// From what the chore files say to what the ledger remembers: a new one is noted, an edited one gets a fresh start, and
// what a removed or paused one does is ended.
import type { Chore } from '../core/chore/chore.ts';
import { sameWords } from '../core/rules/said-words.ts';
import type { ChoreFile, ChoresReading } from '../store/chore-files.ts';
import type { Ledger } from '../store/ledger/ledger.ts';
import type { ChoreRoom, EndedChore } from './chore-room.ts';

/** Takes the reading in; returns the chores whose work must end. A file that can't be read keeps its state. */
export function takeInChores(
  { ledger, effects }: Pick<ChoreRoom, 'ledger' | 'effects'>,
  before: ReadonlyMap<string, ChoreFile>,
  { chores, invalid }: ChoresReading,
): EndedChore[] {
  const now = effects.now();
  ledger.transaction(() => {
    for (const [name, { chore, hash }] of chores) {
      // The file counts as its person said it.
      rememberChoreChecks(ledger, chore);
      const memory = ledger.chores.get(name);
      if (memory === null) ledger.chores.insertNew({ name, revision: hash, seenAt: now });
      else if (memory.revision !== hash) {
        // What failed may be mended: it is tried at once. A mirror shows at once what the edit made of it.
        const ask = isWorthATry(chore, memory.failures > 0);
        const fresh = { revision: hash, failures: 0, retryAt: null, stopped: null };
        ledger.chores.update(name, ask ? { ...fresh, askedAt: now } : fresh);
      }
    }
  });
  const unread = new Set(invalid.map(({ path }) => path));
  const ended: EndedChore[] = [];
  for (const [name, { chore }] of before) {
    const file = chores.get(name);
    if (file === undefined && !unread.has(chore.path)) ended.push({ name, reason: 'canceled' });
    else if (file?.chore.paused && !chore.paused) ended.push({ name, reason: 'paused' });
  }
  return ended;
}

function rememberChoreChecks({ checks }: Ledger, { name, mirror }: Chore): void {
  const said = mirror?.checks ?? [];
  const known = checks.saidBy(`chore:${name}`)?.said ?? [];
  if (!sameWords(known, said)) checks.setSaid(`chore:${name}`, { said, seen: said });
}

function isWorthATry(chore: Chore, failed: boolean): boolean {
  return chore.schedule !== null && !chore.paused && (failed || chore.mirror !== null);
}
