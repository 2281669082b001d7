// `taskroom publish`: makes an issue of a local task.
import { RoomError } from '../../../../core/errors.ts';
import type { CommandModule } from '../../command.ts';
import { taskOf } from '../../invocation/caller.ts';
import { assertPerson, tellLinked } from '../../invocation/link-report.ts';
import { mirrorsFor } from '../../invocation/tracker.ts';
import { TASK } from '../../parse/task-argument.ts';

export const command: CommandModule = {
  about: 'Makes an issue of a local task, in the source of a chore; from then on the two mirror each other.',
  arguments: [TASK],
  options: [{ flags: '--chore <name>', about: 'the chore whose source gets the issue' }],
  examples: [
    ['taskroom publish "Fix the login"', 'open an issue for it, in the only source of the room'],
    ['taskroom publish 3npr --chore web-issues --json', 'in this source, and print the new reference'],
  ],
  notes:
    'One issue is made however often this is tried.\nWith --json: {"task","provider","ref","url","chore"}.',
  async run(call) {
    const runtime = await call.openRoom();
    assertPerson(runtime);
    const mirrors = await runtime.mirrors();
    const sources = mirrors.sources();
    const chore = call.options.text('chore') ?? (sources.length === 1 ? sources[0] : undefined);
    if (chore === undefined)
      throw new RoomError('bad_input', 'no chore was named', {
        hint:
          sources.length === 0
            ? 'write one first: docs/chores.md'
            : `give --chore, one of: ${sources.join(', ')}`,
      });
    const asks = await mirrorsFor(call, runtime, [chore]);
    tellLinked(call, await asks.publish(taskOf(call), chore), 'is now');
    return undefined;
  },
};
