// Decides what one write makes of a text: what comes back that a stale buffer dropped, the caller's edit, the new entries.
// Reads the ledger and changes nothing; the writer carries the plan out, or drops it when the file changed.
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
import type { StatusWords } from '../../core/task/key-kinds.ts';
import { nameOfPath } from '../../core/task/names.ts';
import { moveOldestOut, moveTheseOut, type Overflow, type SettledAnswers } from '../../core/task/overflow.ts';
import { readTask } from '../../core/task/read-task.ts';
import { assertHarmless, harmful, harmOfEdit, harmOfEntries } from '../../core/task/write-check.ts';
import type { Append } from '../ledger/writes/bulks.ts';
import type { EntryRow, NewEntry } from '../ledger/writes/writes.ts';
import type { EntryUpdates, RestoreInput } from './restore-dropped.ts';
import { isEntry, mark, RESTORE_MS, restoreDropped, toPlaced } from './restore-dropped.ts';
import type { StableText } from './stable-read.ts';

export interface Change {
  actor: string; // Who writes: `owner`, `agent:<id>`, `runtime`.
  task: string | null; // The task's id, null when it has none yet.
  /** Of several changes that a person made by one command: they are taken back together. */
  command?: string | null;
  /** What the caller read of the file: the first round changes this, as long as the file is what was read. */
  read?: Omit<StableText, 'ok' | 'unstable'>;
  /** The current text → the new one; pure, called again when the file changed meanwhile. */
  edit?: (text: string) => string;
  append?: readonly Append[];
  /** Entries that leave the file for the overflow folder before anything is appended: all of them or the change is refused. */
  moveOut?: readonly string[];
  /** Questions that may leave the file for the overflow folder when there are too many. */
  settled?: SettledAnswers;
  id?: string; // The id being given; written where the text has none after `edit`.
  /** Unique in the room: once a change with this key is in the file, the same key again edits nothing. */
  key?: string;
  /** A person typed the edit into the text as it stands: it counts as it is, entries that they took out and all. */
  isTyped?: boolean;
}

/** A change with what our own merges need beside it. */
export interface InnerChange extends Change {
  incoming?: Incoming;
  stillWanted?: () => boolean; // Checked together with the rename: false drops the write.
  record?: () => void; // Recorded together with the rename, or alone when the text is already as wanted.
}

/** A version that a person made of `base` while the file went on to be something else. */
interface Incoming {
  base: string;
  text: string;
  savedAtMs: number; // Epoch ms.
}

export interface Plan {
  text: string;
  entries: NewEntry[];
  updates: EntryUpdates;
  restoredCount: number;
  overflow: Overflow | null;
}

/** Whose text it is: what our last write left, git's, or somebody's who may not have seen our last write. */
export type Foreign = 'ours' | 'git' | 'person';
type PlanGiven = Omit<RestoreInput, 'task' | 'seen'> & {
  foreign: Foreign;
  change: InnerChange;
  words: StatusWords;
};

interface PlanInput extends PlanGiven {
  rows(): EntryRow[];
  entry(section: NewEntry['section'], block: string, key?: string | null): NewEntry;
}

/**
 * Plans a write.
 * @throws what `edit` throws; RoomError `invalid_file` when entries are for an unreadable text, `bug` when the result
 *   would not read as the same task plus the change
 */
export function planWrite(given: PlanGiven): Plan {
  const { path, change, writes, nowMs: atMs, foreign, text, savedAtMs } = given;
  const task = change.task ?? change.id ?? null;
  const input: PlanInput = {
    ...given,
    rows: () => writes.entries.recent(path, change.task, atMs - RESTORE_MS),
    entry: (section, block, key = null) => ({ atMs, path, task, key, section, block }),
  };
  const plan: Plan = { text, entries: [], updates: new Map(), restoredCount: 0, overflow: null };
  if (foreign === 'person') plan.text = mend(plan, input, { text, savedAtMs });
  if (foreign === 'git') noteDropped(plan, input);
  assertOnly(given, text, plan.text, { id: change.id ?? change.task });
  if (change.incoming) mergeIn(plan, input, change.incoming);
  const before = plan.text;
  const isRepeat = change.key !== undefined && writes.entries.byKey(change.key)?.written === true;
  if (change.edit && !isRepeat) plan.text = change.edit(plan.text);
  if (change.isTyped !== true && plan.text !== before) noteSteps(plan, input, before);
  if (change.id !== undefined) giveId(plan, input, change.id);
  if (change.isTyped !== true) assertOnly(given, before, plan.text, { id: change.id ?? null });
  // The key's row shares the write: where the file was changed, the key is known to be done.
  if (change.key !== undefined && plan.text !== before)
    plan.entries.push(input.entry('done', '', change.key));
  if (change.moveOut) moveOut(plan, input, change.moveOut);
  const edited = plan.text;
  const known = plan.entries.length;
  for (const append of change.append ?? []) addEntry(plan, input, append);
  assertOnly(given, edited, plan.text, { added: plan.entries.slice(known) });
  const full = plan.text;
  if (change.append?.length && plan.overflow === null)
    Object.assign(plan, moveOldestOut(full, overflowPath(input), change.settled));
  assertOnly(given, full, plan.text, 'moved out');
  // Appending takes nothing out.
  if ((change.edit || plan.overflow) && plan.text !== before) noteRemoved(plan, input, before);
  return plan;
}

