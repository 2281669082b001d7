// `taskroom kill`: stops a turn or a job.

import { RoomError } from '../../../../core/errors.ts';
import { isOver } from '../../../../core/rules/turn.ts';
import { turnJson } from '../../../../tasks/read/turn-views.ts';
import type { CommandModule } from '../../command.ts';
import { cleanLine } from '../../lines/display-text.ts';

export const command: CommandModule = {
  about:
    'Stops a turn or a job and everything it started: first asked to end, after 5 seconds made to; a turn that is asked for never begins. What it was asked for counts as answered: the next turn takes an edit, a comment, run, or another event that asks for one. Agents may not.',
  arguments: [
    {
      name: 'turn',
      about: 'id of the turn or job, a unique prefix of it, or its task',
      optional: true,
    },
  ],
  options: [],
  examples: [
    ['taskroom kill "Fix the build"', 'the running turn of a task'],
    ['taskroom kill b4k2m9x1q', 'a turn by its id'],
  ],
  async run({ words, json, terminal, paint, openRoom }) {
    const ref = words[0] ?? terminal.env.TASKROOM_TURN;
    if (!ref)
      throw new RoomError('bad_input', 'no turn was given', {
        hint: 'give its id or its task; see: taskroom turns --running',
      });
    const runtime = await openRoom();
    const turn = await runtime.tasks.kill(ref, runtime.caller);
    if (json) terminal.write(`${JSON.stringify(turnJson(turn))}\n`);
    else
      terminal.write(
        `${paint('yellow', '■')} ${cleanLine(turn.description)} ${paint('dim', turn.id)} is ${isOver(turn.state) ? 'stopped' : 'being stopped'}\n`,
      );
  },
};
