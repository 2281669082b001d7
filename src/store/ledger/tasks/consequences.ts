// Consequences that were decided and are not yet applied: recorded with what caused them, so that a crash loses none.
import type { TaskId } from '../../../core/ids.ts';
import type { Consequence } from '../../../core/rules/consequences.ts';
import type { Database } from '../database.ts';
import { integer, json, type RowOf, sequence, table, text } from '../table.ts';

export const CONSEQUENCES = table('consequences', {
  seq: sequence(),
  at: integer(),
  task: text<TaskId>(),
  consequence: json<Consequence>(),
  /** What the consequence needs besides, as JSON text. */
  payload: text(),
});

export type PendingConsequence = RowOf<typeof CONSEQUENCES>;

export function createConsequencesTable(db: Database) {
  const consequences = CONSEQUENCES.in(db);
  return {
    add: (task: TaskId, consequence: Consequence, payload: string, at: number): void =>
      void consequences.insert({ at, task, consequence, payload }),
    /** Oldest first. */
    list: () => consequences.all('ORDER BY seq'),
    has: (seq: number) => consequences.get(seq) !== null,
    drop: (seq: number): void => void consequences.delete(seq),
  };
}
