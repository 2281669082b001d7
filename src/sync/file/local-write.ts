// Carries out the file's part of a plan: losing texts to the attic first, then one write, made only while the words it
// was planned on still stand there. Conflicts are kept in the ledger beside it: intended before the file says what stands, so
// that a crash in between loses none, and ended when somebody edits the field.
import type { Field } from '../../core/chore/chore.ts';

import { newTag, type TaskId } from '../../core/ids.ts';
import { answerMark } from '../../core/task/body/questions.ts';
import { readTask } from '../../core/task/read-task.ts';
import { readStatus } from '../../core/task/status.ts';
import { keepInTrash } from '../../store/files/trash.ts';
import type { ConflictRow, NewConflict } from '../../store/ledger/mirrors/outbox.ts';
import { entryOf, readLocalSide } from '../plan/base.ts';
import { LOCAL_KEYS, textAfter, textOfField } from '../plan/fields.ts';
import { emptyChange } from '../plan/plan.ts';
import type { LocalChange, LocalSide, Loss, MirrorPlan } from '../plan/plan-data.ts';
import type { SyncDeps, SyncPass } from '../sync-pass.ts';
import { answerEntry, applyToFile, commentEntry } from './local-edit.ts';
import type { TaskFile } from './task-file.ts';

type Absorbed = Record<'path' | 'before' | 'after', string>;

export interface FileWrite {
  changed: boolean;
  side: LocalSide;
  crossed: boolean; // Somebody else changed the file meanwhile, in a place that the plan left alone.
  /** The file's texts, where our own note alone made the task's revision another one: nobody said anything. */
  absorb: Absorbed | null;
  kept: string[]; // Where losing texts are kept.
  conflicts: number[]; // What of it became a conflict, by its id in the ledger.
}

/** What was consumed stays so: markers and notes of ours are no words of the requester's, and start no turn. */
export function keepConsumed({ ledger }: SyncDeps, task: string, { path, before, after }: Absorbed): void {
  const [was, now] = [before, after].map((text) => revisionOf(path, text));
  if (was && now && was !== now && ledger.tasks.get(task)?.consumed === was)
    ledger.tasks.update(task, { consumed: now });
}

function revisionOf(path: string, text: string): string | null {
  const reading = readTask(path, text, null);
  return reading.ok ? reading.task.revision : null;
}

/** The words the plan was made on are no longer in the file. */
class FileChanged extends Error {}

/** Writes the plan's change into the file.
 * @returns null when the file has changed since: plan again
 * @throws RoomError as `writer.edit` */
export async function writeTaskFile(
  pass: SyncPass,
  file: TaskFile,
  plan: MirrorPlan,
  uid: string,
): Promise<FileWrite | null> {
  // An empty text is no loss.
  const { room, effects } = pass.deps;
  const lost = plan.losses
    .filter(({ text }) => text.trim() !== '')
    .map((loss) => {
      const from = loss.side === 'local' ? 'from here' : `from ${pass.config.provider}`;
      const kept = keepInTrash(room, `${file.name}, ${loss.field} ${from}`, loss.text, effects);
      return { ...loss, kept };
    });
  const kept = lost.map((loss) => loss.kept);
  const notes = lost.map(noteOf);
  const change = plan.local ?? (notes.length > 0 ? emptyChange() : null);
  if (change === null || file.archived)
    return { changed: false, side: file.local, crossed: false, absorb: null, kept, conflicts: [] };
  const full: LocalChange = { ...change, notes: [...change.notes, ...notes] };
  const context = { provider: pass.config.provider, uid, tag: newTag(pass.deps.effects.randomBytes) };
  const { path } = file;
  const conflicts = intendConflicts(pass.deps, file.local, plan.local, lost);
  const edit = (text: string): string => {
    const now = readLocalSide(path, text, pass.deps.config);
    if (now === null || !sameWords(full, file.local, now)) throw new FileChanged();
    return applyToFile(text, path, full, context);
  };
  const append = [
    ...full.newComments.map((comment) => commentEntry(comment, context)),
    ...full.answers.map((answer) => answerEntry(answer, context)),
  ];
  try {
    const task = file.local.id;
    vouch(pass, task, full);
    const result = await pass.deps.writer.edit(path, { actor: 'runtime', task, edit, append });
    if (result.changed) pass.written.add(path);
    pass.probe('written');
    const side = readLocalSide(path, result.after, pass.deps.config) ?? file.local;
    const quiet = () => applyToFile(file.text, path, { ...full, notes: [] }, context);
    return {
      changed: result.changed,
      side,
      crossed: result.before !== file.text || hasNewEntries(file.local, side, pass.config.provider),
      absorb:
        notes.length > 0 && revisionOf(path, quiet()) === revisionOf(path, file.text)
          ? { path, before: file.text, after: result.after }
          : null,
      kept,
      conflicts,
    };
  } catch (error) {
    if (error instanceof FileChanged) return null;
    throw error;
  }
}

