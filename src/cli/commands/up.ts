// `taskroom up`: runs the room in the foreground.
import { setFlagsFromString } from 'node:v8';
import type { CommandModule } from '../command.ts';
import { readApiOptions, runUp, withSoundLedger } from '../invocation/run-room.ts';

/** Else V8 keeps a hundred megabytes more once a board asked for ten thousand tasks. It must be set at the start. */
const SMALL_HEAP = ['--semi-space-growth-factor=1', '--heap-growing-percent=10'];
/** V8's defaults: else a host of many turns spends a third of its time on garbage collection. */
const USUAL_HEAP = ['--semi-space-growth-factor=2', '--heap-growing-percent=0'];

export const command: CommandModule = {
  showsEvents: true,
  hereOnly: 'it is the daemon that answers',
  about:
    'Runs the room in the foreground: watches its files, gives each due task a turn, and tells what happens.',
  arguments: [],
  options: [
    ['--exit-when-idle', 'end when no turn is asked for, running or waiting for a retry'],
    ['--port <number>', 'port of the API (default 7420, or any other when that is taken)'],
    ['--host <address>', 'address of the API (default 127.0.0.1)'],
    ['--no-http', 'the API on its unix socket alone'],
    ['--tls-cert <file>', 'certificate of the API, PEM'],
    ['--tls-key <file>', 'its key, PEM'],
    ['--without-tls', 'let other machines reach the API without TLS'],
    ['--name <name>', 'a further name of the API, or the address of a proxy with TLS', 'many'],
  ],
  examples: {
    'taskroom up': 'run the room this folder is in',
    'taskroom up --room ~/room --exit-when-idle': 'do all that is to be done, retries included, then end',
    'taskroom up --json >> events.jsonl': 'one JSON event a line',
  },
  notes: `The first Ctrl-C, SIGTERM or a closed terminal stops: no new turns, running ones get 30 seconds. A second Ctrl-C
stops at once; interrupted turns are tried again at the next start.
With --json: {"at","type",…} a line, types as room.ready, task.stepped, turn.ended.
The API (docs/http.md) asks for the token in .taskroom/token, which is made at the first start.`,
  async run({ options, json, terminal, paint, effects, openHere, prepareApi, serve }) {
    const exitWhenIdle = options.flag('exit-when-idle');
    for (const flag of SMALL_HEAP) setFlagsFromString(flag);
    return withSoundLedger(openHere, async (runtime) => {
      if (runtime.config().queue.postgres !== null) for (const flag of USUAL_HEAP) setFlagsFromString(flag);
      const api = await prepareApi(readApiOptions(options, effects.now()));
      const listeners = serve ? { api, serve } : { api };
      try {
        return await runUp({ runtime, terminal, effects, paint, json, exitWhenIdle, ...listeners });
      } finally {
        await api.close();
      }
    });
  },
};
