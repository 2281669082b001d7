// Keeps conflicts in the ledger, beside the write that makes them: intended before the file says what stands, so that a
// crash in between loses none, and ended when somebody edits the field.
import type { Field } from '../../core/chore/chore.ts';
import { type ConflictRow, conflictsIn, type NewConflict } from '../../store/ledger/mirrors/outbox.ts';
import type { SyncDeps } from '../contract.ts';
import { textAfter, textOfField } from '../plan/field-text.ts';
import type { LocalChange, LocalSide, Loss } from '../plan/plan-data.ts';

type RecordDeps = Pick<SyncDeps, 'ledger' | 'effects'>;

/** @returns the ids of what is about to become a conflict */
export function intendConflicts(
  { ledger, effects }: RecordDeps,
  local: LocalSide,
  change: LocalChange | null,
  losses: readonly (Loss & { kept: string })[],
): number[] {
  if (losses.length === 0) return [];
  const at = effects.now();
  const rows = losses.map(({ field, side, text, words, entry = null, kept }): NewConflict => {
    const stands = textAfter(local, change, field, entry);
    return { task: local.id, field, entry, lostSide: side, lost: words ?? text, stands, kept, at };
  });
  return ledger.transaction(() => rows.map((row) => conflictsIn(ledger).intend(row)));
}

/**
 * The file was written: these are conflicts now. Earlier ones end where the field was edited here since, and follow where
 * upstream changed it. To be called inside a transaction.
 * @param before what the file said when the plan was made, `after` what it says now
 */
export function recordConflicts(
  { ledger, effects }: RecordDeps,
  fresh: readonly number[],
  { before, after }: Record<'before' | 'after', LocalSide>,
): void {
  for (const row of conflictsIn(ledger).ofTask(before.id)) {
    const said = textIn(before, row);
    const isFresh = fresh.includes(row.id);
    // The process died before the write, and by now there is nothing left to disagree on.
    if (row.sure === 0 && !isFresh && row.lostSide === 'local' && said === row.lost) {
      conflictsIn(ledger).drop(row.id);
      continue;
    }
    if (row.sure === 0) conflictsIn(ledger).confirm(row.id);
    else if (said !== row.stands && !isFresh) {
      conflictsIn(ledger).settle(row.id, 'by_hand', said, effects.now());
      continue;
    }
    if (textIn(after, row) !== row.stands) conflictsIn(ledger).stands(row.id, textIn(after, row));
  }
}

function textIn(side: LocalSide, { field, entry }: ConflictRow): string {
  return textOfField(side, field as Field, entry);
}
