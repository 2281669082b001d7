// Decides what one write makes of a text: what comes back that a stale buffer dropped, the caller's edit, the new
// entries. Reads the ledger and changes nothing; the writer carries the plan out, or drops it when the file changed.
import { setKey } from '../../core/document/document.ts';
import { RoomError } from '../../core/errors.ts';
import { settleEntries } from '../../core/merge/entry-copies.ts';
import {
  appendEntry,
  idOf,
  keyOfBlock,
  missingEntries,
  writtenSteps,
} from '../../core/merge/lost-entries.ts';
import { mergeThree } from '../../core/merge/merge.ts';
import { nameOfPath } from '../../core/task/names.ts';
import { readTask } from '../../core/task/read-task.ts';
import { type SettledAnswers, type Spill, spillOldest, spillThese } from '../../core/task/spill.ts';
import { harmful, harmOfEdit, harmOfEntries, readPrint } from '../../core/task/write-check.ts';
import type { EntryRow, NewEntry, WritesTable } from '../ledger/writes/writes.ts';
import { entriesOf, isEntry, type RestoreInput, restoreDropped, toPlaced } from './restore-dropped.ts';
import type { StableText } from './stable-read.ts';

export interface Append {
  section: 'Progress' | 'Outcome' | 'Comments' | 'Questions';
  /** Text that is safe to stand in a section (core/task/body/entries.ts makes it), without a final line end. */
  block: string;
  /** Unique in the room: the same key again writes nothing. */
  key?: string;
}

export interface Change {
  /** Who writes: `owner`, `agent:<id>`, `runtime`. */
  actor: string;
  /** The task's id, null when it has none yet. */
  task: string | null;
  /** What the caller read of the file: the first round changes this, as long as the file is what was read. */
  read?: Omit<StableText, 'ok' | 'unstable'>;
  /** The current text → the new one; pure, called again when the file changed meanwhile. */
  edit?: (text: string) => string;
  append?: readonly Append[];
  /** Entries, as they stand, that leave the file for the spill folder before anything is appended: all of them or the change is refused. */
  moveOut?: readonly string[];
  /** Questions that may leave the file for the spill folder when there are too many. */
  settled?: SettledAnswers;
  /** The id being given; written where the text has none after `edit`. */
  id?: string;
  /** Unique in the room: once a change with this key is in the file, the same key again edits nothing. */
  key?: string;
  /** A person typed the edit into the text as it stands: it counts as it is, entries that they took out and all. */
  isTyped?: boolean;
}

/** A change with what our own merges need beside it. */
export interface InnerChange extends Change {
  incoming?: Incoming;
  /** Checked together with the rename: false drops the write. */
  stillWanted?: () => boolean;
  /** Recorded together with the rename, or alone when the text is already as wanted. */
  record?: () => void;
}

/** A version that a person made of `base` while the file went on to be something else. */
interface Incoming {
  base: string;
  text: string;
  /** Time of the save, epoch milliseconds. */
  savedAtMs: number;
}

export interface Plan {
  text: string;
  entries: NewEntry[];
  /** Entries found standing in the file though their write was never confirmed. */
  seen: number[];
  restored: number[];
  restoredCount: number;
  gone: number[];
  back: number[];
  atMs: number;
  spill: Spill | null;
}

/** Whose text it is: what our last write left, git's, or somebody's who may not have seen our last write. */
export type Foreign = 'ours' | 'git' | 'person';

interface PlanInput {
  path: string;
  text: string;
  /** Time of the save, epoch milliseconds. */
  savedAtMs: number;
  foreign: Foreign;
  change: InnerChange;
  /** True when the file changes so often that planning must be fast. */
  quick: boolean;
  nowMs: number;
  writes: WritesTable;
}

/**
 * Plans a write.
 * @throws what `edit` throws; RoomError `invalid_file` when entries are for an unreadable text, `bug` when the result
 *   would not read as the same task plus the change
 */
