// A tool of an agent as data, how one is called, and its short answers, in which the text of others is data. MCP and the loop of
// a model get their tools from tool-list.ts.
import * as z from 'zod';
import type { Access } from '../../core/config/agent-config.ts';
import { oneLine, word } from '../../core/context/fence.ts';
import { isRoomError, RoomError, valueOr } from '../../core/errors.ts';
import type { Level } from '../../core/rules/access.ts';
import { isOfStatuses } from '../../core/shapes.ts';
import { type OwnStatuses, statusWord } from '../../core/task/status.ts';
import type { Changed } from '../../tasks/shapes/change.ts';
import type { TaskRow } from '../../tasks/shapes/task.ts';
import type { AgentActor } from '../../tasks/task-room.ts';
import { inOurNames, parsed } from '../accept-input.ts';
import type { Client } from '../client.ts';

/** The id of a task; in a turn its own task when left out. */
export const id = z.string().optional();

export interface ToolCaller {
  tasks: Client; // The operations as this caller has them: they refuse what it may not do.
  actor: AgentActor;
  access: Access;
  task: string | null; // The task of its turn; the default where a tool names none.
  agent: string | null; // The agent whose tasks `list_tasks` shows; null for an assistant, which sees all.
  programs: boolean; // Whether it may run programs.
}

export interface ToolAnswer {
  text: string;
  output?: Record<string, unknown>; // The same as JSON, of a tool that declares its output.
  isError?: boolean;
}

export interface Tool {
  name: string;
  description: string;
  input: z.ZodObject; // A strict object, as agents are shown it.
  output?: z.ZodObject; // The operation's own; absent where the answer is text for an agent to read.
  level: Level;
  programs?: boolean;
  destructive?: true; // It takes something away, and a person is asked first.
  idempotent?: true; // The same call again changes nothing more.
  /** @param given not yet parsed. Rejects with a RoomError */
  run(caller: ToolCaller, given: unknown): Promise<ToolAnswer>;
}

/** A tool that parses its input with the schema that is shown. */
export function tool<Input extends z.ZodObject>(
  name: string,
  level: Level,
  description: string,
  input: Input,
  run: (caller: ToolCaller, input: z.infer<Input>) => Promise<string>,
): Tool {
  const takeIn = (caller: ToolCaller, given: Record<string, unknown>) => run(caller, parsed(input, given));
  return openTool(name, level, description, input, takeIn);
}

/** A tool whose operation parses the input: only names and lists are changed here. */
export function openTool(
  name: string,
  level: Level,
  description: string,
  input: z.ZodObject,
  run: (caller: ToolCaller, input: Record<string, unknown>) => Promise<string>,
): Tool {
  const named = (given: unknown) => inOurNames(input, given) as Record<string, unknown>;
  return {
    ...{ name, description, level, input },
    run: async (caller, given) => ({ text: await run(caller, named(given)) }),
  };
}

/** Characters of an answer, unless more was asked for. */
export const MAX_ANSWER = 20_000;

/** Calls a tool; nothing, or an empty text, counts as `{}` (G1). Rejects only for a bug. */
export async function callTool(called: Tool, caller: ToolCaller, given: unknown): Promise<ToolAnswer> {
  const said = inputOf(given);
  try {
    const answer = await called.run(caller, said);
    return { ...answer, text: bounded(answer.text, said) };
  } catch (error) {
    if (!isRoomError(error)) throw error;
    return { text: refusalText(error), isError: true };
  }
}

/** Cuts an answer above the bound, unless a higher `limit` was given. */
function bounded(text: string, input: unknown): string {
  const { limit } = input as { limit?: unknown };
  const most = typeof limit === 'number' ? Math.max(MAX_ANSWER, Math.min(limit, MOST_ASKED)) : MAX_ANSWER;
  if (text.length <= most) return text;
  return `${text.slice(0, most - CUT.length).toWellFormed()}${CUT}`;
}

const MOST_ASKED = 300_000;
const CUT = '\n(cut here: ask for less at once)';

/** Some models send nothing, some the text of an object; the schema refuses any other text. */
function inputOf(given: unknown): unknown {
  if (typeof given !== 'string') return given ?? {};
  return valueOr(given, () => JSON.parse(given.trim() || '{}'));
}

