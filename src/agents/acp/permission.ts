// Decides each tool call that an agent asks permission for, by the agent's file or by the person, and notes the decision in the
// agent's output.
import { hash } from 'node:crypto';
import { isAbsolute, join, resolve } from 'node:path';
import type { RequestPermissionResponse } from '@agentclientprotocol/sdk';
import { type Approval, TOOL_KINDS, type ToolKind } from '../../core/config/agent-config.ts';
import type { TurnContext } from '../../core/context/context-shape.ts';
import { isRoomError } from '../../core/errors.ts';
import { isProtected } from '../command/presets/preset.ts';
import { type Fields, fieldsOf, inputLine, listOf, oneLine, textOf } from '../command/reading/fields.ts';
import type { RunInput } from '../runner.ts';
import { leadsInto } from '../workspace/contained-path.ts';
import type { MessageStream } from './message-stream.ts';
import { withoutGaps } from './output-reader.ts';

/** A tool call, as far as its agent told of it. */
export type ToolCall = ReturnType<typeof toCall>;

/** Of our MCP server, as each agent writes the name of a server's tool. */
const OURS = /^(?:mcp__)?taskroom(?:__|_|\.|\/|:)|^\S+ \(taskroom MCP Server\)/;
const LOOKING: ReadonlySet<ToolKind> = new Set(['read', 'search', 'think']);
const WRITING: ReadonlySet<ToolKind> = new Set(['edit', 'delete', 'move']);

/** How a turn's output begins to tell what became of a request. */
export const WORDS = { allow: 'allowed', ask: 'put to the person:', deny: 'refused' } as const;

/** @param onAsked called when the person is asked: the turn ends then */
export function createPermissionHandler(
  input: RunInput,
  cwd: string,
  messages: MessageStream,
  calls: ToolCalls,
  onAsked: () => Promise<void>,
) {
  const decideByFile = fileRule(input, cwd);
  const answered = readPermissions(input.context);

  return async (request: Fields): Promise<RequestPermissionResponse> => {
    const call = calls.asked(request.toolCall);
    let decision = decideByFile(call);
    if (decision === 'ask') {
      const ask = () => askPerson(input, questionFor(call), `leave-${markOf(call)}`);
      decision = answered.get(markOf(call)) ?? ((await ask()) ? 'ask' : 'deny');
    }
    const what = `${call.kind}: ${call.title}${call.input === '' ? '' : ` (${call.input})`}`;
    if (!call.isOurs) await messages.note(`${WORDS[decision]} ${what}`);
    if (decision === 'ask') await onAsked();
    const optionId = decision === 'ask' ? null : chooseOption(request.options, decision);
    return optionId === null
      ? { outcome: { outcome: 'cancelled' } }
      : { outcome: { outcome: 'selected', optionId } };
  };
}

/** False where nobody can be asked: a chore has no file to ask in, and a task's file may be closed to writes. */
export async function askPerson({ services }: RunInput, question: string, key: string): Promise<boolean> {
  if (services === undefined) return false;
  try {
    await services().ask(question, key);
    return true;
  } catch (error) {
    if (!isRoomError(error)) throw error;
    return false;
  }
}

type Answered = NonNullable<TurnContext['answers']>[number];

/** The last answer that the person gave; undefined for none. What others say below a question, on a tracker for instance, is none. */
export const answerOfPerson = ({ answers }: Answered) =>
  answers.findLast(({ author }) => author === null || author === 'owner');

function fileRule({ agent, room, dir }: RunInput, cwd: string): (call: ToolCall) => Approval {
  const { permissions, approve, preset } = agent;
  const at = (path: string) => (isAbsolute(path) ? path : resolve(cwd, path));
  const readable = [cwd, dir, join(room, 'tasks'), join(room, 'artifacts')];
  const mayRead = (path: string) => readable.some((folder) => leadsInto(folder, at(path)));
  const mayWork = (path: string) => leadsInto(cwd, at(path)) && !isProtected(preset, at(path));
  return ({ kind, paths, isOurs }) => {
    if (isOurs) return 'allow';
    const chosen = approve[kind];
    if (chosen !== undefined) return chosen;
    if (permissions === 'all') return 'allow';
    if (LOOKING.has(kind)) return paths.every(mayRead) ? 'allow' : 'deny';
    if (WRITING.has(kind)) return paths.every(mayWork) ? 'allow' : 'deny';
    // Programs reach whatever the person reaches, the network too.
    if (kind === 'execute' || kind === 'fetch') return permissions === 'run' ? 'allow' : 'deny';
    return 'deny';
  };
}

