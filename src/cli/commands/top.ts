// `taskroom top`: the room live on the terminal.
import { RoomError } from '../../core/errors.ts';
import type { CommandModule } from '../command.ts';

export const command: CommandModule = {
  about:
    'Shows the room live: what runs and what it says, what needs you, what ended silently, and keys for all of it. Beside a daemon it hears of everything from that; without one it watches the files. With --url it shows a room on another machine.',
  arguments: [],
  options: [
    ['--scope <name>', 'only tasks of this scope; cleared once all of them are done'],
    ['--filter <words>', 'only what fits: @agent, #label, status:todo, sprint:12, words'],
  ],
  examples: {
    'taskroom top': 'the room this folder is in',
    'taskroom top --scope session-1': 'the tasks of one session',
    'taskroom top --filter "@claude status:doing"': 'what one agent is at',
  },
  notes:
    'Press ? for the keys. It needs a terminal; elsewhere: taskroom list, taskroom status. See docs/top.md.',
  async run(call) {
    const { options, json, terminal, effects, showTop } = call;
    const elsewhere = 'see: taskroom list, taskroom status';
    if (json) throw new RoomError('bad_input', 'a live screen has no JSON', `${elsewhere}, with --json`);
    if (!terminal.outIsTerminal || !process.stdin.isTTY)
      throw new RoomError('refused', 'top draws on a terminal, and this is none', elsewhere);
    if (terminal.env.TERM === 'dumb')
      throw new RoomError('refused', 'this terminal (TERM=dumb) can not move its cursor', elsewhere);
    const withColors = !options.flag('no-color');
    return showTop({
      scope: options.text('scope'),
      filter: options.text('filter') ?? '',
      withColors,
      effects,
      editTask: async (ref) =>
        (await import('./edit.ts')).editTask(call, await call.openRoom({ readOnly: true }), ref),
    });
  },
};
