// What a command is: a description as data, from which parsing, help and docs are made, and a function that runs it.

import type { OpenRoom, Pulse, RoomClient, RuntimeOptions } from '../app/open-room.ts';
import type { Access } from '../core/config/agent-config.ts';
import { RoomError } from '../core/errors.ts';
import type { Effects } from '../effects.ts';
import type { ApiOptions, PreparedApi, TopRequest } from '../server/shapes/faces.ts';
import type { Changed } from '../tasks/shapes/change.ts';
import type { Paint } from './paint.ts';
import type { Terminal } from './terminal.ts';

export interface ArgumentSpec {
  name: string;
  about: string;
  /** May be left out. */
  optional?: boolean;
  /** Takes all that follow. */
  many?: boolean;
}

/** A task; it may be left out inside a turn. */
export const TASK: ArgumentSpec = {
  name: 'task',
  about: 'id, unique prefix of an id, file name or title; inside a turn it may be left out',
  optional: true,
};

export interface OptionSpec {
  /** `--all`, `-f, --follow`, `--wait <sec>`. */
  flags: string;
  about: string;
  /** May be given several times. */
  many?: boolean;
}

export interface CommandModule {
  /** What it does, one to three sentences. */
  about: string;
  arguments: readonly ArgumentSpec[];
  options: readonly OptionSpec[];
  /** Command lines with what they do. */
  examples: readonly (readonly [line: string, about: string])[];
  /** Further paragraphs of the help. */
  notes?: string | undefined;
  /** Why it can't work on a room of another machine; others work with --url. */
  hereOnly?: string;
  /** It shows what happens in the room itself; of others, trouble is told. */
  showsEvents?: true;
  /** Returns the exit code; nothing means 0. */
  run(call: Call): Promise<number | undefined>;
}

/** What a command has beside what its operation declares. */
export interface Beside {
  /** In the place of the words of the operation. */
  arguments?: readonly ArgumentSpec[];
  options?: readonly OptionSpec[];
  /** The inputs of each call, as the operation takes them; of other words. */
  inputs?(call: Call): Record<string, unknown>[];
  /** In the place of what is told when it is done; false for what is told anyway. */
  tell?(call: Call, output: Changed, runtime: RoomClient): Promise<boolean>;
}

/** A command by its name; its module is loaded when it is needed. */
export interface CommandEntry {
  name: string;
  group: 'Room' | 'Tasks' | 'Reports' | 'Turns' | 'Mirrors';
  summary: string;
  load(): Promise<{ command: CommandModule }>;
}

/** The parsed command line: positional words, and options by their long name. */
export interface Parsed {
  words: string[];
  values: ReadonlyMap<string, OptionValue>;
}

export type OptionValue = true | string | readonly string[];

/** Reading of one call's options, by long name without dashes. */
export type Options = ReturnType<typeof createOptions>;

/** Opens what others reach a running room by; to be closed before the room is. */
export type Serve = (
  runtime: OpenRoom,
  pulse: Pulse,
  effects: Effects,
) => Promise<{ close(): Promise<void> }>;

/** How the room's tools are to be served over MCP. */
export interface McpRequest {
  /** Of a person's assistant. */
  access: Access;
  /** Names of the tools. */
  dialect: string;
  version: string;
  /** Aborts to stop serving. */
  signal: AbortSignal;
  /** Told of what is no answer. */
  report(text: string): void;
}

/** One call of a command, with everything it may touch. */
export interface Call {
  readonly words: readonly string[];
  readonly options: Options;
  readonly json: boolean;
  readonly terminal: Terminal;
  readonly paint: Paint;
  readonly effects: Effects;
  /** Every command there is. */
  readonly commands: readonly CommandEntry[];
  /** What else is there while a room runs. */
  readonly serve?: Serve;
  /** The room's folder as asked for. @throws RoomError `no_room`, `refused` for a room elsewhere */
  findRoom(): Promise<string>;
  /** Takes the address of the room's API, to be opened once the room runs. */
  prepareApi(options: ApiOptions): Promise<PreparedApi>;
  /** Opens the room; it is closed when the command ends. */
  openRoom(options?: RuntimeOptions): Promise<RoomClient>;
  /** The room opened by this process. @throws RoomError `refused` for a room elsewhere, `not_allowed` inside a turn */
  openHere(options?: RuntimeOptions): Promise<OpenRoom>;
  /** The daemon on another machine that is meant; null for a room here. */
  readonly elsewhere: { url: string; token: string } | null;
  /** The same room over the daemon that runs it here; null where that is not for this call. @throws RoomError `unavailable` */
  openDaemon(): Promise<RoomClient | null>;
  /** Resolves when the client is gone. @throws RoomError `bad_input` */
  serveMcp(request: McpRequest): Promise<void>;
  /** The room live on this process's terminal, until the person quits. Resolves with the exit code. */
  showTop(request: Omit<TopRequest, 'openRoom' | 'elsewhere'>): Promise<number>;
}

/** Reads options out of what was parsed. */
export function createOptions(values: ReadonlyMap<string, OptionValue>) {
  const text = (name: string): string | null => {
    const value = values.get(name);
    return typeof value === 'string' ? value : null;
  };
  /** All values of an option that may be repeated, as they were given. */
  const all = (name: string): readonly string[] => {
    const value = values.get(name);
    return Array.isArray(value) ? (value as readonly string[]) : typeof value === 'string' ? [value] : [];
  };
  return {
    flag: (name: string): boolean => values.get(name) === true,
    text,
    all,
    /** The same, where each may also be a comma list. */
    texts: (name: string): string[] =>
      all(name)
        .flatMap((item) => item.split(','))
        .map((item) => item.trim())
        .filter((item) => item !== ''),
    /** @throws RoomError `bad_input` when it is no whole number of at least `min` */
    whole(name: string, min: number): number | null {
      const value = text(name);
      if (value === null) return null;
      const number = /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN;
      if (number >= min) return number;
      throw new RoomError('bad_input', `--${name} is ${JSON.stringify(value)}`, {
        hint: `expected a whole number from ${min}`,
      });
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
  {
    flags: '--room <dir>',
    about: 'the room; else AGENT_ROOM, else the nearest folder upward with a room.yaml',
  },
  { flags: '--url <address>', about: 'a room whose daemon runs elsewhere; else TASKROOM_URL' },
  { flags: '--token <token>', about: 'its token; better TASKROOM_TOKEN, which others here can not read' },
  { flags: '--json', about: 'print JSON, errors too' },
  { flags: '--no-color', about: 'no colours (NO_COLOR and FORCE_COLOR count too)' },
];
