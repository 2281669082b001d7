// `taskroom set`: sets keys of a task's front matter.
import { RoomError } from '../../../../core/errors.ts';
import type { Changed } from '../../../../tasks/shapes/change.ts';
import type { Call, CommandModule } from '../../command.ts';
import { changeTasks } from '../../invocation/change-report.ts';
import { TASK } from '../../parse/task-argument.ts';

export const command: CommandModule = {
  about:
    'Sets keys of the front matter; an empty value removes the key, labels+=x and labels-=x add and remove one. Nothing else in the file changes.',
  arguments: [
    {
      ...TASK,
      name: 'task',
      about:
        'one task or several, each by id, unique prefix of an id, or file name; inside a turn it may be left out',
    },
    { name: 'key=value', about: 'one or more changes', many: true, optional: true },
  ],
  options: [{ flags: '--force', about: 'also set an unknown key that looks like a known one mistyped' }],
  examples: [
    ['taskroom set "Fix the build" owner=claude priority=high', 'two keys in one write'],
    ['taskroom set 3npr k2xm labels+=web labels-=later', 'labels of two tasks'],
    ['taskroom set 3npr blocked_by="Write the parser, k2xm9q4c" sprint=', 'a list has commas; remove a key'],
  ],
  async run(call) {
    const { tasks, changes } = readChanges(call);
    const keys = Object.keys(changes).map((key) => key.replace(/[+-]$/, ''));
    const said = ({ attic }: Changed) =>
      attic === undefined
        ? `now has ${[...new Set(keys)].join(', ')}`
        : `is deleted: its file lies in ${attic}`;
    const force = call.options.flag('force');
    await changeTasks(call, tasks, said, (operations, ref, actor) =>
      operations.call('set', { ref, keys: changes, force }, actor, true),
    );
  },
};

const CHANGE = /^[\p{L}_][^=\s]*\s*=/u;

/** Words up to the first `key=value` are tasks; the first word is one whatever it looks like, but not inside a turn. */
function readChanges({ words, terminal }: Call): { tasks: string[]; changes: Record<string, string> } {
  const own = terminal.env.TASKROOM_TASK;
  const usesOwn = own !== undefined && own !== '' && words[0]?.includes('=') === true;
  const from = usesOwn ? 0 : 1;
  const first = words.findIndex((word, at) => at >= from && CHANGE.test(word));
  const named = first < 0 ? words.length : first;
  const tasks = usesOwn ? [own] : words.slice(0, named);
  if (tasks.length === 0)
    throw new RoomError('bad_input', 'no task was given', { hint: 'taskroom set <task> key=value' });
  if (named === words.length) {
    const odd = words.length > 1 ? `${JSON.stringify(words.at(-1))} is no change` : 'nothing to set';
    throw new RoomError('bad_input', odd, { hint: 'expected key=value: taskroom set <task> key=value' });
  }
  return { tasks, changes: changesOf(words.slice(usesOwn ? 0 : named)) };
}

function changesOf(pairs: readonly string[]): Record<string, string> {
  const changes: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const pair of pairs) {
    const at = pair.indexOf('=');
    if (at < 1)
      throw new RoomError('bad_input', `${JSON.stringify(pair)} is no change`, {
        hint: 'expected key=value',
      });
    const key = pair.slice(0, at).trim();
    if (key in changes)
      throw new RoomError('bad_input', `${key} is set twice`, { hint: 'give each key once' });
    changes[key] = pair.slice(at + 1).trim();
  }
  return changes;
}
