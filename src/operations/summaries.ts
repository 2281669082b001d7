// What each command that is made of operations does, in one line: all that a command line needs of those it is not asked for. The
// build puts the finished lines in the place of this file.
import { ROWS, SUBJECT_ROWS } from './table.ts';

/** By command. */
export const SUMMARIES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    Object.values(ROWS).flatMap(({ forms, summary }) => forms.map(({ command }) => [command, summary])),
  ),
  ...Object.fromEntries(Object.values(SUBJECT_ROWS).map(({ command, summary }) => [command, summary])),
};
