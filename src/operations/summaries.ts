// What a command line needs of the operations that it does not run. The build replaces this file by finished values.
import { factsOf, INPUT_KEYS } from '../core/task/task-keys.ts';
import { ROWS } from './table.ts';

const FORMS = ROWS.flatMap(({ forms, summary }) =>
  forms
    .filter(({ flag, hidden }) => flag === undefined && !hidden)
    .map(({ command, about }) => ({ command: command.split(' ')[0]!, about, summary })),
);

export const SUMMARIES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(FORMS.toReversed().map(({ command, summary }) => [command, summary])),
  ...Object.fromEntries(FORMS.flatMap(({ command, about }) => (about ? [[command, about[0]]] : []))),
};

/** The words that a command without a place in the lists stands for, by its name. */
export const UNLISTED: Readonly<Record<string, string>> = Object.fromEntries(
  ROWS.flatMap(({ forms }) =>
    forms.flatMap(({ command, flag, hidden, aliases = [] }) => [
      ...(hidden ? [[command, command]] : []),
      ...aliases.map((alias) => [alias, flag === undefined ? command : `${command} --${flag[0]}`]),
    ]),
  ),
);

/** Operations that are refused while nothing runs the room. */
export const AT_ONCE: readonly string[] = ROWS.filter(({ atOnce }) => atOnce).map(({ name }) => name);

/** The front matter keys that a person gives with a task, and how each is typed. */
export const TASK_FIELDS = INPUT_KEYS.map((key) => ({
  key,
  kind: factsOf(key).kind,
  about: factsOf(key).input!,
}));
