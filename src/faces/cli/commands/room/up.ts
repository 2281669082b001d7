// `taskroom up`: runs the room in the foreground.
import type { CommandModule } from '../../command.ts';
import { refuseInsideTurn } from '../../invocation/caller.ts';
import { runUp, withSoundLedger } from '../../invocation/run-room.ts';

export const command: CommandModule = {
  showsEvents: true,
  about:
    'Runs the room in the foreground: watches its files, gives each due task a turn, and tells what happens.',
  arguments: [],
  options: [
    { flags: '--exit-when-idle', about: 'end when no turn is asked for, running or waiting for a retry' },
  ],
  examples: [
    ['taskroom up', 'run the room this folder is in'],
    ['taskroom up --room ~/room --exit-when-idle', 'do all that is to be done, retries included, then end'],
    ['taskroom up --json >> events.jsonl', 'one JSON event a line'],
  ],
  notes: `The first Ctrl-C, SIGTERM or a closed terminal stops: no new turns, running ones get 30 seconds. A second Ctrl-C
stops at once; interrupted turns are tried again at the next start.
With --json: {"at","type",…} a line, types as room.ready, task.stepped, turn.ended.`,
  async run({ options, json, terminal, paint, effects, openRoom, serve }) {
    const exitWhenIdle = options.flag('exit-when-idle');
    return withSoundLedger(openRoom, async (runtime) => {
      refuseInsideTurn(runtime, 'start');
      return runUp({ runtime, terminal, effects, paint, json, exitWhenIdle, ...(serve ? { serve } : {}) });
    });
  },
};
