// The program: finds the command that a command line names, loads only its code, runs it, closes what it opened, and reports failures.
import type { RoomClient, RuntimeOptions } from '../app/open-room.ts';
import { BUILT_IN_SECRETS } from '../core/config/names.ts';
import { suggest } from '../core/document/suggest.ts';
import { countedFromOne, RoomError } from '../core/errors.ts';
import { createRedactor } from '../core/redact.ts';
import { createNodeEffects } from '../node.ts';
import type { Call, CommandModule, Options, Parsed, Rooms } from './command.ts';
import { createOptions } from './command.ts';
import { COMMANDS, commandOf } from './command-table.ts';
import { exitCodeOf, OK } from './exit-codes.ts';
import { jsonPrinter, printableJson } from './lines/display-text.ts';
import { choosePaint } from './paint.ts';
import { parseCommand } from './parse-command.ts';
import { createProcessTerminal, type Terminal } from './terminal.ts';

/** Runs the program on this process's terminal; returns the exit code.
 * @param argv without node and script
 * @param turnEnv variables of the turn that this program belongs to; they override the environment */
export function main(argv: string[], rooms: Rooms, turnEnv: Terminal['env'] = {}): Promise<number> {
  const terminal = createProcessTerminal();
  return runCli(argv, { ...terminal, env: { ...terminal.env, ...turnEnv } }, rooms);
}

/** Runs the program on any terminal. Never rejects. */
export async function runCli(argv: readonly string[], terminal: Terminal, rooms: Rooms): Promise<number> {
  try {
    return await route(argv, terminal, rooms);
  } catch (error) {
    const { reportError } = await import('./lines/error-report.ts');
    const { env, errorIsTerminal } = terminal;
    const paint = choosePaint(!argv.includes('--no-color'), env, errorIsTerminal);
    const json = argv.includes('--json');
    const { text, exitCode } = reportError(countedFromOne(error), json, paint);
    const shown = createRedactor(
      Object.values(BUILT_IN_SECRETS)
        .flat()
        .map((name) => env[name]),
    )(text);
    terminal.writeError(json ? printableJson(shown) : shown);
    return exitCode;
  }
}

async function route(argv: readonly string[], terminal: Terminal, rooms: Rooms): Promise<number> {
  const { name, rest } = splitCommand(argv);
  if (name === null) return withoutCommand(rest, terminal);
  if (name === 'help') {
    const asked = rest.filter((token) => token !== '--all');
    if (asked[0] !== undefined) return route([...asked, '--help'], terminal, rooms);
    return withoutCommand(['--help', ...rest], terminal);
  }
  const { entry, rest: words } = findCommand(name, rest);
  const { command } = await entry.load();
  const parsed = parseCommand(entry.name, command, words);
  if ('help' in parsed) {
    terminal.write(parsed.help);
    return OK;
  }
  if (command.hereOnly !== undefined && parsed.values.has('url')) throw stays(command.hereOnly);
  const { call, close } = createCall(command, parsed, terminal, rooms);
  try {
    return (await command.run(call)) ?? OK;
  } finally {
    await close();
  }
}

/** The first word that is no option is the command; options of every command may stand before it. */
function splitCommand(argv: readonly string[]): { name: string | null; rest: string[] } {
  for (let at = 0; at < argv.length; at += 1) {
    const token = argv[at]!;
    if (token === '--') break;
    if (['--room', '--url', '--token'].includes(token)) at += 1;
    else if (!token.startsWith('-')) return { name: token, rest: argv.toSpliced(at, 1) };
  }
  return { name: null, rest: [...argv] };
}

function findCommand(name: string, rest: readonly string[]) {
  const found = commandOf(name, rest);
  if (found !== null) return found;
  const near = suggest(
    name,
    COMMANDS.map((each) => each.name),
  );
  const hint = near ? `did you mean ${near}?` : 'see: taskroom --help';
  throw new RoomError('bad_input', `there is no command ${JSON.stringify(name)}`, { hint });
}

