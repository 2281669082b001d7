// What a command line, and a turn's own, needs of the operations it is not asked for. The build puts finished
// values in the place of this file.
import type { CommandForm } from './operation.ts';
import { ROWS, SUBJECT_ROWS } from './table.ts';

/** What each command that is made of operations does, in one line. */
export const SUMMARIES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    Object.values(ROWS).flatMap(({ forms, summary }) =>
      forms.filter(({ flag }) => flag === undefined).map(({ command }) => [command, summary]),
    ),
  ),
  ...Object.fromEntries(Object.values(SUBJECT_ROWS).map(({ command, summary }) => [command, summary])),
};

/** Where in the help each of them stands. */
export const GROUPS: Readonly<Record<string, CommandForm['group']>> = Object.fromEntries(
  Object.values(ROWS).flatMap(({ forms }) =>
    forms.map(({ command, group }) => [command.split(' ')[0]!, group ?? 'Tasks']),
  ),
);

/** Operations that are carried out now or not at all. */
export const AT_ONCE: readonly string[] = Object.values(ROWS)
  .filter(({ atOnce }) => atOnce)
  .map(({ name }) => name);