/** What a step may do to a task: edit it (`id`: the task's own, null for any), add these entries, or move old entries out. */
type Step = { id: string | null } | { added: readonly NewEntry[] } | 'moved out';

/** @throws RoomError `bug` when the step did anything else to the task */
function assertOnly({ path, words }: PlanGiven, before: string, after: string, step: Step): void {
  if (typeof step === 'object' && 'id' in step)
    return assertHarmless(path, before, after, harmOfEdit(step.id ?? undefined), words);
  const groups = Object.groupBy(step === 'moved out' ? [] : step.added, ({ section }) => section);
  const counts = Object.fromEntries(Object.entries(groups).map(([section, { length }]) => [section, length]));
  assertHarmless(path, before, after, harmOfEntries(counts, step === 'moved out'), words);
}

/** What the text becomes with what a stale buffer dropped from it. */
function mend(plan: Plan, input: PlanInput, what: Pick<RestoreInput, 'text' | 'savedAtMs' | 'seen'>): string {
  const result = restoreDropped({ ...input, task: input.change.task, ...what }, plan.updates);
  plan.restoredCount += result.count;
  return result.text;
}

/** What git's text lacks is to stay out of it. Only an id about to be given is the one that the task had. */
function noteDropped(plan: Plan, { path, text, change, rows }: PlanInput): void {
  const known = rows();
  const entries = known.filter((row) => isEntry(row) && !row.gone);
  mark(plan.updates, missingEntries(text, entries), { gone: true });
  const id = change.id === undefined ? undefined : known.findLast((row) => row.section === 'id');
  if (id && idOf(text) === null) plan.text = setKey(text, 'id', id.block, path);
}

/** Steps that our own edit added are entries; one that it ticked later comes back ticked. */
function noteSteps(plan: Plan, { rows, entry }: PlanInput, before: string): void {
  const known = rows().filter(({ section, gone }) => section === 'Steps' && !gone);
  const blocks = known.map(({ block }) => block);
  for (const block of writtenSteps(before, plan.text, blocks)) {
    const old = known.find((row) => keyOfBlock(row.block) === keyOfBlock(block) && row.block !== block);
    if (old) mark(plan.updates, [old], { gone: true });
    plan.entries.push({ ...entry('Steps', block), ...(old && { atMs: old.atMs }) });
  }
}

/** Entries our own edit took out (moved to overflow, say) are not put back later. */
function noteRemoved(plan: Plan, { rows }: PlanInput, before: string): void {
  const known = rows().filter((row) => isEntry(row) && !row.gone);
  const lost = new Set(missingEntries(before, known));
  const stood = known.filter((row) => !lost.has(row));
  mark(plan.updates, missingEntries(plan.text, stood), { gone: true });
}

function mergeIn(plan: Plan, input: PlanInput, { base, text, savedAtMs }: Incoming): void {
  const { path, words } = input;
  const current = plan.text;
  // First put back into the person's text what it lacks of ours, so that each finds its old place.
  const mended = mend(plan, input, { text, savedAtMs, seen: base });
  const isGone = ({ seq, gone }: EntryRow) => plan.updates.get(seq)?.gone ?? gone;
  const known = input.rows().filter(isEntry);
  // A line stands for an entry that is not gone rather than for one of the same words that is.
  const rows = known.sort((a, b) => Number(isGone(a)) - Number(isGone(b)));
  const entries = rows.filter((row) => !isGone(row)).map(toPlaced);
  plan.text = settleEntries(mergeThree(base, current, mended).text, [current, mended], entries);
  // The rest of a text that was taken half written brings back what seemed to be deleted.
  const missing = missingEntries(plan.text, rows);
  const back = rows.filter((row) => isGone(row) && !missing.includes(row));
  mark(plan.updates, back, { gone: false });
  const isTask = (version: string) => readTask(path, version, words).ok;
  const isBroken = isTask(current) && isTask(text) && !isTask(plan.text);
  if (isBroken) throw harmful(path, 'two versions that can be read would be merged into one that can not');
  if (plan.text !== current) plan.entries.push(input.entry('typed', plan.text));
}

function giveId(plan: Plan, { entry }: PlanInput, id: string): void {
  if (idOf(plan.text) === null) plan.text = setKey(plan.text, 'id', id);
  if (idOf(plan.text) === id) plan.entries.push({ ...entry('id', id), task: id });
}

function addEntry(plan: Plan, input: PlanInput, { section, block, key }: Append): void {
  const row = key === undefined ? null : input.writes.entries.byKey(key);
  if (row?.written || (key !== undefined && plan.entries.some((entry) => entry.key === key))) return;
  const words = row?.block ?? block;
  if (row && stands(plan.text, words, input.rows())) return mark(plan.updates, [row], { written: true });
  plan.text = appendEntry(plan.text, section, words, input.path);
  plan.entries.push(input.entry(section, words, key));
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
  const moved = moveTheseOut(before, overflowPath(input), blocks);
  if (moved === null) throw new RoomError('conflict', `old entries of ${path} were changed meanwhile`);
  Object.assign(plan, moved);
  assertOnly(input, before, plan.text, 'moved out');
}

const overflowPath = ({ path, change }: PlanInput): string =>
  `.taskroom/spill/${change.task ?? (nameOfPath(path) || 'task')}.md`;