export function planWrite(input: PlanInput): Plan {
  const { path, change, writes, nowMs } = input;
  const plan: Plan = {
    ...{ text: input.text, entries: [], seen: [], restored: [], restoredCount: 0, gone: [], back: [] },
    ...{ atMs: nowMs, spill: null },
  };
  if (input.foreign === 'person')
    plan.text = mend(plan, input, { text: input.text, savedAtMs: input.savedAtMs });
  if (input.foreign === 'git') noteDropped(plan, input);
  assertUnharmed(path, input.text, plan.text, change.id ?? change.task);
  if (change.incoming) mergeIn(plan, input, change.incoming);
  const before = plan.text;
  const isRepeat = change.key !== undefined && writes.entries.byKey(change.key)?.written === true;
  if (change.edit && !isRepeat) plan.text = change.edit(plan.text);
  if (change.isTyped !== true && plan.text !== before) noteSteps(plan, input, before);
  if (change.id !== undefined) giveId(plan, input, change.id);
  if (change.isTyped !== true) assertUnharmed(path, before, plan.text, change.id);
  if (change.key !== undefined && plan.text !== before) noteDone(plan, input, change.key);
  if (change.moveOut) moveOut(plan, input, change.moveOut);
  const edited = plan.text;
  const known = plan.entries.length;
  for (const append of change.append ?? []) addEntry(plan, input, append);
  assertAppended(path, edited, plan.text, plan.entries.slice(known));
  const full = plan.text;
  if (change.append?.length && plan.spill === null)
    overflow(plan, spillOldest(full, overflowPath(input), change.settled));
  assertAppended(path, full, plan.text, null);
  // Appending takes nothing out.
  if ((change.edit || plan.spill) && plan.text !== before)
    noteRemoved(plan, before, entriesOf(writes, path, change.task, nowMs));
  return plan;
}

/** @throws RoomError `bug` when what was put back or edited harms the task */
function assertUnharmed(path: string, before: string, after: string, id: string | null | undefined): void {
  assertHarmless(path, before, after, (print, next) => harmOfEdit(print, next, id ?? undefined));
}

/** @throws RoomError `bug` when adding these entries, or moving old ones out, did anything else */
function assertAppended(
  path: string,
  before: string,
  after: string,
  added: readonly NewEntry[] | null,
): void {
  const groups = Object.groupBy(added ?? [], ({ section }) => section);
  const counts = Object.fromEntries(Object.entries(groups).map(([section, { length }]) => [section, length]));
  assertHarmless(path, before, after, (print, next) => harmOfEntries(print, next, counts, added === null));
}

function assertHarmless(
  path: string,
  before: string,
  after: string,
  harmOf: (print: NonNullable<Print>, next: Print) => string | null,
): void {
  if (before === after) return;
  const print = readPrint(path, before);
  // What can't be read is nobody's task yet: an edit may only mend it.
  const harm = print && harmOf(print, readPrint(path, after));
  if (harm !== null) throw harmful(path, harm);
}

type Print = ReturnType<typeof readPrint>;

/** What the text becomes with what a stale buffer dropped from it. */
function mend(plan: Plan, input: PlanInput, what: Pick<RestoreInput, 'text' | 'savedAtMs' | 'seen'>): string {
  const { path, change, quick, nowMs, writes } = input;
  const result = restoreDropped({ path, task: change.task, quick, nowMs, writes, ...what });
  plan.restored.push(...result.restored);
  plan.gone.push(...result.gone);
  plan.back.push(...result.back);
  plan.restoredCount += result.count;
  return result.text;
}

/** What git's text lacks is to stay out of it. Only an id about to be given is the one that the task had. */
function noteDropped(plan: Plan, { path, text, change, nowMs, writes }: PlanInput): void {
  const rows = entriesOf(writes, path, change.task, nowMs);
  const entries = rows.filter((row) => isEntry(row) && !row.gone);
  plan.gone.push(...missingEntries(text, entries).map(({ seq }) => seq));
  const id = change.id === undefined ? undefined : rows.findLast((row) => row.section === 'id');
  if (id && idOf(text) === null) plan.text = setKey(text, 'id', id.block, path);
}

