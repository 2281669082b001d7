// `taskroom set`: reads its words, tasks and then `key=value`.
import { RoomError } from '../../core/errors.ts';
import type { Beside, Call } from '../command.ts';

export const beside: Beside = {
  arguments: [
    {
      name: 'task',
      about:
        'one task or several, each by id, unique prefix of an id, or file name; inside a turn it may be left out',
      optional: true,
    },
    { name: 'key=value', about: 'one or more changes', many: true, optional: true },
  ],
  inputs(call) {
    const { tasks, keys } = readChanges(call);
    return tasks.map((ref) => ({ ref, keys, force: call.options.flag('force') }));
  },
};

const CHANGE = /^[\p{L}_][^=\s]*\s*=/u;

/** Words up to the first `key=value` are tasks; the first word is one whatever it looks like, but not inside a turn. */
function readChanges({ words, terminal }: Call): { tasks: string[]; keys: Record<string, string> } {
  const own = terminal.env.TASKROOM_TASK;
  if (own && words[0]?.includes('=')) return { tasks: [own], keys: changesOf(words) };
  const first = words.findIndex((word, at) => at >= 1 && CHANGE.test(word));
  const named = first < 0 ? words.length : first;
  if (named === 0) throw new RoomError('bad_input', 'no task was given', 'taskroom set <task> key=value');
  if (named === words.length) {
    const odd = words.length > 1 ? `${JSON.stringify(words.at(-1))} is no change` : 'nothing to set';
    throw new RoomError('bad_input', odd, 'expected key=value: taskroom set <task> key=value');
  }
  return { tasks: words.slice(0, named), keys: changesOf(words.slice(named)) };
}

function changesOf(pairs: readonly string[]): Record<string, string> {
  const changes: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const pair of pairs) {
    const at = pair.indexOf('=');
    if (at < 1)
      throw new RoomError('bad_input', `${JSON.stringify(pair)} is no change`, 'expected key=value');
    const key = pair.slice(0, at).trim();
    if (key in changes) throw new RoomError('bad_input', `${key} is set twice`, 'give each key once');
    changes[key] = pair.slice(at + 1).trim();
  }
  return changes;
}
