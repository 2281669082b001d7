// The program: from the words of a command line to an exit code. Finds the command, loads only its code, parses,
// runs it, closes what it opened, and reports what went wrong.

import type { OpenRoom, RoomClient, RuntimeOptions } from '../app/open-room.ts';
import { BUILT_IN_SECRETS } from '../core/config/built-in-providers.ts';
import { suggest } from '../core/document/suggest.ts';
import { RoomError } from '../core/errors.ts';
import { countedFromOne } from '../core/no-such-index.ts';
import { createRedactor } from '../core/redact.ts';
import type { Effects } from '../effects.ts';
import { createNodeEffects } from '../node.ts';
import type { ApiOptions, PreparedApi, TopRequest } from '../server/shapes/faces.ts';
import {
  type Call,
  type CommandEntry,
  type CommandModule,
  createOptions,
  type McpRequest,
  type Options,
  type Parsed,
  type Serve,
} from './command.ts';
import { COMMANDS } from './command-table.ts';
import { exitCodeOf, OK } from './exit-codes.ts';
import { printableJson } from './lines/display-text.ts';
import { choosePaint } from './paint.ts';
import { HelpAsked, parseCommand } from './parse-command.ts';
import { createProcessTerminal, type Terminal } from './terminal.ts';

/** How commands come to their room: as the person's program, or over the bridge of a turn. */
export interface Rooms {
  /** The room's folder: `option` (--room), else what the environment and the folder say. @throws RoomError `no_room` */
  find(option: string | null, env: Terminal['env'], cwd: string): Promise<string>;
  open(dir: string, effects: Effects, options?: RuntimeOptions): Promise<RoomClient>;
  /** The room of a daemon on another machine. @throws RoomError as it can't be reached */
  openElsewhere(where: { url: string; token: string }, effects: Effects): Promise<RoomClient>;
  /** The room over the daemon that runs it here. @throws RoomError `unavailable` */
  openDaemon?(dir: string, effects: Effects): Promise<RoomClient>;
  /** Takes the address of the API. @throws RoomError as its options say */
  prepareApi(options: ApiOptions): Promise<PreparedApi>;
  /** @param openRoom opens the room for one call */
  serveMcp(request: McpRequest, openRoom: (readOnly: boolean) => Promise<RoomClient>): Promise<void>;
  /** Resolves with the exit code. */
  showTop(request: TopRequest): Promise<number>;
  /** What else is there while a room runs in the foreground: its listeners. */
  serve?: Serve;
}

/**
 * Runs the program on this process's terminal.
 * @param argv without node and script
 * @param turnEnv variables of the turn that this program belongs to; they count whatever the environment says
 * @returns the exit code (exit-codes.ts)
 */
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
    const wantsColor = !argv.includes('--no-color');
    const paint = choosePaint(wantsColor, terminal.env, terminal.errorIsTerminal);
    const json = argv.includes('--json');
    const { text, exitCode } = reportError(countedFromOne(error), json, paint);
    const shown = redactorOf(terminal.env)(text);
    terminal.writeError(json ? printableJson(shown) : shown);
    return exitCode;
  }
}

/** Whatever went wrong: no value of a provider's secret is shown. */
function redactorOf(env: Terminal['env']) {
  const names = Object.values(BUILT_IN_SECRETS).flat();
  return createRedactor(names.map((name) => env[name]));
}