/** The offered option that says this; null where there is none. */
function chooseOption(options: unknown, decision: 'allow' | 'deny'): string | null {
  const word = decision === 'allow' ? 'allow' : 'reject';
  const offered = (when: string) => listOf(options).find(({ kind }) => kind === `${word}_${when}`);
  // Once: the next call is decided by itself.
  const id = (offered('once') ?? offered('always'))?.optionId;
  return typeof id === 'string' ? id : null;
}

/** Keeps what an agent tells of its tool calls: a permission request says only what is new. */
type ToolCalls = ReturnType<typeof createToolCalls>;

export function createToolCalls() {
  const calls = new Map<string, Fields>();
  function merge(update: Fields): Fields {
    const id = textOf(update.toolCallId);
    const before = calls.get(id);
    const call: Record<string, unknown> = { ...before, ...withoutGaps(update) };
    // Some ask about a part of a call, and call that part "other": what the call is was told before.
    if (call.kind === 'other' && before?.kind !== undefined) call.kind = before.kind;
    calls.set(id, call);
    return call;
  }
  return {
    note(update: Fields) {
      const call = merge(update);
      if (call.status === 'completed' || call.status === 'failed') calls.delete(textOf(call.toolCallId));
    },
    asked: (update: unknown) => toCall(merge(fieldsOf(update))),
  };
}

function toCall(call: Fields) {
  const title = oneLine(textOf(call.title));
  const kind = TOOL_KINDS.find((each) => each === call.kind) ?? 'other';
  const paths = [...listOf(call.locations), ...listOf(call.content)].map(({ path }) => textOf(path));
  const names = [textOf(call.name), title];
  return {
    kind,
    title: title || textOf(call.name) || 'a tool without a name', // The agent's words for it, one line.
    input: call.rawInput === undefined ? '' : inputLine(call.rawInput),
    paths: [...new Set(paths.filter(Boolean))],
    // A tool of the room looks itself at what the turn may do, and names no path. A command or a file may carry any name; what an MCP
    // server offers is none.
    isOurs:
      (kind === 'other' || LOOKING.has(kind)) &&
      paths.join('') === '' &&
      names.some((name) => OURS.test(name)),
  };
}

/** Names a call in its question, so that the same call is known again in a later turn. */
const MARK = /\(call ([0-9a-f]{8})\)/;
/** The whole answer is one of these: of anything longer nobody can say what its first word is worth. */
const YES = /^(yes|y|yes,? please|ok|okay|sure|allow|allowed|go ahead|ja)[.!]*$/i;
const NO = /^(no|n|no,? thanks|nope|never|deny|denied|refuse|refused|don'?t|do not|nein)[.!]*$/i;

export const markOf = ({ kind, title, input }: ToolCall): string =>
  hash('sha256', JSON.stringify([kind, title, input])).slice(0, 8);

export function questionFor(call: ToolCall): string {
  const input = call.input === '' || call.title.includes(call.input) ? '' : `\n\n    ${call.input}`;
  return `May I do this (${call.kind})? Answer with yes or no, and nothing else. (call ${markOf(call)})\n\n    ${call.title}${input}`;
}

/** The person's last answers, by the mark of the call. A call whose answer is neither yes nor no is asked about again. What others
 * say below a question, on a tracker for instance, permits nothing. */
export function readPermissions(context: RunInput['context']): ReadonlyMap<string, 'allow' | 'deny'> {
  const permitted = new Map<string, 'allow' | 'deny'>();
  for (const answered of (context as Partial<TurnContext>).answers ?? []) {
    const mark = MARK.exec(answered.question.text)?.[1];
    const last = answerOfPerson(answered);
    if (mark === undefined || last === undefined) continue;
    const word = last.text.trim();
    if (YES.test(word)) permitted.set(mark, 'allow');
    else if (NO.test(word)) permitted.set(mark, 'deny');
    else permitted.delete(mark);
  }
  return permitted;
}
