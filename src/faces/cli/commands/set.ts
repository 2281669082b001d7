// `taskroom set`: sets keys of a task's front matter.
import { RoomError } from '../../../core/errors.ts';
import type { Call, CommandModule } from '../command.ts';
import { actorOf } from '../invocation/caller.ts';
import { tellChange } from '../invocation/change-report.ts';
import { TASK } from '../parse/task-argument.ts';

export const command: CommandModule = {
  about: 'Sets keys of the front matter; an empty value removes the key. Nothing else in the file changes.',
  arguments: [TASK, { name: 'key=value', about: 'one or more changes', many: true, optional: true }],
  options: [{ flags: '--force', about: 'also set an unknown key that looks like a known one mistyped' }],
  examples: [
    ['taskroom set "Fix the build" owner=claude priority=high', 'two keys in one write'],
    ['taskroom set 3npr blocked_by="Write the parser, k2xm9q4c"', 'a list is separated by commas'],
    ['taskroom set 3npr sprint=', 'remove a key'],
  ],
  async run(call) {
    const { task, changes } = readChanges(call);
    const runtime = await call.openRoom();
    const changed = await runtime.tasks.set(task, changes, await actorOf(runtime, call.terminal), {
      force: call.options.flag('force'),
    });
    tellChange(call, changed, `now has ${Object.keys(changes).join(', ')}`);
  },
};

function readChanges({ words, terminal }: Call): { task: string; changes: Record<string, string> } {
  const own = terminal.env.TASKROOM_TASK;
  const usesOwn = own !== undefined && own !== '' && words[0]?.includes('=') === true;
  const task = usesOwn ? own : words[0];
  const pairs = words.slice(usesOwn ? 0 : 1);
  if (task === undefined)
    throw new RoomError('bad_input', 'no task was given', { hint: 'taskroom set <task> key=value' });
  if (pairs.length === 0)
    throw new RoomError('bad_input', 'nothing to set', { hint: 'taskroom set <task> key=value' });
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
  return { task, changes };
}
