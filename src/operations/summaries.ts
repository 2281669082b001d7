// What a command line, and a turn's own, needs of the operations it is not asked for. The build puts finished
// values in the place of this file.
import { SUBJECTS } from './all.ts';
import type { CommandForm } from './operation.ts';
import { ROWS } from './table.ts';

/** What each command that is made of operations does, in one line. */
export const SUMMARIES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ROWS.flatMap(({ forms, summary }) =>
      forms
        .filter(({ flag }) => flag === undefined)
        .map(({ command, about }) => [command, about?.[0] ?? summary]),
    ),
  ),
  ...Object.fromEntries(SUBJECTS.map(({ command, summary }) => [command, summary])),
};

/** Where in the help each of them stands. */
export const GROUPS: Readonly<Record<string, CommandForm['group']>> = Object.fromEntries(
  ROWS.flatMap(({ forms }) => forms.map(({ command, group }) => [command.split(' ')[0]!, group ?? 'Tasks'])),
);

/** Operations that are carried out now or not at all. */
export const AT_ONCE: readonly string[] = ROWS.filter(({ atOnce }) => atOnce).map(({ name }) => name);
