// What a tool of an agent is, as data, and how one is called: its input is parsed, its operations are asked for, and whatever
// goes wrong becomes an answer that says what to do. Whoever serves tools (MCP, a model's loop) has them from tool-list.ts.
import * as z from 'zod';
import type { Access } from '../../core/config/agent-config.ts';
import { isRoomError, RoomError } from '../../core/errors.ts';
import type { Level } from '../../core/rules/access.ts';
import type { AgentActor } from '../../tasks/task-room.ts';
import { inOurNames, parsed } from '../accept-input.ts';
import type { Client } from '../client.ts';
import { refusalText } from './answers.ts';

/** Of a task: in a turn its own is meant when it is left out. */
export const id = z.string().optional();

/** Who calls a tool, and what is known of it. */
export interface ToolCaller {
  /** The operations as this caller has them: what it may not do is refused there. */
  tasks: Client;
  actor: AgentActor;
  access: Access;
  /** The task of its turn: meant where a tool names none. */
  task: string | null;
  /** The agent whose tasks `list_tasks` shows; null for an assistant, which sees all. */
  agent: string | null;
  /** Whether its permissions let it run programs. */
  programs: boolean;
}

export interface ToolAnswer {
  text: string;
  isError?: boolean;
}

export interface Tool {
  name: string;
  /** For the agent: what it does and what to give, in few words. */
  description: string;
  /** A strict object: what agents are shown. */
  input: z.ZodObject;
  /** Least access that has it. */
  level: Level;
  /** Only for whom may run programs. */
  programs?: boolean;
  /** @param given as it came; it is taken in here. Rejects with the RoomError that it failed with */
  run(caller: ToolCaller, given: unknown): Promise<string>;
}

/** A tool whose input is taken in as it is shown. */
export function tool<Input extends z.ZodObject>(
  name: string,
  level: Level,
  description: string,
  input: Input,
  run: (caller: ToolCaller, input: z.infer<Input>) => Promise<string>,
): Tool {
  const takeIn = (given: unknown) => parsed(input, inOurNames(input, given));
  return { name, description, level, input, run: async (caller, given) => run(caller, takeIn(given)) };
}

/** One whose run gets the input as it came, but for names and lists: an operation takes it in. */
export function openTool(
  name: string,
  level: Level,
  description: string,
  input: z.ZodObject,
  run: (caller: ToolCaller, input: Record<string, unknown>) => Promise<string>,
): Tool {
  const takeIn = (given: unknown) => inOurNames(input, given) as Record<string, unknown>;
  return { name, description, level, input, run: async (caller, given) => run(caller, takeIn(given)) };
}

/** Characters of an answer, unless more was asked for. */
export const MAX_ANSWER = 20_000;

/**
 * Calls a tool. Rejects for a bug alone.
 * @param given the input as it came; nothing, or an empty text, counts as `{}` (G1)
 */
export async function callTool(called: Tool, caller: ToolCaller, given: unknown): Promise<ToolAnswer> {
  const said = inputOf(given);
  try {
    return { text: bounded(await called.run(caller, said), said) };
  } catch (error) {
    if (!isRoomError(error)) throw error;
    return { text: refusalText(error), isError: true };
  }
}

/** Pages keep an answer below its bound; what is above it all the same was asked for, or is cut. */
function bounded(text: string, input: unknown): string {
  const { limit } = input as { limit?: unknown };
  const most = typeof limit === 'number' ? Math.max(MAX_ANSWER, Math.min(limit, MOST_ASKED)) : MAX_ANSWER;
  if (text.length <= most) return text;
  return `${text.slice(0, most - CUT.length).toWellFormed()}${CUT}`;
}

const MOST_ASKED = 300_000;
const CUT = '\n(cut here: ask for less at once)';

/** Some models send nothing, some the text of an object. */
function inputOf(given: unknown): unknown {
  if (given === undefined || given === null) return {};
  if (typeof given !== 'string') return given;
  if (given.trim() === '') return {};
  try {
    return JSON.parse(given);
  } catch {
    // Not JSON: parsing says what was expected.
    return given;
  }
}

/** The task that a call means. @throws RoomError `bad_input` */
export function meant(caller: ToolCaller, id: unknown): string {
  // What is no text at all is refused by what it is given to.
  if (id !== undefined && typeof id !== 'string') return id as string;
  const ref = id?.trim().replace(/^#/, '') || caller.task;
  if (ref !== null && ref !== '') return ref;
  throw new RoomError('bad_input', 'no task was named', { hint: 'give its id; list_tasks shows them' });
}

/** The JSON Schema of a tool's input, as short as it can be said. */
export function inputSchemaOf({ input }: Tool): Record<string, unknown> {
  const { $schema: _, ...schema } = z.toJSONSchema(input, { io: 'input', target: 'draft-2020-12' });
  return schema;
}
