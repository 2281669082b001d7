// Conflicts as people see them: both texts, and a version that changes with either of them. The person's word settles one: what
// stands is confirmed, or the field is written anew by the same write that brings words from upstream, and goes there as every
// local change does. It is made on the two texts that the person saw, or not at all.
import { readFileSync } from 'node:fs';
import type { Field } from '../../core/chore/chore.ts';
import type { ConflictJson, SettlementJson, SettleWish } from '../../core/chore-shapes.ts';
import { hasCode, RoomError } from '../../core/errors.ts';
import { newTag, type TaskId } from '../../core/ids.ts';
import { formatComment } from '../../core/task/body/entries.ts';
import { hashText } from '../../core/task/read-task.ts';
import { readStatus } from '../../core/task/status.ts';
import { isoOrNull } from '../../core/time/durations.ts';
import { writeMirrorsFile } from '../../store/files/mirrors-file.ts';
import type { ConflictRow } from '../../store/ledger/mirrors/outbox.ts';
import { applyToFile } from '../file/local-edit.ts';
import { readLocalSide } from '../plan/base.ts';
import { changeFromText, textAfter, textOfField } from '../plan/fields.ts';
import { emptyChange } from '../plan/plan.ts';
import type { LocalChange, LocalSide } from '../plan/plan-data.ts';
import type { SyncDeps } from '../sync-pass.ts';

/**
 * Settles one conflict. The same wish again changes nothing.
 * @throws RoomError `not_found`, `conflict` when either text is another by now or it was settled in another way,
 *   `bad_input` for a text the field can't be, `refused` for a body without its markers, and as `writer.edit`
 */
export async function settleConflict(
  deps: SyncDeps,
  wish: SettleWish & { task: TaskId },
): Promise<SettlementJson> {
  const { ledger } = deps;
  const row = /^\d{1,15}$/.test(wish.conflict) ? ledger.conflicts.get(Number(wish.conflict)) : null;
  const hint = 'see: taskroom mirror list';
  if (row === null || row.task !== wish.task)
    throw new RoomError('not_found', `task ${wish.task} has no conflict ${wish.conflict}`, hint);
  if (row.settled !== null && row.settled !== 'by_hand') return settledBefore(deps, row, wish);
  const text = textOf(row, wish);
  const { path, changed, side } = await writeWish(deps, row, wish, text);
  recordWish(deps, row, wish, text, changed, side);
  await deps.announce(changed ? [path] : []);
  return { ...viewOf(row, side), take: wish.take, changed };
}

/** Null for what stands, whatever that is. */
function textOf({ lost }: ConflictRow, { take, text }: SettleWish): string | null {
  if (take === 'standing') return null;
  if (take === 'lost') return lost;
  if (text !== undefined && text.trim() !== '') return text;
  throw new RoomError('bad_input', 'a text of your own has no words', { hint: 'give `text`' });
}

function settledBefore(deps: SyncDeps, row: ConflictRow, wish: SettleWish): SettlementJson {
  const text = textOf(row, wish);
  const same = row.settled === wish.take && (text === null || text === row.settledText);
  if (same) return { ...viewOf(row, sideNow(deps, row.task)), take: wish.take, changed: false };
  const hint = 'change the field itself, as any other: taskroom set, taskroom describe';
  throw new RoomError('conflict', `that conflict was settled already: ${WORDS[row.settled!]}`, hint);
}

const WORDS: Readonly<Record<NonNullable<ConflictRow['settled']>, string>> = {
  standing: 'what stood was kept',
  lost: 'the text that had lost was taken',
  own: 'a text of your own was taken',
  by_hand: 'the field was edited',
};