async function withoutCommand(rest: readonly string[], terminal: Terminal): Promise<number> {
  if (rest.includes('-V') || rest.includes('--version')) {
    const { readVersion } = await import('./version.ts');
    terminal.write(`${readVersion()}\n`);
    return OK;
  }
  const wantsHelp = rest.includes('-h') || rest.includes('--help');
  if (wantsHelp || rest.length === 0) {
    const { mainHelp } = await import('./main-help.ts');
    terminal[wantsHelp ? 'write' : 'writeError'](mainHelp(rest.includes('--all')));
    return wantsHelp ? OK : exitCodeOf('bad_input');
  }
  const odd = rest.find((token) => !['--json', '--no-color', '--'].includes(token));
  const message =
    odd === undefined || odd === '--room' ? 'no command was given' : `unknown option ${odd} before a command`;
  throw new RoomError('bad_input', message, { hint: 'see: taskroom --help' });
}

/** Prints trouble of the room that is not the answer of the command. */
function tellTrouble({ here }: RoomClient, terminal: Terminal): void {
  here?.events.subscribe((event) => {
    if (event.type !== 'room.trouble') return;
    terminal.writeError(`taskroom: ${event.message}${event.hint === null ? '' : `; ${event.hint}`}\n`);
  });
}

/** The daemon on another machine; `--room` has precedence over TASKROOM_URL. */
function readRemote(options: Options, env: Terminal['env']): { url: string; token: string } | null {
  const named = options.text('url');
  const url = named ?? (options.text('room') === null ? (env.TASKROOM_URL ?? null) : null);
  if (url === null || url === '') return null;
  const token = options.text('token') ?? env.TASKROOM_TOKEN ?? '';
  if (token !== '') return { url, token };
  const hint = 'set TASKROOM_TOKEN to one of its room: .taskroom/token there, or taskroom token new';
  throw new RoomError('bad_input', 'a daemon elsewhere asks for a token', hint);
}

const stays = (why: string) =>
  new RoomError('refused', `this works on the machine of its room alone: ${why}`, {
    hint: 'run it there; for a room here give --room, or leave --url and TASKROOM_URL out',
  });

function createCall(command: CommandModule, parsed: Parsed, terminal: Terminal, rooms: Rooms) {
  const options = createOptions(parsed.values);
  const effects = createNodeEffects(terminal.env);
  const opened: RoomClient[] = [];
  const remote = readRemote(options, terminal.env);
  const findRoom = async () => {
    if (remote !== null) throw stays(command.hereOnly ?? 'it needs the files');
    return rooms.find(options.text('room'), terminal.env, terminal.cwd);
  };
  const open = async (runtimeOptions?: RuntimeOptions) =>
    remote === null
      ? rooms.open(await findRoom(), effects, runtimeOptions)
      : rooms.openRemote(remote, effects);
  const openRoom = async (runtimeOptions?: RuntimeOptions) => {
    const room = await open(runtimeOptions);
    opened.push(room);
    if (command.showsEvents !== true) tellTrouble(room, terminal);
    return room;
  };
  const json = options.flag('json');
  const call: Call = {
    words: parsed.words,
    ...{ options, json, effects, commands: COMMANDS },
    ...{ findRoom, openRoom, remote, prepareApi: rooms.prepareApi },
    ...(rooms.serve && { serve: rooms.serve }),
    terminal: json ? { ...terminal, write: jsonPrinter(terminal.write) } : terminal,
    paint: choosePaint(!options.flag('no-color'), terminal.env, terminal.outIsTerminal),
    async openHere(runtimeOptions) {
      await findRoom();
      const { here } = await openRoom(runtimeOptions);
      if (here !== null) return here;
      throw new RoomError('not_allowed', 'this works outside a turn only', { hint: 'ask the person to' });
    },
    async openDaemon() {
      if (remote !== null || rooms.openDaemon === undefined) return null;
      const runtime = await rooms.openDaemon(await findRoom(), effects);
      opened.push(runtime);
      return runtime;
    },
    serveMcp: (request) =>
      rooms.serveMcp(request, async (readOnly) => {
        const runtime = await open({ readOnly });
        tellTrouble(runtime, terminal);
        return runtime;
      }),
    showTop: (request) => rooms.showTop({ ...request, remote, openRoom: open }),
  };
  const close = async () => {
    for (const runtime of opened.reverse()) await runtime.close();
  };
  return { call, close };
}
