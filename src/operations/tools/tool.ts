// What a tool of an agent is, as data, and how one is called: its input is parsed, its operations are asked for, and whatever
// goes wrong becomes an answer that says what to do. Whoever serves tools (MCP, a model's loop) has them from tool-list.ts.
import * as z from 'zod';
import type { Access } from '../../core/config/agent-config.ts';
import { isRoomError, RoomError } from '../../core/errors.ts';
import type { Level } from '../../core/rules/access.ts';
import type { AgentActor } from '../../tasks/task-room.ts';
import { inOurNames, refusalOf } from '../accept-input.ts';
import type { Client } from '../client.ts';
import { refusalText } from './answers.ts';

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
  /** A strict object. */
  input: z.ZodType;
  /** Its run takes the input in by itself: what stands here is what agents are shown. */
  isRaw?: true;
  /** Least access that has it. */
  level: Level;
  /** Only for whom may run programs. */
  programs?: boolean;
  run(caller: ToolCaller, input: unknown): Promise<string>;
}

/** Checks that input and run fit each other. */
export function tool<Input extends z.ZodType>(
  name: string,
  level: Level,
  description: string,
  input: Input,
  run: (caller: ToolCaller, input: z.infer<Input>) => Promise<string>,
): Tool {
  return { name, description, level, input, run: (caller, given) => run(caller, given as never) };
}

/** Characters of an answer, unless more was asked for. */
export const MAX_ANSWER = 20_000;

/**
 * Calls a tool. Rejects for a bug alone.
 * @param given the input as it came; nothing, or an empty text, counts as `{}` (G1)
 */
export async function callTool(called: Tool, caller: ToolCaller, given: unknown): Promise<ToolAnswer> {
  const said = called.isRaw ? inputOf(given) : inOurNames(called.input, inputOf(given));
  const parsed = called.isRaw ? { success: true as const, data: said } : called.input.safeParse(said);
  if (!parsed.success)
    return { text: refusalText(refusalOf(parsed.error, called.input, said)), isError: true };
  try {
    return { text: bounded(await called.run(caller, parsed.data), parsed.data) };
  } catch (error) {
    if (!isRoomError(error)) throw error;
    return { text: refusalText(error), isError: true };
  }
}

/** Pages keep an answer below its bound; what is above it all the same was asked for, or is cut. */
function bounded(text: string, input: unknown): string {
  const asked = (input as { limit?: number }).limit ?? 0;
  const most = Math.max(MAX_ANSWER, Math.min(asked, MOST_ASKED));
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
