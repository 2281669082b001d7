// `taskroom worker`: takes turns of a room on another machine, until it is stopped.
import { join } from 'node:path';
import { RoomError } from '../../core/errors.ts';
import type { Call, CommandModule } from '../command.ts';
import { cleanLine } from '../lines/display-text.ts';
import { clockTime } from '../lines/time-text.ts';
import { readVersion } from '../version.ts';

const DEFAULT_SLOTS = 4;

export const command: CommandModule = {
  about:
    'Takes turns of a room on another machine from its queue on PostgreSQL, runs them here, and reports them there. For a room whose room.yaml names a queue.',
  arguments: [
    { name: 'list', about: 'list the workers of the room, in the place of being one', optional: true },
  ],
  options: [
    ['--slots <number>', `turns at once (default ${DEFAULT_SLOTS})`],
    ['--agents <names>', 'only turns of these agents, with commas (default: all it can run)'],
    ['--name <name>', "its name in the room's lists (default: the machine's)"],
    ['--dir <folder>', 'its own folder (default: ~/.cache/taskroom/workers/<name>)'],
    ['--queue <variable>', 'variable that holds the address of PostgreSQL here'],
    ['--without-tls', 'reach the room over a network without TLS'],
    ['--clean', 'only end what a worker that died left running in --dir'],
    ['--still', 'with --clean: only the programs, of a worker that stands still'],
  ],
  examples: {
    'taskroom worker --url https://build.example --agents coder': 'with TASKROOM_TOKEN set to its token',
    'taskroom worker --url https://build.example --slots 8 --name build-2': 'eight turns at once',
    'taskroom worker list': 'who lives, and what each runs; with --json: {"workers":[…],"places","unserved"}',
  },
  notes: `Its token is made beside the room: taskroom token new build-2 --worker --agent coder
The first Ctrl-C takes nothing new and waits for what runs; the second gives the turns back, for others to run.
The agents' keys are this machine's own: set them here. docs/scaling.md has the whole.`,
  async run(call) {
    const { options, effects } = call;
    const dir = folderOf(call);
    if (options.flag('clean')) {
      const { endLeftTurns, endStillTurns } = await import('../../app/workers/worker/worker-folder.ts');
      await (options.flag('still') ? endStillTurns : endLeftTurns)(dir, effects);
      return 0;
    }
    const where = readWhere(call);
    const { startWorker } = await import('../../app/workers/worker/worker.ts');
    const worker = await startWorker({
      ...where,
      ...{ dir, effects, version: readVersion() },
      withoutTls: options.flag('without-tls'),
      name: options.text('name'),
      slots: options.whole('slots', 1) ?? DEFAULT_SLOTS,
      agents: options.text('agents')?.split(',') ?? null,
      queue: options.text('queue'),
      clean: [process.execPath, process.argv[1]!, 'worker', '--clean', '--dir', dir],
      say: (line) => tell(call, line),
    });
    let signals = 0;
    // A signal at the very end must not change the exit code.
    call.terminal.onSignal((signal) => {
      if (signal === 'SIGPIPE') return;
      signals += 1;
      if (signals === 1) worker.drain();
      else worker.handBack();
    });
    await worker.finished;
    return 0;
  },
};

function tell({ terminal, paint, effects, json }: Call, line: string): void {
  const at = effects.now();
  if (json) terminal.write(`${JSON.stringify({ at: new Date(at).toISOString(), message: line })}\n`);
  else terminal.write(`${paint('dim', clockTime(at))}  ${cleanLine(line)}\n`);
}

function readWhere({ options, effects }: Call): { url: string; token: string } {
  const url = options.text('url') ?? effects.env.TASKROOM_URL ?? '';
  const token = options.text('token') ?? effects.env.TASKROOM_TOKEN ?? '';
  if (url !== '' && token !== '') return { url, token };
  throw new RoomError('bad_input', 'a worker needs the address of its room, and a token', {
    hint: 'beside the room: taskroom token new <name> --worker; here: TASKROOM_TOKEN=… taskroom worker --url …',
  });
}

function folderOf({ options, effects }: Call): string {
  const given = options.text('dir');
  if (given !== null) return given;
  const { XDG_CACHE_HOME, HOME = '/tmp' } = effects.env;
  const cache = XDG_CACHE_HOME || join(HOME, '.cache');
  return join(cache, 'taskroom', 'workers', options.text('name') ?? 'worker');
}