/** Steps that our own edit added are entries; one that it ticked later comes back ticked. */
function noteSteps(plan: Plan, { path, change, nowMs, writes }: PlanInput, before: string): void {
  const rows = entriesOf(writes, path, change.task, nowMs);
  const known = rows.filter(({ section, gone }) => section === 'Steps' && !gone);
  const blocks = known.map(({ block }) => block);
  for (const block of writtenSteps(before, plan.text, blocks)) {
    const old = known.find((row) => keyOfBlock(row.block) === keyOfBlock(block) && row.block !== block);
    if (old) plan.gone.push(old.seq);
    const task = change.task ?? change.id ?? null;
    plan.entries.push({ atMs: old?.atMs ?? nowMs, path, task, key: null, section: 'Steps', block });
  }
}

/** Entries our own edit took out (moved to spill, say) are not put back later. */
function noteRemoved(plan: Plan, before: string, rows: readonly EntryRow[]): void {
  const known = rows.filter((row) => isEntry(row) && !row.gone);
  const lost = new Set(missingEntries(before, known));
  const stood = known.filter((entry) => !lost.has(entry));
  plan.gone.push(...missingEntries(plan.text, stood).map(({ seq }) => seq));
}

function mergeIn(plan: Plan, input: PlanInput, { base, text, savedAtMs }: Incoming): void {
  const { path, change, writes, nowMs } = input;
  const current = plan.text;
  // First put back into the person's text what it lacks of ours, so that each finds its old place.
  const mended = mend(plan, input, { text, savedAtMs, seen: base });
  const isGone = ({ seq, gone }: EntryRow) => (gone || plan.gone.includes(seq)) && !plan.back.includes(seq);
  const known = entriesOf(writes, path, change.task, nowMs).filter(isEntry);
  // A line stands for an entry that is not gone rather than for one of the same words that is.
  const rows = known.sort((a, b) => Number(isGone(a)) - Number(isGone(b)));
  const entries = rows.filter((row) => !isGone(row)).map(toPlaced);
  plan.text = settleEntries(mergeThree(base, current, mended).text, [current, mended], entries);
  // The rest of a text that was taken half written brings back what seemed to be deleted.
  const missing = missingEntries(plan.text, rows);
  plan.back.push(...rows.filter((row) => isGone(row) && !missing.includes(row)).map(({ seq }) => seq));
  const isTask = (version: string) => readTask(path, version).ok;
  const isBroken = isTask(current) && isTask(text) && !isTask(plan.text);
  if (isBroken) throw harmful(path, 'two versions that can be read would be merged into one that can not');
  if (plan.text === current) return;
  plan.entries.push({ atMs: nowMs, path, task: change.task, key: null, section: 'typed', block: plan.text });
}

function giveId(plan: Plan, { path, nowMs }: PlanInput, id: string): void {
  if (idOf(plan.text) === null) plan.text = setKey(plan.text, 'id', id);
  if (idOf(plan.text) !== id) return;
  plan.entries.push({ atMs: nowMs, path, task: id, key: null, section: 'id', block: id });
}

/** The key's row shares the write: where the file was changed, the key is known to be done. */
function noteDone(plan: Plan, { path, change, nowMs }: PlanInput, key: string): void {
  const task = change.task ?? change.id ?? null;
  plan.entries.push({ atMs: nowMs, path, task, key, section: 'done', block: '' });
}

function addEntry(
  plan: Plan,
  { path, change, nowMs, writes }: PlanInput,
  { section, block, key }: Append,
): void {
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

/** @throws RoomError `conflict` when one of the entries does not stand there any more */
function moveOut(plan: Plan, input: PlanInput, blocks: readonly string[]): void {
  const { path } = input;
  const before = plan.text;
  if (!overflow(plan, spillThese(before, overflowPath(input), blocks)))
    throw new RoomError('conflict', `old entries of ${path} were changed meanwhile`);
  assertAppended(path, before, plan.text, null);
}

function overflowPath({ path, change }: PlanInput): string {
  return `.taskroom/spill/${change.task ?? (nameOfPath(path) || 'task')}.md`;
}

/** @returns false where nothing is to leave the file */
function overflow(plan: Plan, moved: { text: string; spill: Spill } | null): boolean {
  if (moved === null) return false;
  Object.assign(plan, moved);
  return true;
}