type KeptLoss = Loss & { kept: string };

function noteOf({ field, side, isRestored, kept }: KeptLoss): string {
  if (isRestored)
    return `An earlier version of this file was restored: the ${field} from upstream stands, the restored one is kept in \`${kept}\`.`;
  const whose = side === 'local' ? 'the text from here' : 'the text from upstream';
  return `Both sides changed the ${field}: ${whose} lost and is kept in \`${kept}\`.`;
}

function vouch({ deps, config }: SyncPass, task: TaskId, { status, answers }: LocalChange): void {
  const { ledger, effects } = deps;
  const at = effects.now();
  // What is closed upstream is over by somebody's word there, whatever the checks of a turn here would say.
  if (status !== undefined && readStatus(status, () => deps.config().statuses)?.status === 'done')
    ledger.checks.waive(task, { at, reason: `done at ${config.provider}` });
  // Under our own account it may be our agent that answers itself: nobody vouches for that.
  for (const { comment } of answers)
    if (!comment.mine) ledger.postedComments.add(answerMark(entryOf(config.provider, comment.id)), at);
}

/** Whether what `change` writes over is as it was planned on. */
function sameWords(change: LocalChange, planned: LocalSide, now: LocalSide): boolean {
  const words = LOCAL_KEYS.every(
    (key) => change[key] === undefined || JSON.stringify(planned[key]) === JSON.stringify(now[key]),
  );
  if (!words) return false;
  const before = new Map(planned.comments.map(({ id, text }) => [id, text]));
  const after = new Map(now.comments.map(({ id, text }) => [id, text]));
  return change.editedComments.every(
    ({ entry }) => !after.has(entry) || after.get(entry) === before.get(entry),
  );
}

/** The writer put entries back that a stale buffer had dropped: they are news for sync. */
function hasNewEntries(before: LocalSide, after: LocalSide, provider: string): boolean {
  const known = new Set(before.comments.map(({ id }) => id));
  return (
    after.progress.length !== before.progress.length ||
    after.outcome.length !== before.outcome.length ||
    after.comments.some(({ id }) => !known.has(id) && !id.startsWith(`${provider}:`))
  );
}

/** @returns the ids of what is about to become a conflict */
function intendConflicts(
  { ledger, effects }: SyncDeps,
  local: LocalSide,
  change: LocalChange | null,
  losses: readonly KeptLoss[],
) {
  if (losses.length === 0) return [];
  const at = effects.now();
  const rows = losses.map(({ field, side, text, words, entry = null, kept }): NewConflict => {
    const stands = textAfter(local, change, field, entry);
    return { task: local.id, field, entry, lostSide: side, lost: words ?? text, stands, kept, at };
  });
  return ledger.transaction(() => rows.map((row) => ledger.conflicts.intend(row)));
}

/** The file was written: these are conflicts now. Earlier ones end where the field was edited here since, and follow where
 * upstream changed it. To be called inside a transaction.
 * @param before what the file said when the plan was made, `after` what it says now */
export function recordConflicts(
  { ledger, effects }: SyncDeps,
  fresh: readonly number[],
  { before, after }: Record<'before' | 'after', LocalSide>,
): void {
  for (const row of ledger.conflicts.all({ task: before.id, settled: null })) {
    const said = textIn(before, row);
    const isFresh = fresh.includes(row.id);
    // The process died before the write, and by now there is nothing left to disagree on.
    if (row.sure === 0 && !isFresh && row.lostSide === 'local' && said === row.lost) {
      ledger.conflicts.drop(row.id);
      continue;
    }
    if (row.sure === 0) ledger.conflicts.update(row.id, { sure: 1 });
    else if (said !== row.stands && !isFresh) {
      ledger.conflicts.settle(row.id, 'by_hand', said, effects.now());
      continue;
    }
    if (textIn(after, row) !== row.stands) ledger.conflicts.update(row.id, { stands: textIn(after, row) });
  }
}

const textIn = (side: LocalSide, { field, entry }: ConflictRow): string =>
  textOfField(side, field as Field, entry);
