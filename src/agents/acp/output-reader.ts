// Reads what an agent said in the protocol, as it stands in output.log line after line: its messages, its program's other
// words, and between them notes of ours.
import type { AgentEvent, AgentTrouble } from '../../core/rules/turn.ts';
import * as events from '../command/reading/events.ts';
import type { Fields } from '../command/reading/fields.ts';
import { countOf, fieldsOf, inputLine, listOf, oneLine, textOf } from '../command/reading/fields.ts';
import { troubleOf, type WordClock } from '../command/reading/trouble.ts';

/** Notes of ours have this key; its value is one of the words below, or a sentence for people. */
export const NOTE = 'taskroom';
/** Between these the agent repeats what was said in earlier turns. */
export const REPLAY_BEGINS = 'replay begins';
export const REPLAY_ENDS = 'replay ends';

/** What claude-agent-acp tells its makers: how long each part of its start took, what it did not have to do. */
const CHATTER = /^\[(?:session\/\w+\] sessionId=|idle-compaction\] skip: )/;
const AUTH_REQUIRED = -32000; // Error code of the protocol: the agent wants somebody to sign in.
export const ACP_FORMAT = { reader: createAcpReader };

function createAcpReader(): events.EventReader {
  let isReplay = false;
  const parts = { usage: createUsageReader(), calls: createCallReader(), failures: createFailureReader() };
  return {
    event(event, clock) {
      const note = event[NOTE];
      if (note === REPLAY_BEGINS || note === REPLAY_ENDS) {
        isReplay = note === REPLAY_BEGINS;
        return [];
      }
      if (typeof note === 'string') return [{ type: 'line', text: note }];
      const params = fieldsOf(event.params);
      const update = event.method === 'session/update' ? fieldsOf(params.update) : null;
      if (update?.sessionUpdate === 'usage_update') return parts.usage.cost(fieldsOf(update.cost), isReplay);
      // A session that can't be taken up is told by a note of ours.
      if (isReplay) return [];
      if (event.method === 'session/request_permission') return parts.calls.asked(fieldsOf(params.toolCall));
      return update === null ? readAnswer(event, clock, parts) : readUpdate(update, clock, parts);
    },
    line: (text) => (CHATTER.test(text) ? [] : [{ type: 'line', text }]),
  };
}

interface ReaderParts {
  usage: ReturnType<typeof createUsageReader>;
  calls: ReturnType<typeof createCallReader>;
  failures: ReturnType<typeof createFailureReader>;
}

function readUpdate(update: Fields, clock: WordClock, { calls, failures }: ReaderParts): AgentEvent[] {
  switch (update.sessionUpdate) {
    case 'agent_message_chunk': {
      const text = textOf(fieldsOf(update.content).text);
      return text === '' ? [] : [...calls.rest(), ...failures.text(text, clock)];
    }
    case 'agent_thought_chunk':
      return [{ type: 'alive' }];
    case 'tool_call':
    case 'tool_call_update':
      failures.work();
      return calls.update(update);
    case 'session_info_update':
      return failures.codexState(fieldsOf(fieldsOf(update._meta).codex), clock);
    default:
      return [];
  }
}

function readAnswer(event: Fields, clock: WordClock, { usage, calls, failures }: ReaderParts): AgentEvent[] {
  const { stopReason, sessionId, usage: used, _meta } = fieldsOf(event.result);
  if (typeof stopReason === 'string')
    return [
      ...calls.rest(),
      ...usage.tokens(fieldsOf(used), fieldsOf(_meta)),
      ...failures.end(stopReason, fieldsOf(used)),
    ];
  if (typeof sessionId === 'string') return events.session(sessionId);
  const { code, message, data } = fieldsOf(event.error);
  if (typeof message !== 'string') return [];
  const about = fieldsOf(data);
  const details = typeof data === 'string' ? data : textOf(about.details) || textOf(about.message);
  const kind =
    code === AUTH_REQUIRED ? 'credentials' : about.errorKind === 'model_not_found' ? 'model' : undefined;
  const status = about.statusCode ?? about.status;
  return events.trouble(details === '' ? message : `${message}: ${details}`, clock, { kind, status });
}

/** An agent tells the cost of its whole session: what stood there before this turn is not this turn's. */
function createUsageReader() {
  const used = { inputTokens: 0, outputTokens: 0, costUsd: null as number | null };
  let before = 0;
  const tell = (): AgentEvent[] => [{ type: 'usage', usage: { ...used } }];
  return {
    cost({ amount, currency }: Fields, isReplay: boolean): AgentEvent[] {
      if (typeof amount !== 'number' || !(amount >= 0) || currency !== 'USD') return [];
      if (isReplay) before = amount;
      else used.costUsd = amount >= before ? amount - before : amount;
      return isReplay ? [] : tell();
    },
    tokens(usage: Fields, meta: Fields): AgentEvent[] {
      const cached = countOf(usage.cachedReadTokens) + countOf(usage.cachedWriteTokens);
      // Gemini tells beside the protocol.
      const quota = fieldsOf(fieldsOf(meta.quota).token_count);
      const inputTokens = countOf(usage.inputTokens) + cached || countOf(quota.input_tokens);
      const outputTokens = countOf(usage.outputTokens) || countOf(quota.output_tokens);
      if (inputTokens + outputTokens === 0) return [];
      Object.assign(used, { inputTokens, outputTokens });
      return tell();
    },
  };
}

