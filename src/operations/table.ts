// What a command line needs of its operations before it loads them. The build puts the rows of each command into a file of its own.
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