async function route(argv: readonly string[], terminal: Terminal, rooms: Rooms): Promise<number> {
  const { name, rest } = splitCommand(argv);
  if (name === null) return withoutCommand(rest, terminal);
  if (name === 'help')
    return rest[0] === undefined ? printMainHelp(terminal) : route([rest[0], '--help'], terminal, rooms);
  const entry = findCommand(name);
  const { command } = await entry.load();
  const parsed = parseCommand(entry.name, command, rest);
  if (parsed instanceof HelpAsked) {
    terminal.write(parsed.text);
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

function findCommand(name: string): CommandEntry {
  const entry = COMMANDS.find((each) => each.name === name);
  if (entry) return entry;
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
  if (rest.includes('-h') || rest.includes('--help')) return printMainHelp(terminal);
  if (rest.length === 0) {
    terminal.writeError((await import('./main-help.ts')).mainHelp());
    return exitCodeOf('bad_input');
  }
  const odd = rest.find((token) => !['--json', '--no-color', '--'].includes(token));
  const message =
    odd === undefined || odd === '--room' ? 'no command was given' : `unknown option ${odd} before a command`;
  throw new RoomError('bad_input', message, { hint: 'see: taskroom --help' });
}

async function printMainHelp(terminal: Terminal): Promise<number> {
  const { mainHelp } = await import('./main-help.ts');
  terminal.write(mainHelp());
  return OK;
}

/** What went wrong beside what was asked for; that itself is answered by the command. */
function tellTrouble({ here }: RoomClient, terminal: Terminal): void {
  here?.events.subscribe((event) => {
    if (event.type !== 'room.trouble') return;
    terminal.writeError(`taskroom: ${event.message}${event.hint === null ? '' : `; ${event.hint}`}\n`);
  });
}

/** The daemon on another machine that is meant; a room that is named here goes before the environment. */
function readElsewhere(options: Options, env: Terminal['env']): { url: string; token: string } | null {
  const named = options.text('url');
  const url = named ?? (options.text('room') === null ? (env.TASKROOM_URL ?? null) : null);
  if (url === null || url === '') return null;
  const token = options.text('token') ?? env.TASKROOM_TOKEN ?? '';
  if (token !== '') return { url, token };
  throw new RoomError('bad_input', 'a daemon elsewhere asks for a token', {
    hint: 'set TASKROOM_TOKEN to one of its room: .taskroom/token there, or taskroom token new',
  });
}

/** @param why of what works on the machine of its room alone */
function stays(why: string): RoomError {
  return new RoomError('refused', `this works on the machine of its room alone: ${why}`, {
    hint: 'run it there; for a room here give --room, or leave --url and TASKROOM_URL out',
  });
}

function hereOf({ here }: RoomClient): OpenRoom {
  if (here !== null) return here;
  throw new RoomError('not_allowed', 'this works outside a turn only', { hint: 'ask the person to' });
}

function createCall(
  command: CommandModule,
  parsed: Parsed,
  terminal: Terminal,
  rooms: Rooms,
): { call: Call; close(): Promise<void> } {
  const options = createOptions(parsed.values);
  const effects = createNodeEffects(terminal.env);
  const opened: RoomClient[] = [];
  const elsewhere = readElsewhere(options, terminal.env);
  const findRoom = async () => {
    if (elsewhere !== null) throw stays(command.hereOnly ?? 'it needs the files');
    return rooms.find(options.text('room'), terminal.env, terminal.cwd);
  };
  const open = async (runtimeOptions?: RuntimeOptions) =>
    elsewhere === null
      ? rooms.open(await findRoom(), effects, runtimeOptions)
      : rooms.openElsewhere(elsewhere, effects);
  const openRoom = async (runtimeOptions?: RuntimeOptions) => {
    const room = await open(runtimeOptions);
    opened.push(room);
    if (command.showsEvents !== true) tellTrouble(room, terminal);
    return room;
  };
  const json = options.flag('json');
  const call: Call = {
    words: parsed.words,
    options,
    json,
    terminal: json ? { ...terminal, write: (text) => terminal.write(printableJson(text)) } : terminal,
    paint: choosePaint(!options.flag('no-color'), terminal.env, terminal.outIsTerminal),
    effects,
    commands: COMMANDS,
    ...{ findRoom, openRoom, elsewhere },
    prepareApi: rooms.prepareApi,
    ...(rooms.serve === undefined ? {} : { serve: rooms.serve }),
    async openHere(runtimeOptions) {
      await findRoom();
      return hereOf(await openRoom(runtimeOptions));
    },
    async openDaemon() {
      if (elsewhere !== null || rooms.openDaemon === undefined) return null;
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
    showTop: (request) => rooms.showTop({ ...request, elsewhere, openRoom: open }),
  };
  const close = async () => {
    for (const runtime of opened.reverse()) await runtime.close();
  };
  return { call, close };
}
