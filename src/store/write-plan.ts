// Decides what one write makes of a text: what comes back that a stale buffer dropped, the caller's edit, the new
// entries. Reads the ledger and changes nothing; the writer carries the plan out, or drops it when the file changed.
import { setKey } from '../core/document.ts';
import { appendEntry, descendsFrom, idOf, missingEntries, restoreLost, type WrittenEntry } from '../core/lost-entries.ts';
import type { SectionName } from '../core/sections.ts';
import { type Spill, spillOldest } from '../core/spill.ts';
import type { EntryRow, NewEntry } from './ledger/entries.ts';
import type { WritesTable } from './ledger/writes.ts';

/** How long after a write what a stale buffer dropped is put back. */
export const RESTORE_MS = 10 * 60_000;
// A save this soon after an entry came back was made without having seen it.
const UNSEEN_MS = 5_000;

export interface Append {
  section: 'Progress' | 'Outcome' | 'Comments';
  /** Text that is safe to stand in a section (core/entries.ts makes it), without a final line end. */
  block: string;
  /** Unique in the room: the same key again writes nothing. */
  key?: string;
}

export interface Change {
  /** Who writes: `owner`, `agent:<id>`, `runtime`. */
  actor: string;
  /** The task's id, null when it has none yet. */
  task: string | null;
  /** The current text → the new one; pure, called again when the file changed meanwhile. */
  edit?: (text: string) => string;
  append?: readonly Append[];
  /** The id being given; written where the text has none after `edit`. */
  id?: string;
}

export interface Plan {
  text: string;
  entries: NewEntry[];
  /** Entries found standing in the file though their write was never confirmed. */
  seen: number[];
  restored: number[];
  /** How many entries and ids come back. */
  restoredCount: number;
  gone: number[];
  spill: Spill | null;
}

export interface PlanInput {
  path: string;
  text: string;
  /** Time of the save, epoch milliseconds. */
  savedAtMs: number;
  /** True when the text is not what our last write left. */
  foreign: boolean;
  change: Change;
  /** True when `edit` brings in a person's text: what is missing after it is put back, not taken for deleted. */
  merging: boolean;
  nowMs: number;
  writes: WritesTable;
}

/** Plans a write. Throws what `edit` throws, and RoomError `invalid_file` when entries are for an unreadable text. */
export function planWrite(input: PlanInput): Plan {
  const { path, change, writes, nowMs } = input;
  const plan: Plan = { text: input.text, entries: [], seen: [], restored: [], restoredCount: 0, gone: [], spill: null };
  if (input.foreign) putBack(plan, input);
  const before = plan.text;
  if (change.edit) plan.text = change.edit(plan.text);
  if (change.id !== undefined) giveId(plan, input, change.id);
  for (const append of change.append ?? []) addEntry(plan, input, append);
  if (change.append?.length) spill(plan, input);
  if (plan.text === before) return plan;
  if (input.merging) putBack(plan, input);
  else {
    const known = entriesOf(writes, path, change.task, nowMs).filter((row) => row.section !== 'id');
    const lost = new Set(missingEntries(before, known));
    for (const row of missingEntries(plan.text, known.filter((entry) => !lost.has(entry)))) plan.gone.push(row.seq);
  }
  return plan;
}

function entriesOf(writes: WritesTable, path: string, task: string | null, nowMs: number): EntryRow[] {
  return writes.entries.recent(path, task, nowMs - RESTORE_MS);
}

function putBack(plan: Plan, { path, change, writes, nowMs, savedAtMs }: PlanInput): void {
  const said = idOf(plan.text);
  if (said === false) return;
  const known = entriesOf(writes, path, said ?? change.task, nowMs);
  if (known.length === 0) return;
  const ids = known.filter((row) => row.section === 'id');
  const missing = missingEntries(plan.text, known.filter((row) => row.section !== 'id'));
  const lost: { row: EntryRow; entry: WrittenEntry }[] = [];
  for (const row of missing) {
    if (row.restoredAtMs !== null && savedAtMs > row.restoredAtMs + UNSEEN_MS) {
      plan.gone.push(row.seq);
      continue;
    }
    const base = row.writeSeq === null ? null : writes.baseOf(row.writeSeq);
    const entry = { section: row.section as SectionName, block: row.block, base };
    if (descendsFrom(plan.text, row.task, base)) lost.push({ row, entry });
  }
  const id = ids.at(-1) ?? null;
  const idBase = id?.writeSeq ? writes.baseOf(id.writeSeq) : null;
  const lostId = id && said === null && descendsFrom(plan.text, id.block, idBase) ? id.block : null;
  const result = restoreLost(plan.text, lost.map(({ entry }) => entry), lostId);
  plan.text = result.text;
  for (const [at, { row }] of lost.entries()) if (result.restored[at]) plan.restored.push(row.seq);
  plan.restoredCount += result.restored.filter(Boolean).length + Number(result.idRestored);
}

function giveId(plan: Plan, { path, nowMs }: PlanInput, id: string): void {
  if (idOf(plan.text) === null) plan.text = setKey(plan.text, 'id', id);
  if (idOf(plan.text) !== id) return;
  plan.entries.push({ atMs: nowMs, path, task: id, key: null, section: 'id', block: id });
}

function addEntry(plan: Plan, { path, change, nowMs, writes }: PlanInput, { section, block, key }: Append): void {
  const row = key === undefined ? null : writes.entries.byKey(key);
  if (row?.written || (key !== undefined && plan.entries.some((entry) => entry.key === key))) return;
  const words = row?.block ?? block;
  if (row && stands(plan.text, words, entriesOf(writes, path, change.task, nowMs))) {
    plan.seen.push(row.seq);
    return;
  }
  plan.text = appendEntry(plan.text, section, words, path);
  const task = change.task ?? change.id ?? null;
  plan.entries.push({ atMs: nowMs, path, task, key: key ?? null, section, block: words });
}

/** True when the block stands in the text once more than the known entries explain. */
function stands(text: string, block: string, known: readonly EntryRow[]): boolean {
  const twins = known.filter((row) => row.block === block);
  return missingEntries(text, [...twins, { block }]).length === 0;
}

function spill(plan: Plan, { path, change }: PlanInput): void {
  const name = change.task ?? (path.slice(path.lastIndexOf('/') + 1).replace(/\.md$/, '') || 'task');
  const result = spillOldest(plan.text, `.taskroom/spill/${name}.md`);
  if (!result) return;
  plan.text = result.text;
  plan.spill = result.spill;
}
