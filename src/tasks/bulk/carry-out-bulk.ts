// Carrying out a bulk that is on record, wholly or not at all: each step can be repeated, and what somebody else made of a file
// meanwhile is merged, never overwritten. Deletions and entries come last, when nothing is taken back any more.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isPassing, isRoomError, type RoomError, reworded } from '../../core/errors.ts';
import type { RoomEvent } from '../../core/events.ts';
import type { TaskId } from '../../core/ids.ts';
import { mergeThree } from '../../core/merge/merge.ts';
import { createPace } from '../../effects.ts';
import type { Bulk, BulkItem } from '../../store/ledger/writes/bulks.ts';
import { tryFileLock } from '../../store/lock/locks.ts';
import type { Room } from '../../store/room.ts';
import { moveToTrash, notePersonsMove } from '../observe/hide-deleted.ts';
import { mustReadTask, readFileRow } from '../observe/read-file-row.ts';
import type { Changed } from '../shapes/change.ts';
import type { TaskRoom } from '../task-room.ts';

type Progress = Extract<RoomEvent, { type: 'bulk.progress' }>;

const TOLD_EACH = 100; // Told of so many steps at once: a small change is told of by its answer alone.

/** To be awaited before each of `total` steps. */
export function createSteps({ effects, events }: TaskRoom, phase: Progress['phase'], total: number) {
  const pace = createPace(effects);
  let done = 0;
  return async () => {
    await pace();
    done += 1;
    if (done % TOLD_EACH === 0) events.emit({ type: 'bulk.progress', phase, done, total });
  };
}

/** What it changes is taken back at once. */
const commandOfBulk = ({ seq }: Bulk) => `bulk:${seq}`;

type Creation = Extract<BulkItem, { do: 'create' }>;
type Editing = Extract<BulkItem, { do: 'change' }>;

/** What a change makes of another text than it was planned on, by path. Throws RoomError to refuse. */
export type Rewrites = ReadonlyMap<string, (text: string) => string>;

/** Carries out a bulk on record. Without `rewrites` (a crash lost them) both texts are merged. Returns the answers as JSON. @throws RoomError */
export async function carryOutBulk(deps: TaskRoom, bulk: Bulk, rewrites: Rewrites = new Map()) {
  const { bulks } = deps.ledger;
  if (bulk.state === 'do') {
    await writeOrTakeBack(deps, bulk, rewrites);
    bulks.setState(bulk.seq, 'rest');
  }
  try {
    const result = withAttics(bulk, await removeFiles(deps, bulk));
    await addEntries(deps, bulk);
    if (bulk.key === null) bulks.drop(bulk.seq);
    else bulks.finish(bulk.seq, result);
    return result;
  } catch (error) {
    if (!isRoomError(error)) throw error;
    throw reworded(error, `${error.message}; the rest is done when the room runs again`);
  }
}

async function writeOrTakeBack(deps: TaskRoom, bulk: Bulk, rewrites: Rewrites): Promise<void> {
  try {
    await writeFiles(deps, bulk, rewrites);
  } catch (error) {
    // Not a refusal but a bug, or the end of this process: it stays on record as it is.
    if (!isRoomError(error)) throw error;
    deps.ledger.bulks.setState(bulk.seq, 'undo');
    await takeBackBulk(deps, bulk).catch((second: unknown) => {
      if (!isRoomError(second)) throw second;
      throw reworded(error, `${error.message}; what was changed is taken back when the room runs again`);
    });
    throw error;
  }
}

/** Takes a bulk back, but for what others did since. It stays on record while a file of it can't be read. @throws RoomError */
async function takeBackBulk(deps: TaskRoom, bulk: Bulk): Promise<void> {
  let isAll = true;
  const pace = createPace(deps.effects);
  for (const item of bulk.items.toReversed()) {
    await pace();
    if (item.do !== 'delete') isAll = (await takeBack(deps, bulk, item)) && isAll;
  }
  if (isAll) deps.ledger.bulks.drop(bulk.seq);
}

const AT_ONCE = 16; // Files written at once share their waits for the disk.

/** Each path stands in a bulk once. @throws what the first of them failed with, when none is being written any more */
async function inBatches(
  step: () => Promise<void>,
  items: readonly BulkItem[],
  write: (item: BulkItem, index: number) => Promise<void>,
): Promise<void> {
  const failures: unknown[] = [];
  for (let at = 0; at < items.length && failures.length === 0; at += AT_ONCE) {
    const batch: Promise<unknown>[] = [];
    for (const [index, item] of items.slice(at, at + AT_ONCE).entries()) {
      await step();
      batch.push(write(item, at + index).catch((failure: unknown) => failures.push(failure)));
    }
    await Promise.all(batch);
  }
  if (failures.length > 0) throw failures[0];
}

function writeFiles(deps: TaskRoom, bulk: Bulk, rewrites: Rewrites): Promise<void> {
  const items = bulk.items.filter((item) => item.do !== 'delete');
  return inBatches(createSteps(deps, 'writing', items.length), items, async (item) => {
    const by = { actor: bulk.actor, task: item.task, command: commandOfBulk(bulk) };
    if (item.do === 'create' && (await stateOf(deps, item)) !== 'there')
      await deps.writer.create(item.path, item.text, by);
    if (item.do === 'change') await editOne(deps, bulk, item, rewrites.get(item.path));
  });
}

