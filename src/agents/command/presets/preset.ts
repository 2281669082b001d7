// What a preset is: how a coding agent's program is started for one turn without a person, and how its output is read.
// A preset works as it stands; what a person adds in agent.json is never needed for that.
import type { Permissions } from '../../../core/config/agent-config.ts';
import type { AgentEvent } from '../../../core/rules/agent-event.ts';
import { type Fields, inputLine, textOf } from '../reading/fields.ts';
import type { WordClock } from '../reading/limit-time.ts';
import { type TroubleFacts, troubleOf } from '../reading/trouble.ts';

/** What one turn asks of its preset. All paths are absolute. */
export interface PresetTurn {
  model: string | null;
  /** Session id of an earlier turn to go on with. */
  session: string | null;
  permissions: Permissions;
  args: readonly string[];
  cwd: string;
  /** The turn's folder. Where a program may read it may write: its agent is let in only where it may run programs anyway. */
  dir: string;
  /** Where the turn's `taskroom` puts requests: all of the turn that a sandbox has to let it write. */
  spool: string;
  room: string;
  /** Where the room lies in `cwd`: its folders from there down to the room. The program is told to leave the last one alone. */
  wayToRoom: readonly string[];
  /** Folders of git that a commit in `cwd` writes to; empty outside a repository. */
  gitDirs: readonly string[];
  /** How the turn's MCP server is started; null for an agent that reports by commands. */
  mcp: { command: string; args: readonly string[] } | null;
  /** What the program will find in its environment. */
  env: Readonly<Record<string, string | undefined>>;
  /** The text of a file on this machine; null where it can't be read. */
  readText(path: string): string | null;
}

export interface PresetStart {
  args: string[];
  /** Variables beside those it inherits. */
  env: Record<string, string>;
  /** Files the program is pointed at: absolute path and text, made before it starts. */
  files: { path: string; text: string }[];
  links?: FolderOfLinks[];
}

/** A folder, made before the program starts, of links to what another one holds. All paths are absolute. */
export interface FolderOfLinks {
  from: string;
  at: string;
  takes(name: string): boolean;
  /** Folders that the other one is to have: what the program puts there stays. */
  keep: readonly string[];
}

/** Reads one turn's output, event after event; what spans several it keeps. */
export interface EventReader {
  event(event: Fields, clock: WordClock): AgentEvent[];
  line?(line: string, clock: WordClock): AgentEvent[];
}

export interface Account {
  variables: readonly string[];
  /** Files by their path in the person's home, and what one of an account holds. */
  files: readonly { path: string; holds: RegExp }[];
}

export interface Preset {
  program: string;
  proved: string;
  /** How to mend a missing program, one clause. */
  install: string;
  /** How to sign in, one clause. */
  signIn: string;
  account: Account;
  start(turn: PresetTurn): PresetStart;
  /** Arguments that let the program run a command as its agent's shell would; absent where that is a plain shell. */
  shell?(turn: Pick<PresetTurn, 'permissions' | 'spool'>): string[] | null;
  reader(): EventReader;
}

export const MCP_SERVER = 'taskroom';

export function option(name: string, value: string | null): string[] {
  return value === null ? [] : [name, value];
}

// A session id goes into an argument list: what could be read as an option is no id.
const SESSION_ID = /^[A-Za-z0-9][\w.:-]{0,199}$/;

export function sessionEvents(id: unknown): AgentEvent[] {
  return typeof id === 'string' && SESSION_ID.test(id) ? [{ type: 'session', id }] : [];
}

export function troubleEvents(words: unknown, facts: TroubleFacts, clock: WordClock): AgentEvent[] {
  return [{ type: 'trouble', trouble: troubleOf(words, facts, clock) }];
}

export function cutOffEvents(message: string): AgentEvent[] {
  return [{ type: 'trouble', trouble: { kind: 'answer', message, until: null } }];
}

/** What it used; nothing where it counts nothing. */
export function usageEvents(inputTokens: number, outputTokens: number, cost: unknown = null): AgentEvent[] {
  if (inputTokens + outputTokens === 0) return [];
  const costUsd = typeof cost === 'number' ? cost : null;
  return [{ type: 'usage', usage: { inputTokens, outputTokens, costUsd } }];
}

export function toolEvents(name: unknown, input: unknown): AgentEvent[] {
  return [{ type: 'tool', name: textOf(name), input: inputLine(input) }];
}

/** A line that is no event: before its first one a program fails in plain words, "Error: …". */
export function plainLine(text: string, clock: WordClock): AgentEvent[] {
  const words = /^Error: (.*)$/s.exec(text)?.[1];
  return words === undefined ? [{ type: 'line', text }] : troubleEvents(words, {}, clock);
}

/** What a program says of the servers of its tools; `failed` with its reason where it gives one. */
export function toolsEvents(servers: readonly Fields[]): AgentEvent[] {
  const ours = servers.find(({ name, serverName }) => (name ?? serverName) === MCP_SERVER);
  if (ours?.status !== 'failed' && ours?.status !== 'connected') return [];
  const missing = ours.status === 'connected' ? null : textOf(ours.error) || 'their server did not start';
  return [{ type: 'tools', missing }];
}
