// What becomes of a call that an agent asks leave for. Pure but for the look at where a path really leads.
import type { Approval, Permissions, ToolKind } from '../../core/config/agent-config.ts';
import { TOOL_KINDS } from '../../core/config/agent-config.ts';
import { type Fields, fieldsOf, inputLine, listOf, textOf } from '../command/reading/fields.ts';
import { withoutGaps } from './call-events.ts';

/** A tool call as far as its agent told of it. */
export interface AskedCall {
  kind: ToolKind;
  /** The agent's words for it, one line. */
  title: string;
  /** What it is called with, one line. */
  input: string;
  /** Paths it is about. */
  paths: string[];
  /** Whether it is a tool of the room, which looks itself at what the turn may do. */
  isOurs: boolean;
}

export interface Leave {
  permissions: Permissions;
  approve: Partial<Record<ToolKind, Approval>>;
  /** Whether a path lies where the agent may work. */
  mayWork(path: string): boolean;
  /** Whether it may at least be looked at. */
  mayRead(path: string): boolean;
}

/** Of our MCP server, as each agent writes the name of a server's tool. */
const OURS = /^(?:mcp__)?taskroom(?:__|_|\.|\/|:)|^\S+ \(taskroom MCP Server\)/;
const LOOKING: ReadonlySet<ToolKind> = new Set(['read', 'search', 'think']);
const WRITING: ReadonlySet<ToolKind> = new Set(['edit', 'delete', 'move']);

/** Whether a call may be made, may not, or is for the person to decide. */
export function decideLeave(call: AskedCall, leave: Leave): Approval {
  const { kind, paths, isOurs } = call;
  if (isOurs) return 'allow';
  const said = leave.approve[kind];
  if (said !== undefined) return said;
  if (leave.permissions === 'all') return 'allow';
  if (LOOKING.has(kind)) return paths.every((path) => leave.mayRead(path)) ? 'allow' : 'deny';
  if (WRITING.has(kind)) return paths.every((path) => leave.mayWork(path)) ? 'allow' : 'deny';
  // Programs reach whatever the person reaches, the network too.
  if (kind === 'execute' || kind === 'fetch') return leave.permissions === 'run' ? 'allow' : 'deny';
  return 'deny';
}

/** The answer to the agent that says this; null where it offers none that does. */
export function chooseOption(options: unknown, decision: 'allow' | 'deny'): string | null {
  const offered = listOf(options);
  const word = decision === 'allow' ? 'allow' : 'reject';
  // Once: the next call is decided by itself.
  const found = [`${word}_once`, `${word}_always`]
    .map((kind) => offered.find((option) => option.kind === kind))
    .find((option) => option !== undefined);
  const id = found?.optionId;
  return typeof id === 'string' ? id : null;
}

/** Keeps what an agent tells of its calls: who asks leave says of the call only what is new. */
export type CallBook = ReturnType<typeof createCallBook>;

export function createCallBook() {
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
    /** The call that leave is asked for, with all that was told of it before. */
    asked: (update: unknown) => toCall(merge(fieldsOf(update))),
  };
}

function toCall(call: Fields): AskedCall {
  const title = textOf(call.title).replace(/\s+/g, ' ').trim();
  const kind = TOOL_KINDS.find((each) => each === call.kind) ?? 'other';
  const paths = [
    ...listOf(call.locations).map(({ path }) => textOf(path)),
    ...listOf(call.content).map(({ path }) => textOf(path)),
  ].filter((path) => path !== '');
  const names = [textOf(call.name), title];
  return {
    kind,
    title: title || textOf(call.name) || 'a tool without a name',
    input: call.rawInput === undefined ? '' : inputLine(call.rawInput),
    paths: [...new Set(paths)],
    // A command or a file may carry any name; what an MCP server offers is none of these.
    isOurs: (kind === 'other' || LOOKING.has(kind)) && names.some((name) => OURS.test(name)),
  };
}
