// What a foreign save dropped and must come back: entries and ids of the runtime, and a person's own words that were
// merged in a moment before. Whoever deletes an entry again, after it came back, means it.
import { settleEntries } from '../../core/merge/entry-copies.ts';
import type { PlacedEntry } from '../../core/merge/lost-entries.ts';
import { descendsFrom, idOf, missingEntries, restoreLost } from '../../core/merge/lost-entries.ts';
import { mergeThree } from '../../core/merge/merge.ts';
import type { SectionName } from '../../core/task/body/sections.ts';
import type { EntryRow, WritesTable } from '../ledger/writes/writes.ts';
import { reachesEnd } from './stable-read.ts';

/** How long after a write what a stale buffer dropped is put back. */
export const RESTORE_MS = 10 * 60_000;
// A save this soon after something came into the file was made without having seen it.
const UNSEEN_MS = 5_000;

type EntryUpdate = Partial<Pick<EntryRow, 'written' | 'restoredAtMs' | 'gone'>>;
/** What becomes of rows of entries, by their `seq`. */
export type EntryUpdates = Map<number, EntryUpdate>;

export function mark(updates: EntryUpdates, rows: readonly EntryRow[], update: EntryUpdate): void {
  for (const { seq } of rows) updates.set(seq, { ...updates.get(seq), ...update });
}

export interface RestoreInput {
  path: string;
  task: string | null;
  text: string;
  savedAtMs: number;
  seen?: string | undefined; // Only entries that stood in this text count, where it is given.
  /** The text was taken in a hurry: it may be half written, so that nothing counts as deleted. */
  quick?: boolean;
  nowMs: number;
  writes: WritesTable;
}

export const isEntry = (row: EntryRow): boolean =>
  row.section !== 'id' && row.section !== 'typed' && row.section !== 'done';

export function toPlaced({ section, block }: EntryRow): PlacedEntry {
  return { section: section as SectionName, block };
}

/** Puts back into a foreign text what it lacks, and notes in `updates` what that says of entries; an unreadable text stays as it is. */
export function restoreDropped(input: RestoreInput, updates: EntryUpdates): { text: string; count: number } {
  const { path, writes, nowMs, savedAtMs, seen, quick } = input;
  const said = idOf(input.text);
  if (said === false) return { text: input.text, count: 0 };
  const known = writes.entries.recent(path, said ?? input.task, nowMs - RESTORE_MS);
  const merged =
    seen === undefined ? restoreTyped(input, said ?? input.task, known) : { text: input.text, rows: [] };
  const { text } = merged;
  const restored = [...merged.rows];
  // A line stands for an entry that is not gone rather than for one of the same words that is.
  const entries = known.filter(isEntry).sort((a, b) => Number(a.gone) - Number(b.gone));
  const unseen = new Set(seen === undefined ? [] : missingEntries(seen, entries));
  const candidates = entries.filter((entry) => !unseen.has(entry));
  const missing = new Set(missingEntries(text, candidates));
  const standing = candidates.filter((row) => row.gone && !missing.has(row));
  mark(updates, standing, { gone: false });
  const deleted = quick ? new Set() : deletedOnPurpose(candidates, missing, savedAtMs);
  const id = said === null ? known.findLast((row) => row.section === 'id') : undefined;
  const lostId = id && descendsFrom(input.text, id.block, baseOf(writes, id)) ? id.block : null;
  const lost: EntryRow[] = [];
  for (const row of candidates) {
    if (row.gone || !missing.has(row)) continue;
    const base = quick && said !== null ? null : baseOf(writes, row);
    if (deleted.has(row) && reachesEnd(base, text)) {
      mark(updates, [row], { gone: true });
      continue;
    }
    // Once it is known to be that task's file, the entries of later writes are its own too.
    const belongs =
      (said ?? lostId) === row.task || (said === null && descendsFrom(input.text, row.task, base));
    if (belongs) lost.push(row);
  }
  const mended = restoreLost(text, lost.map(toPlaced), lostId);
  restored.push(...lost.filter((_one, at) => mended.restored[at]));
  mark(updates, restored, { restoredAtMs: nowMs });
  return { text: mended.text, count: restored.length + Number(mended.idRestored) };
}

function deletedOnPurpose(rows: readonly EntryRow[], missing: ReadonlySet<EntryRow>, savedAtMs: number) {
  const lost = rows.filter((row) => missing.has(row) && !row.gone);
  const lastSeen = Math.max(...rows.filter((row) => !missing.has(row)).map(({ atMs }) => atMs));
  // Steps are planned anew by people. Whoever has what came with a step or after it has seen it; so has who saves later and
  // lacks that step alone.
  const isDropped = ({ section, restoredAtMs, atMs }: EntryRow) =>
    section === 'Steps' &&
    restoredAtMs === null &&
    (lastSeen >= atMs || (lost.length === 1 && savedAtMs > atMs + UNSEEN_MS));
  return new Set([...deletedAgain(rows, missing, savedAtMs), ...lost.filter(isDropped)]);
}

/** Missing entries that came back once and were deleted again by somebody who saw them. A text that also lacks what
 * came into the file with or after an entry, and holds nothing that came later, was made before it came back. */
function deletedAgain(rows: readonly EntryRow[], missing: ReadonlySet<EntryRow>, savedAtMs: number) {
  const cameAt = (row: EntryRow) => row.restoredAtMs ?? row.atMs;
  const again = rows.filter(
    (row) => missing.has(row) && row.restoredAtMs !== null && savedAtMs > row.restoredAtMs + UNSEEN_MS,
  );
  const first = rows.filter((row) => missing.has(row) && !again.includes(row) && !row.gone);
  const lastUnseen = Math.max(...first.map(cameAt));
  const lastSeen = Math.max(...rows.filter((row) => !missing.has(row)).map(cameAt));
  return again.filter((row) => lastUnseen < cameAt(row) || lastSeen > cameAt(row));
}

const baseOf = (writes: WritesTable, row: EntryRow): string | null =>
  row.writeSeq === null ? null : writes.baseOf(row.writeSeq);

/** Merges in again what we merged into the file moments before it was saved: its author can't have seen that. Words
 * a person typed are at stake, and may have been deleted on purpose: only a save that soon counts as stale. */
function restoreTyped(
  { path, text: saved, savedAtMs, writes }: RestoreInput,
  task: string | null,
  known: readonly EntryRow[],
): { text: string; rows: EntryRow[] } {
  const entries = known.filter((row) => isEntry(row) && !row.gone).map(toPlaced);
  let text = saved;
  const rows = writes.entries.merged(path, task, savedAtMs - UNSEEN_MS).filter((row) => {
    const base = baseOf(writes, row);
    if (base === null || !lacksLines(text, base, row.block) || !descendsFrom(text, row.task, base))
      return false;
    text = settleEntries(mergeThree(base, row.block, text).text, [row.block, text], entries);
    return true;
  });
  return { text, rows };
}

/** True when a line that `after` has and `before` has not is missing from `text`. */
function lacksLines(text: string, before: string, after: string): boolean {
  const old = new Set(before.split(/\r?\n/));
  const here = new Set(text.split(/\r?\n/));
  return after.split(/\r?\n/).some((line) => line.trim() !== '' && !old.has(line) && !here.has(line));
}
