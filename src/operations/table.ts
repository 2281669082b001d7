// What a command line needs of the operations that a command is made of, before it loads one: words, options and places. The build
// puts the finished rows of each command into a file of its own, so that a command reads those alone.
import { ALL } from './all.ts';
import { type OperationRow, rowOf } from './row.ts';

export const ROWS: readonly OperationRow[] = ALL.map(rowOf);

export async function rowsOf(command: string): Promise<{ rows: readonly OperationRow[] }> {
  const rows = ROWS.map((row) => ({
    ...row,
    forms: row.forms.filter((form) => form.command.split(' ')[0] === command),
  }));
  return { rows: rows.filter(({ forms }) => forms.length > 0) };
}