/** The task that a call means; what is no text is left for the schema to refuse. @throws RoomError `bad_input` */
export function meant(caller: ToolCaller, id: unknown): string {
  if (id !== undefined && typeof id !== 'string') return id as string;
  const ref = id?.trim().replace(/^#/, '') || caller.task;
  if (ref !== null && ref !== '') return ref;
  throw new RoomError('bad_input', 'no task was named', { hint: 'give its id; list_tasks shows them' });
}

/** The JSON Schema of a tool's input, as short as it can be said. @param own the room's own statuses, which stand behind the others */
export const inputSchemaOf = ({ input }: Pick<Tool, 'input'>, own: OwnStatuses = {}) =>
  jsonSchemaOf(input, 'input', Object.keys(own));

/** @param io `output` for what a schema's values are once they are parsed */
export function jsonSchemaOf(
  schema: z.ZodObject,
  io: 'input' | 'output',
  statuses: readonly string[] = [],
): Record<string, unknown> {
  const override: z.core.ToJSONSchemaParams['override'] = ({ zodSchema, jsonSchema }) => {
    if (isOfStatuses(zodSchema)) jsonSchema.enum = [...jsonSchema.enum!, ...statuses];
  };
  const { $schema: _, $ref, ...json } = z.toJSONSchema(schema, { io, target: 'draft-2020-12', override });
  if ($ref === undefined) return json;
  // The protocol takes no reference for the outermost object.
  const { $defs = {} } = json;
  const own = $defs[$ref.slice('#/$defs/'.length)] as Record<string, unknown>;
  return JSON.stringify(own).includes('"$ref"') ? { ...own, $defs } : own;
}

export function changeText(change: Omit<Changed, 'id'> & { id: string | null }, more: object = {}): string {
  if (change.later) return 'Written down: nothing runs the room now, it is done when something does.';
  const { name, awaits_checks, deferred, unreached, ...rest } = change;
  const unseen = (unreached ?? []).map(
    ({ who, what, how }) =>
      `It stands in the file and will not reach ${word(who)}: ${oneLine(what)}. ${oneLine(how)}`,
  );
  const line = [JSON.stringify({ ...rest, name: oneLine(name), ...more }), ...unseen].join('\n');
  if (awaits_checks !== undefined)
    return `${line}\nIt counts as done once your turn is over and these pass: ${awaits_checks.map(oneLine).join('; ')}`;
  if (deferred)
    return `${line}\nThe status was left as it is: the task was edited during this turn, one more turn follows.`;
  return line;
}

/** `abc12345 doing high owner=codex steps=1/3 waits=def45678 "Name"`. */
export function taskLine(task: TaskRow): string {
  const { id, priority, owner, steps, blocked, blocked_by, requester } = task;
  const parts = [
    id ?? task.path,
    statusWord(task),
    task.paused && 'paused',
    task.running !== null && `turn=${task.running}`,
    blocked && `waits=${blocked_by.map(word).join(',')}`,
    priority,
    owner !== null && `owner=${word(owner)}`,
    requester !== 'owner' && `from=${word(requester)}`,
    task.parent !== null && `parent=${word(task.parent)}`,
    task.sprint !== null && `sprint=${word(task.sprint)}`,
    ...placeOf(task),
    task.labels.length > 0 && `labels=${task.labels.map(word).join(',')}`,
    steps.total > 0 && `steps=${steps.done}/${steps.total}`,
    task.archived && 'archived',
    JSON.stringify(oneLine(task.title ?? task.name).slice(0, MAX_NAME)),
  ];
  return parts.filter(Boolean).join(' ');
}

export const placeOf = ({ scope, artifact }: TaskRow): (string | false)[] => [
  scope !== null && `scope=${word(scope)}`,
  artifact !== null && `artifact=${word(artifact)}`,
];

const MAX_NAME = 120;

/** A refusal as an answer; an agent has tools in the place of commands. */
export function refusalText({ code, message, hint, problems }: RoomError): string {
  const listed = problems.slice(0, 5).map((problem) => `\n- ${oneLine(problem.message)}`);
  return `${code}: ${inTools(message)}${hint === undefined ? '' : `\n${inTools(hint)}`}${listed.join('')}`;
}

const TOOL_OF: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ...{ list: 'list_tasks', show: 'get_task', history: 'list_history' },
    ...{ comment: 'comment_task', done: 'complete_task', ask: 'ask_requester' },
  }),
);

const inTools = (words: string) =>
  words.replace(/taskroom (\w+)\b/g, (said, command: string) => TOOL_OF.get(command) ?? said);