async function editOne(
  deps: TaskRoom,
  bulk: Bulk,
  { path, task, givesId, before, after }: Editing,
  rewrite: ((text: string) => string) | undefined,
): Promise<void> {
  if (before === after) return;
  const edit = (text: string): string => {
    if (text === before || text === after) return after;
    return rewrite === undefined ? merged(deps, path, before, after, text) : rewrite(text);
  };
  const by = { actor: bulk.actor, task, command: commandOfBulk(bulk) };
  await deps.writer.edit(path, { ...by, ...(givesId ? { id: task } : {}), edit });
}

/** What `ours` made of `base`, on somebody else's text. @throws RoomError when that, or what comes of it, can't be read */
function merged(deps: TaskRoom, path: string, base: string, ours: string, theirs: string): string {
  mustReadTask(deps, path, theirs);
  const { text } = mergeThree(base, ours, theirs);
  mustReadTask(deps, path, text);
  return text;
}

/** Each once, by its key. One that can't be written keeps no other waiting. @throws RoomError of the first that failed */
async function addEntries(deps: TaskRoom, bulk: Bulk): Promise<void> {
  const { actor, items, seq } = bulk;
  let first: RoomError | null = null;
  await inBatches(createPace(deps.effects), items, async (item, index) => {
    if (item.do !== 'change' || item.append.length === 0) return;
    if ((await stateOf(deps, item)) === 'gone') return;
    const append = item.append.map((entry, at) => ({ key: `bulk:${seq}:${index}:${at}`, ...entry }));
    try {
      await deps.writer.edit(item.path, { actor, task: item.task, command: commandOfBulk(bulk), append });
    } catch (error) {
      if (!isRoomError(error)) throw error;
      first ??= error;
    }
  });
  if (first !== null) throw first;
}

/** @returns where they lie now, by path */
async function removeFiles(deps: TaskRoom, bulk: Bulk): Promise<Map<string, string>> {
  const attics = new Map<string, string>();
  const doomed = bulk.items.filter((item) => item.do === 'delete');
  const step = createSteps(deps, 'removing', doomed.length);
  for (const { path, task } of doomed) {
    await step();
    if (!existsSync(deps.room.at(path))) continue;
    const attic = moveToTrash(deps, path);
    attics.set(path, attic);
    if (bulk.actor === 'person') notePersonsMove(deps, { path, task, command: commandOfBulk(bulk) }, attic);
  }
  return attics;
}

function withAttics({ result }: Bulk, attics: ReadonlyMap<string, string>): string {
  if (attics.size === 0) return result;
  const answers = (JSON.parse(result) as Changed[]).map((answer) => {
    const attic = attics.get(answer.path);
    return attic === undefined ? answer : { ...answer, attic };
  });
  return JSON.stringify(answers);
}

/** False where it has to wait. */
async function takeBack(deps: TaskRoom, { actor }: Bulk, item: Creation | Editing): Promise<boolean> {
  const { path, task } = item;
  if (item.do === 'change' && item.before === item.after) return true;
  const now = await stateOf(deps, item);
  if (now === 'gone') return true;
  if (item.do === 'create') {
    if (now === 'there') moveToTrash(deps, path);
    return now === 'there' || (now.text !== null && !now.text.includes(task));
  }
  const { before, after } = item;
  if (now !== 'there') return now.text !== null && !holdsChange(before, after, now.text);
  const edit = (text: string): string => (text === after ? before : merged(deps, path, after, before, text));
  await deps.writer.edit(path, { actor, task, edit });
  return true;
}

/** Whether a text that nobody can read holds any line that the change brought, or may lack those that it took out. */
function holdsChange(before: string, after: string, text: string): boolean {
  const [old, now] = [before, text].map((each) => new Set(each.split('\n')));
  const brought = after.split('\n').filter((line) => !old!.has(line));
  return brought.length === 0 ? text !== before : brought.some((line) => now!.has(line));
}

/** Whether that task stands at that path, or else the text that nobody can read as one; null while it is being written. */
async function stateOf(deps: TaskRoom, { path, task }: { path: string; task: TaskId }) {
  const row = await readFileRow(deps, path);
  if (row === null) return 'gone';
  if (row === 'unstable') return { text: null };
  if (!row.reading.ok) return { text: row.text };
  return row.reading.task.id === task ? 'there' : 'gone';
}

/** Of the lock under which a change of several tasks is carried out. */
export const lockPath = ({ ownDir }: Room): string => join(ownDir, 'bulk.lock');

/** Costs a look at the ledger where nothing was left. @throws RoomError `io`, `locked` when it can't be dealt with now */
export async function finishBulks(deps: TaskRoom): Promise<void> {
  if (!deps.ledger.bulks.hasOpen()) return;
  const lock = tryFileLock(lockPath(deps.room), 'bulk', deps.effects.now());
  // The process that holds the lock is about to finish it.
  if (lock === null) return;
  try {
    await finishUnderLock(deps);
  } finally {
    lock.release();
  }
}

/** The same for who has the lock already. */
export async function finishUnderLock(deps: TaskRoom): Promise<void> {
  for (const bulk of deps.ledger.bulks.open()) {
    try {
      await (bulk.state === 'undo' ? takeBackBulk(deps, bulk) : carryOutBulk(deps, bulk));
    } catch (error) {
      if (!isRoomError(error) || isPassing(error)) throw error;
      // A file that nobody can read keeps it on record: the inbox tells of that file.
      if (bulk.state === 'rest') continue;
      const message = `a change of ${bulk.items.length} tasks that was cut short was taken back: ${error.message}`;
      deps.events.emit({ type: 'room.trouble', message, hint: 'ask for it again' });
    }
  }
}
