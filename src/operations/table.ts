// What a command line needs of the operations that a command is made of, before it loads one: words, options and places. The build
// puts the finished rows of each command into a file of its own, so that a command reads those alone.
import { ALL, SUBJECTS } from './all.ts';
import type { Subject } from './operation.ts';
import { type OperationRow, rowOf } from './row.ts';

export interface CommandRows {
  rows: readonly OperationRow[];
  /** Of a command whose actions are operations. */
  subject: Subject | null;
}

export const ROWS: readonly OperationRow[] = ALL.map(rowOf);

const isOf = (command: string) => (form: { command: string }) => form.command.split(' ')[0] === command;

export async function rowsOf(command: string): Promise<CommandRows> {
  const rows = ROWS.flatMap((row) => {
    const forms = row.forms.filter(isOf(command));
    return forms.length === 0 ? [] : [{ ...row, forms }];
  });
  return { rows, subject: SUBJECTS.find((each) => each.command === command) ?? null };
}