/** Tells each tool call once, when its input is known: many agents announce a call by its name alone. */
function createCallReader() {
  /** Announced and not told yet, by their id. */
  const untold = new Map<string, Fields>();
  const told = new Set<string>();

  function tell(id: string, call: Fields): AgentEvent {
    untold.delete(id);
    told.add(id);
    const name = oneLine(textOf(call.title)) || textOf(call.name) || textOf(call.kind) || 'tool';
    return { type: 'tool', name, input: inputOf(call) };
  }

  return {
    update(update: Fields): AgentEvent[] {
      const id = textOf(update.toolCallId);
      const call = { ...untold.get(id), ...withoutGaps(update) };
      const { status, content } = update;
      const hasEnded = status === 'completed' || status === 'failed';
      const result: AgentEvent[] = hasEnded
        ? [{ type: 'result', text: textsOf(content), failed: status === 'failed' }]
        : [];
      if (update.sessionUpdate === 'tool_call') told.delete(id);
      else if (!untold.has(id)) return result;
      if (hasEnded || inputOf(call) !== '') return [tell(id, call), ...result];
      untold.set(id, call);
      return [{ type: 'alive' }];
    },
    /** A permission request says all of its call; some agents tell of the call there for the first time. */
    asked(call: Fields): AgentEvent[] {
      const id = textOf(call.toolCallId);
      if (told.has(id)) return [];
      const whole: Fields = { ...untold.get(id), ...withoutGaps(call) };
      const rawInput = inputOf(whole) === '' ? textsOf(whole.content) : whole.rawInput;
      return [tell(id, { ...whole, rawInput })];
    },
    /** Calls of which nothing more was told before something else was said. */
    rest: () => [...untold].map(([id, call]) => tell(id, call)),
  };
}

/** What an update says; it leaves out, or nulls, what was told before. */
export const withoutGaps = (update: Fields): Fields =>
  Object.fromEntries(Object.entries(update).filter(([, value]) => (value ?? null) !== null));

/** A call without an input says what it is about in its title. */
function inputOf({ rawInput }: Fields): string {
  const isEmpty = Object.keys(fieldsOf(rawInput)).length === 0 && typeof rawInput !== 'string';
  return isEmpty ? '' : inputLine(rawInput);
}

function textsOf(content: unknown): string {
  const parts = listOf(content).map((part) =>
    part.type === 'diff' ? `changed ${textOf(part.path)}` : textOf(fieldsOf(part.content).text),
  );
  return parts.filter(Boolean).join('\n');
}

/** What Copilot says when it ended its turn over a call that it was refused. */
const GAVE_UP = /^(?:Info: )?(Operation cancelled by user)\.?\s*$/;

/** Some agents end their turn as if all were well when it was not, and say so in words alone: codex-acp, which beside them tells
 * a state of its own, and Copilot. */
function createFailureReader() {
  let isBroken = false;
  let hasFailed = false;
  /** The trouble in the last words, when it is known for what it is. */
  let last: AgentTrouble | null = null;
  return {
    text(text: string, clock: WordClock): AgentEvent[] {
      last = null;
      if (isBroken) {
        hasFailed = true;
        return events.trouble(text, clock);
      }
      const error = /^Error: (.+)/s.exec(text)?.[1];
      const found = error === undefined ? null : troubleOf(error, {}, clock);
      const message = GAVE_UP.exec(text)?.[1];
      if (message !== undefined) last = { kind: 'answer', message, until: null };
      if (found !== null && found.kind !== 'other') last = found;
      return [{ type: 'text', text, partial: true }];
    },
    /** It does something: whatever it said before, it got over. */
    work() {
      last = null;
    },
    /** What codex-acp tells beside the protocol: the state of its thread, errors that it tries to get over. */
    codexState({ threadStatus, error }: Fields, clock: WordClock): AgentEvent[] {
      const type = textOf(fieldsOf(threadStatus).type);
      if (type !== '') isBroken = type === 'systemError';
      if (type === 'active') hasFailed = false;
      const { message, additionalDetails } = fieldsOf(error);
      const words = [message, additionalDetails].map(textOf).filter(Boolean).join(': ');
      return words === '' ? [] : events.trouble(words, clock);
    },
    end(stopReason: string, usage: Fields): AgentEvent[] {
      // An agent that had an answer of its model tells what that used: words of another kind were no failure then.
      const counts = last !== null && (last.kind === 'answer' || Object.keys(usage).length === 0);
      const trouble: AgentEvent[] = counts ? [{ type: 'trouble', trouble: last! }] : [];
      return [...trouble, { type: 'end', failed: stopReason !== 'end_turn' || hasFailed || counts }];
    },
  };
}
