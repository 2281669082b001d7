// Conflicts as people see them: both texts, and a version that changes with either of them.
import { readFileSync } from 'node:fs';
import type { Field } from '../../core/chore/chore.ts';
import { hashText } from '../../core/task/read-task.ts';
import { type ConflictRow, conflictsIn } from '../../store/ledger/mirrors/outbox.ts';
import type { ConflictView, SyncDeps } from '../contract.ts';
import { textOfField } from '../plan/field-text.ts';
import { readLocalSide } from '../plan/local-side.ts';
import type { LocalSide } from '../plan/plan-data.ts';

type ViewDeps = Pick<SyncDeps, 'room' | 'ledger'>;

/** Those that are open, by their task, the oldest first. The text that stands is read from the file. */
export function openConflicts(deps: ViewDeps): Map<string, ConflictView[]> {
  const views = new Map<string, ConflictView[]>();
  const sides = new Map<string, LocalSide | null>();
  for (const row of conflictsIn(deps.ledger).open()) {
    let side = sides.get(row.task);
    if (side === undefined) {
      side = sideNow(deps, row.task);
      sides.set(row.task, side);
    }
    views.set(row.task, [...(views.get(row.task) ?? []), viewOf(row, side)]);
  }
  return views;
}

/** @param side what the file says now; null where it can't be read, and what it said last is shown */
export function viewOf(row: ConflictRow, side: LocalSide | null): ConflictView {
  const { id, task, field, lostSide, lost, kept, at } = row;
  const standing = side === null ? row.stands : textOfField(side, field as Field, row.entry);
  return {
    id: String(id),
    ...{ task, field: field as Field, at, lostSide, standing, lost, kept },
    version: versionOf(standing, lost),
  };
}

export function versionOf(standing: string, lost: string): string {
  return hashText(`${standing.length}:${standing}${lost}`).slice(0, 12);
}

/** The file of a task as it lies there. */
export function sideNow({ room, ledger }: ViewDeps, task: string): LocalSide | null {
  const path = ledger.tasks.get(task)?.path ?? null;
  if (path === null) return null;
  try {
    const side = readLocalSide(path, readFileSync(room.at(path), 'utf8'));
    return side?.id === task ? side : null;
  } catch (error) {
    if (['ENOENT', 'EACCES', 'EISDIR', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? ''))
      return null;
    throw error;
  }
}
