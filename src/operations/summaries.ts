// All that a command line, and a turn's own, needs of the operations it is not asked for. The build puts the finished lines in the place of this file.
import { ROWS, SUBJECT_ROWS } from './table.ts';

/** What each command that is made of operations does, in one line. */
export const SUMMARIES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    Object.values(ROWS).flatMap(({ forms, summary }) => forms.map(({ command }) => [command, summary])),
  ),
  ...Object.fromEntries(Object.values(SUBJECT_ROWS).map(({ command, summary }) => [command, summary])),
};

/** Operations that are carried out now or not at all. */
export const AT_ONCE: readonly string[] = Object.values(ROWS)
  .filter(({ atOnce }) => atOnce)
  .map(({ name }) => name);