/** @param text what the field is to say; null for what stands */
async function writeWish(deps: SyncDeps, row: ConflictRow, { version }: SettleWish, text: string | null) {
  const { ledger, effects, writer } = deps;
  const path = ledger.tasks.get(row.task)?.path ?? null;
  const hint = 'put it back, or end the mirror: taskroom mirror unlink';
  if (path === null) throw new RoomError('not_found', `the file of task ${row.task} is gone`, hint);
  const field = row.field as Field;
  // A comment is never rewritten in another's name: the words become one of the person's own.
  const fields =
    text === null || field === 'comments' ? null : changeFromText(field, text, deps.config().statuses);
  const full: LocalChange = { ...emptyChange(), ...fields };
  const context = { provider: '', uid: '', tag: newTag(effects.randomBytes) };
  const edit = (now: string): string => {
    const side = readLocalSide(path, now, deps.config);
    if (side === null || side.id !== row.task) throw unreadable(path);
    const standing = textOfField(side, field, row.entry);
    // Asked again after a crash: the file says it already.
    if (fields !== null && standing === textAfter(side, full, field, row.entry)) return now;
    const hint = 'look at both texts again, and settle it with the new version';
    if (versionOf(standing, row.lost) !== version)
      throw new RoomError('conflict', `the ${field} is another by now than the one you decided on`, hint);
    if (fields?.body !== undefined && side.body === null)
      throw new RoomError('refused', `${path} has no body markers any more: its body is yours alone`, {
        hint: 'keep what stands',
      });
    return fields === null ? now : applyToFile(now, path, full, context);
  };
  const append = text !== null && field === 'comments' ? [commentOf(deps, row, text)] : [];
  if (
    fields?.status !== undefined &&
    readStatus(fields.status, () => deps.config().statuses)?.status === 'done'
  )
    ledger.checks.waive(row.task, { at: effects.now(), reason: 'the person settled a conflict' });
  const { changed, after } = await writer.edit(path, { actor: 'owner', task: row.task, edit, append });
  const side = readLocalSide(path, after, deps.config);
  if (side === null) throw unreadable(path);
  return { path, changed, side };
}

function commentOf({ ledger, effects }: SyncDeps, { id }: ConflictRow, text: string) {
  const entry = newTag(effects.randomBytes);
  const atMs = effects.now();
  // Before it is written: only comments that were said here are sent.
  ledger.postedComments.add(entry, atMs);
  const block = formatComment({ author: 'owner', role: null, atMs, id: entry, text });
  return { section: 'Comments' as const, block, key: `settle:${id}` };
}

function recordWish(
  { room, ledger, effects, events }: SyncDeps,
  row: ConflictRow,
  { take }: SettleWish,
  text: string | null,
  changed: boolean,
  side: LocalSide,
): void {
  const { task } = row;
  ledger.transaction(() => {
    const standing = textOfField(side, row.field as Field, row.entry);
    if (!ledger.conflicts.settle(row.id, take, text ?? standing, effects.now())) return;
    const mirror = ledger.mirrors.get(task);
    if (mirror?.state !== 'conflict' || ledger.conflicts.all({ task, settled: null }).length > 0) return;
    const isPending = changed || mirror.localHash !== side.hash;
    ledger.mirrors.update(task, { state: isPending ? 'pending' : 'in_sync', message: null });
    writeMirrorsFile(room, effects, ledger.mirrors.list());
  });
  const mirror = ledger.mirrors.get(task);
  const ref = mirror === null ? '' : `${mirror.provider}:${mirror.ref}`;
  const name = ledger.tasks.get(task)?.name ?? task;
  events.emit({ type: 'mirror.settled', id: task, name, ref, field: row.field, take });
}

function unreadable(path: string): RoomError {
  return new RoomError('invalid_file', `${path} can't be read as this task`, 'mend it in an editor');
}

type ViewDeps = Pick<SyncDeps, 'room' | 'ledger' | 'config'>;

/** Those that are open, by their task, the oldest first. The text that stands is read from the file. */
export function openConflicts(deps: ViewDeps): Map<string, ConflictJson[]> {
  const byTask = Map.groupBy(deps.ledger.conflicts.open(), ({ task }) => task);
  return new Map(
    [...byTask].map(([task, rows]) => {
      const side = sideNow(deps, task);
      return [task, rows.map((row) => viewOf(row, side))];
    }),
  );
}

/** @param side what the file says now; null where it can't be read, and what it said last is shown */
function viewOf(row: ConflictRow, side: LocalSide | null): ConflictJson {
  const { task, lost, kept } = row;
  const field = row.field as Field;
  const standing = side === null ? row.stands : textOfField(side, field, row.entry);
  return {
    ...{ id: String(row.id), task, field, at: isoOrNull(row.at), lost_side: row.lostSide },
    ...{ standing, lost, kept, version: versionOf(standing, lost) },
  };
}

const versionOf = (standing: string, lost: string): string =>
  hashText(`${standing.length}:${standing}${lost}`).slice(0, 12);

/** The file of a task as it lies there. */
function sideNow({ room, ledger, config }: ViewDeps, task: string): LocalSide | null {
  const path = ledger.tasks.get(task)?.path ?? null;
  if (path === null) return null;
  try {
    const side = readLocalSide(path, readFileSync(room.at(path), 'utf8'), config);
    return side?.id === task ? side : null;
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'EACCES', 'EISDIR', 'ENOTDIR')) return null;
    throw error;
  }
}
