// A command: a description as data, from which parsing, help and docs are made, and a function that runs it.
import type { OpenRoom, Pulse, RoomClient, RuntimeOptions } from '../app/open-room.ts';
import { RoomError } from '../core/errors.ts';
import type { Effects } from '../effects.ts';
import type { ApiOptions, McpRequest, PreparedApi, TopRequest } from '../server/shapes/faces.ts';
import type { Changed } from '../tasks/shapes/change.ts';
import type { Paint } from './paint.ts';
import type { Terminal } from './terminal.ts';

export interface ArgumentSpec {
  name: string;
  about: string;
  optional?: boolean;
  many?: boolean; // Takes all that follow.
}

export const TASK: ArgumentSpec = {
  name: 'task',
  about: 'id, unique prefix of an id, file name or title; inside a turn it may be left out',
  optional: true,
};

/** Flags are `--all`, `-f, --follow`, `--wait <sec>`; `many` may be given several times. */
export type OptionSpec = readonly [flags: string, about: string, many?: 'many' | undefined];

export interface CommandModule {
  about: string;
  arguments: readonly ArgumentSpec[];
  options: readonly OptionSpec[];
  examples: Readonly<Record<string, string>>; // Command lines with what they do.
  notes?: string | undefined;
  hereOnly?: string; // Why it can't work with --url.
  showsEvents?: true; // It prints events itself; for other commands only trouble is printed.
  run(call: Call): Promise<number | undefined>; // Returns the exit code; nothing means 0.
}

/** What a command adds to its operation. */
export interface Beside {
  arguments?: readonly ArgumentSpec[];
  options?: readonly OptionSpec[];
  inputs?(call: Call): Record<string, unknown>[]; // Replaces the reading of words: the input of each call.
  /** Prints the output; false to have it printed as usual. */
  tell?(call: Call, output: Changed, runtime: RoomClient): Promise<boolean>;
}

export interface CommandEntry {
  name: string;
  group: 'Room' | 'Tasks' | 'Reports' | 'Turns' | 'Mirrors';
  summary: string;
  isFirst: boolean; // A person needs it in the first week.
  load(): Promise<{ command: CommandModule }>;
}

/** A parsed command line; options stand under their long names. */
export type Parsed = { words: string[]; values: ReadonlyMap<string, OptionValue> };
export type OptionValue = true | string | readonly string[];
export type Options = ReturnType<typeof createOptions>;

/** Opens the listeners of a running room; they are closed before the room. */
export type Serve = (
  runtime: OpenRoom,
  pulse: Pulse,
  effects: Effects,
) => Promise<{ close(): Promise<void> }>;

/** How commands reach their room: as the person's program, or over the bridge of a turn. */
export interface Rooms {
  /** The room's folder: `option` (--room), else what the environment and the folder say. @throws RoomError `no_room` */
  find(option: string | null, env: Terminal['env'], cwd: string): Promise<string>;
  open(dir: string, effects: Effects, options?: RuntimeOptions): Promise<RoomClient>;
  openRemote(where: { url: string; token: string }, effects: Effects): Promise<RoomClient>;
  /** The room over the daemon that runs it here. @throws RoomError `unavailable` */
  openDaemon?(dir: string, effects: Effects): Promise<RoomClient>;
  /** Takes the address of the API, to be opened once the room runs. */
  prepareApi(options: ApiOptions): Promise<PreparedApi>;
  /** Resolves when the client is gone. @param openRoom opens the room for one call */
  serveMcp(request: McpRequest, openRoom: (readOnly: boolean) => Promise<RoomClient>): Promise<void>;
  /** The room live on this process's terminal. Resolves with the exit code. */
  showTop(request: TopRequest): Promise<number>;
  serve?: Serve;
}

/** One call of a command, with everything it may touch. */
export interface Call extends Pick<Rooms, 'prepareApi' | 'serve'> {
  readonly words: readonly string[];
  readonly options: Options;
  readonly json: boolean;
  readonly terminal: Terminal;
  readonly paint: Paint;
  readonly effects: Effects;
  readonly commands: readonly CommandEntry[];
  /** The room's folder. @throws RoomError `no_room`, `refused` for a room elsewhere */
  findRoom(): Promise<string>;
  /** Opens the room; it is closed when the command ends. */
  openRoom(options?: RuntimeOptions): Promise<RoomClient>;
  /** The room opened by this process. @throws RoomError `refused` for a room elsewhere, `not_allowed` inside a turn */
  openHere(options?: RuntimeOptions): Promise<OpenRoom>;
  /** The daemon on another machine; null for a room here. */
  readonly remote: { url: string; token: string } | null;
  /** The same room over the daemon that runs it here; null for a room elsewhere and in a turn. @throws RoomError `unavailable` */
  openDaemon(): Promise<RoomClient | null>;
  serveMcp(request: McpRequest): Promise<void>;
  showTop(request: Omit<TopRequest, 'openRoom' | 'remote'>): Promise<number>;
}

/** Reads parsed options by their long names, without dashes. */
export function createOptions(values: ReadonlyMap<string, OptionValue>) {
  const text = (name: string): string | null => {
    const value = values.get(name);
    return typeof value === 'string' ? value : null;
  };
  /** All values of a repeated option. */
  const all = (name: string) =>
    [values.get(name) ?? []].flat().filter((value): value is string => value !== true);
  return {
    flag: (name: string): boolean => values.get(name) === true,
    ...{ text, all },
    /** The same; each may also be a comma list. */
    texts: (name: string) => all(name).flatMap((item) => item.split(',').flatMap((one) => one.trim() || [])),
    /** @throws RoomError `bad_input` when it is no whole number of at least `min` */
    whole(name: string, min: number): number | null {
      const value = text(name);
      if (value === null) return null;
      const number = /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN;
      if (number >= min) return number;
      const hint = `expected a whole number from ${min}`;
      throw new RoomError('bad_input', `--${name} is ${JSON.stringify(value)}`, hint);
    },
  };
}

/** The parts of `-f, --follow <sec>`: its short and long names without dashes, and whether it takes a value. */
export function readFlags(flags: string): { short: string | null; long: string; takesValue: boolean } {
  const short = /(?:^|\s)-([A-Za-z])\b/.exec(flags);
  const long = /--([a-z][a-z-]*)/.exec(flags);
  if (long === null) throw new Error(`no long name in ${flags}`);
  return { short: short?.[1] ?? null, long: long[1]!, takesValue: flags.includes('<') };
}

export const GLOBAL_OPTIONS: readonly OptionSpec[] = [
  ['--room <dir>', 'the room; else AGENT_ROOM, else the nearest folder upward with a room.yaml'],
  ['--url <address>', 'a room whose daemon runs elsewhere; else TASKROOM_URL'],
  ['--token <token>', 'its token; better TASKROOM_TOKEN, which other users here cannot read'],
  ['--json', 'print JSON, errors too'],
  ['--no-color', 'no colours (NO_COLOR and FORCE_COLOR count too)'],
];
