// Makes the one form of events from what programs print, each in a spelling of its own.
import type { AgentEvent } from '../../../core/rules/turn.ts';
import { type Fields, inputLine, textOf } from './fields.ts';
import { type TroubleFacts, troubleOf, type WordClock } from './trouble.ts';

type ReadEvent = (event: Fields, clock: WordClock) => AgentEvent[];
type ReadLine = (line: string, clock: WordClock) => AgentEvent[];

/** Reads one turn's output, event after event; what spans several events it keeps. */
export interface EventReader {
  event: ReadEvent;
  line?: ReadLine; // Reads a line that is no event.
}

/** A reader for events that are told apart by their `type`; events of other types mean nothing. */
export function readByType(types: Readonly<Record<string, ReadEvent>>, line: ReadLine = plainLine) {
  const known = new Map(Object.entries(types));
  const event: ReadEvent = (event, clock) => known.get(textOf(event.type))?.(event, clock) ?? [];
  return { event, line };
}

/** The name of the turn's own MCP server. */
export const MCP_SERVER = 'taskroom';

// A session id goes into an argument list: what could be read as an option is no id.
const SESSION_ID = /^[A-Za-z0-9][\w.:-]{0,199}$/;

export const session = (id: unknown): AgentEvent[] =>
  typeof id === 'string' && SESSION_ID.test(id) ? [{ type: 'session', id }] : [];

export function trouble(words: unknown, clock: WordClock, facts: TroubleFacts = {}): AgentEvent[] {
  return [{ type: 'trouble', trouble: troubleOf(words, facts, clock) }];
}

export function cutOff(message: string): AgentEvent[] {
  return [{ type: 'trouble', trouble: { kind: 'answer', message, until: null } }];
}

/** What the agent used; no event where it counts nothing. */
export function usage(inputTokens: number, outputTokens: number, cost: unknown = null): AgentEvent[] {
  if (inputTokens + outputTokens === 0) return [];
  const costUsd = typeof cost === 'number' ? cost : null;
  return [{ type: 'usage', usage: { inputTokens, outputTokens, costUsd } }];
}

export function tool(name: unknown, input: unknown): AgentEvent[] {
  return [{ type: 'tool', name: textOf(name), input: inputLine(input) }];
}

/** What a program says of its MCP servers: whether it has the turn's tools. */
export function tools(servers: readonly Fields[]): AgentEvent[] {
  const ours = servers.find(({ name, serverName }) => (name ?? serverName) === MCP_SERVER);
  if (ours?.status !== 'failed' && ours?.status !== 'connected') return [];
  const missing = ours.status === 'connected' ? null : textOf(ours.error) || 'their server did not start';
  return [{ type: 'tools', missing }];
}

/** Before its first event a program fails in plain words, "Error: …". */
export function plainLine(text: string, clock: WordClock): AgentEvent[] {
  const words = /^Error: (.*)$/s.exec(text)?.[1];
  return words === undefined ? [{ type: 'line', text }] : trouble(words, clock);
}
