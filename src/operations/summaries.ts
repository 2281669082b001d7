// What a command line, and a turn's own, needs of the operations it is not asked for. The build puts finished
// values in the place of this file.
import { ROWS } from './table.ts';

const FORMS = ROWS.flatMap(({ forms, summary }) =>
  forms
    .filter(({ flag }) => flag === undefined)
    .map(({ command, about }) => ({ command: command.split(' ')[0]!, about, summary })),
);

/** What each command that is made of operations does, in one line. */
export const SUMMARIES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(FORMS.toReversed().map(({ command, summary }) => [command, summary])),
  ...Object.fromEntries(FORMS.flatMap(({ command, about }) => (about ? [[command, about[0]]] : []))),
};

/** Operations that are carried out now or not at all. */
export const AT_ONCE: readonly string[] = ROWS.filter(({ atOnce }) => atOnce).map(({ name }) => name);
