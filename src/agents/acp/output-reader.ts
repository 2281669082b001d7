// Reads what an agent said in the protocol, as it stands in output.log line after line: its messages, its program's other
// words, and between them notes of ours.
import type { AgentEvent } from '../../core/rules/agent-event.ts';
import { cutOffEvents, type EventReader, sessionEvents, troubleEvents } from '../command/presets/preset.ts';
import { countOf, type Fields, fieldsOf, inputLine, listOf, textOf } from '../command/reading/fields.ts';
import type { WordClock } from '../command/reading/limit-time.ts';

/** Notes of ours have this key; what it says is one of the words below, or a sentence for people. */
export const NOTE = 'taskroom';
/** Between these the agent repeats what was said in earlier turns. */
export const REPLAY_BEGINS = 'replay begins';
export const REPLAY_ENDS = 'replay ends';

/** What claude-agent-acp tells its makers: how long each part of its start took, what it did not have to do. */
const CHATTER = /^\[(?:session\/\w+\] sessionId=|idle-compaction\] skip: )/;

/** Error code of the protocol: the agent wants somebody to sign in. */
const AUTH_REQUIRED = -32000;

function createAcpReader(): EventReader {
  let isReplay = false;
  const kept: Reading = { spending: createSpending(), calls: createCallEvents(), failing: createFailing() };
  return {
    event(event, clock) {
      const note = event[NOTE];
      if (typeof note === 'string') {
        if (note === REPLAY_BEGINS) isReplay = true;
        if (note === REPLAY_ENDS) isReplay = false;
        return note === REPLAY_BEGINS || note === REPLAY_ENDS ? [] : [{ type: 'line', text: note }];
      }
      if (event.method === 'session/request_permission')
        return isReplay ? [] : kept.calls.asked(fieldsOf(fieldsOf(event.params).toolCall));
      const update = event.method === 'session/update' ? fieldsOf(fieldsOf(event.params).update) : null;
      // A session that can't be taken up is told by a note of ours.
      if (update === null) return isReplay ? [] : answered(event, clock, kept);
      if (update.sessionUpdate === 'usage_update') return kept.spending.cost(fieldsOf(update.cost), isReplay);
      return isReplay ? [] : updated(update, clock, kept);
    },
    line: (text) => (CHATTER.test(text) ? [] : [{ type: 'line', text }]),
  };
}

export const ACP_FORMAT = { reader: createAcpReader };

function updated(update: Fields, clock: WordClock, { calls, failing }: Reading): AgentEvent[] {
  switch (update.sessionUpdate) {
    case 'agent_message_chunk': {
      const text = textOf(fieldsOf(update.content).text);
      return text === '' ? [] : [...calls.rest(), ...failing.say(text, clock)];
    }
    case 'agent_thought_chunk':
      return [{ type: 'alive' }];
    case 'tool_call':
    case 'tool_call_update':
      failing.goOn();
      return calls.take(update);
    case 'session_info_update':
      return failing.aside(fieldsOf(fieldsOf(update._meta).codex), clock);
    default:
      return [];
  }
}

function answered(event: Fields, clock: WordClock, { spending, calls, failing }: Reading): AgentEvent[] {
  const { stopReason, sessionId, usage, _meta } = fieldsOf(event.result);
  if (typeof stopReason === 'string')
    return [
      ...calls.rest(),
      ...spending.tokens(fieldsOf(usage), fieldsOf(_meta)),
      ...failing.end(stopReason, fieldsOf(usage)),
    ];
  if (typeof sessionId === 'string') return sessionEvents(sessionId);
  const error = fieldsOf(event.error);
  if (typeof error.message !== 'string') return [];
  return troubleEvents(wordsOf(error), kindOf(error), clock);
}

interface Reading {
  spending: ReturnType<typeof createSpending>;
  calls: ReturnType<typeof createCallEvents>;
  failing: ReturnType<typeof createFailing>;
}

/** Of an error that says nothing itself, its details. */
function wordsOf({ message, data }: Fields): string {
  const details =
    typeof data === 'string' ? data : textOf(fieldsOf(data).details) || textOf(fieldsOf(data).message);
  return details === '' ? textOf(message) : `${textOf(message)}: ${details}`;
}

function kindOf({ code, data }: Fields) {
  const { status, statusCode } = fieldsOf(data);
  if (code === AUTH_REQUIRED) return { kind: 'credentials' as const };
  if (fieldsOf(data).errorKind === 'model_not_found') return { kind: 'model' as const };
  return { status: statusCode ?? status };
}

/** What an agent says of cost is that of its whole session: what stood there before this turn is not this turn's. */
function createSpending() {
  const used = { inputTokens: 0, outputTokens: 0, costUsd: null as number | null };
  let before = 0;
  const told = (): AgentEvent[] => [{ type: 'usage', usage: { ...used } }];
  return {
    cost({ amount, currency }: Fields, isReplay: boolean): AgentEvent[] {
      if (typeof amount !== 'number' || !(amount >= 0) || currency !== 'USD') return [];
      if (isReplay) before = amount;
      else used.costUsd = amount >= before ? amount - before : amount;
      return isReplay ? [] : told();
    },
    tokens(usage: Fields, more: Fields): AgentEvent[] {
      const cached = countOf(usage.cachedReadTokens) + countOf(usage.cachedWriteTokens);
      // Gemini tells beside the protocol.
      const quota = fieldsOf(fieldsOf(more.quota).token_count);
      const inputTokens = countOf(usage.inputTokens) + cached || countOf(quota.input_tokens);
      const outputTokens = countOf(usage.outputTokens) || countOf(quota.output_tokens);
      if (inputTokens + outputTokens === 0) return [];
      Object.assign(used, { inputTokens, outputTokens });
      return told();
    },
  };
}

/**
 * Tool calls as people read them: each is told once, as soon as it is known what it is called with. Many agents announce a call by
 * its name alone and tell the rest later.
 */
function createCallEvents() {
  /** Announced and not told yet, by their id. */
  const untold = new Map<string, Fields>();
  const told = new Set<string>();

  function tell(id: string, call: Fields): AgentEvent {
    untold.delete(id);
    told.add(id);
    const title = textOf(call.title).replace(/\s+/g, ' ').trim();
    const name = title || textOf(call.name) || textOf(call.kind) || 'tool';
    return { type: 'tool', name, input: inputOf(call) };
  }

  return {
    take(update: Fields): AgentEvent[] {
      const id = textOf(update.toolCallId);
      const call = { ...untold.get(id), ...withoutGaps(update) };
      const hasEnded = update.status === 'completed' || update.status === 'failed';
      const result = hasEnded ? [resultOf(update)] : [];
      if (update.sessionUpdate === 'tool_call') told.delete(id);
      else if (!untold.has(id)) return result;
      if (hasEnded || inputOf(call) !== '') return [tell(id, call), ...result];
      untold.set(id, call);
      return [{ type: 'alive' }];
    },
    /** A call as it stands in a question for leave, which says all of it; some agents tell of it there for the first time. */
    asked(call: Fields) {
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

/** What an update says, which leaves out what was told before. */
export function withoutGaps(update: Fields): Fields {
  return Object.fromEntries(
    Object.entries(update).filter(([, value]) => value !== undefined && value !== null),
  );
}

/** A call without an input says what it is about in its title. */
function inputOf({ rawInput }: Fields): string {
  return Object.keys(fieldsOf(rawInput)).length === 0 && typeof rawInput !== 'string'
    ? ''
    : inputLine(rawInput);
}

function resultOf({ content, status }: Fields): AgentEvent {
  return { type: 'result', text: textsOf(content), failed: status === 'failed' };
}

function textsOf(content: unknown): string {
  const parts = listOf(content).map((part) =>
    part.type === 'diff' ? `changed ${textOf(part.path)}` : textOf(fieldsOf(part.content).text),
  );
  return parts.filter(Boolean).join('\n');
}

const ERROR = /^Error: (.+)/s;
/** What Copilot says when it ended its turn over a call that it was refused. */
const GAVE_UP = /^(?:Info: )?(Operation cancelled by user)\.?\s*$/;

/**
 * Some agents end their turn as if all were well when it was not, and say so in words alone: codex-acp, which beside them tells a
 * state of its own, and Copilot.
 */
function createFailing() {
  let isBroken = false;
  let hasFailed = false;
  /** Of the last words, when they are an error that is known for what it is. */
  let last: AgentEvent | null = null;
  return {
    say(text: string, clock: WordClock): AgentEvent[] {
      last = null;
      const said: AgentEvent = { type: 'text', text, partial: true };
      if (isBroken) {
        hasFailed = true;
        return troubleEvents(text, {}, clock);
      }
      const words = ERROR.exec(text)?.[1];
      const [trouble] = words === undefined ? [] : troubleEvents(words, {}, clock);
      const gaveUp = GAVE_UP.exec(text)?.[1];
      if (gaveUp !== undefined) [last = null] = cutOffEvents(gaveUp);
      if (trouble?.type === 'trouble' && trouble.trouble.kind !== 'other') last = trouble;
      return [said];
    },
    /** It does something: whatever it said before, it got over. */
    goOn() {
      last = null;
    },
    /** What codex-acp tells beside the protocol: the state of its thread, errors that it tries to get over. */
    aside({ threadStatus, error }: Fields, clock: WordClock): AgentEvent[] {
      const type = textOf(fieldsOf(threadStatus).type);
      if (type !== '') isBroken = type === 'systemError';
      if (type === 'active') hasFailed = false;
      const { message, additionalDetails } = fieldsOf(error);
      const words = [message, additionalDetails].map(textOf).filter(Boolean).join(': ');
      return words === '' ? [] : troubleEvents(words, {}, clock);
    },
    end(stopReason: string, usage: Fields): AgentEvent[] {
      // One that had an answer of its model tells what that used.
      const isSure = last?.type === 'trouble' && last.trouble.kind === 'answer';
      const words = last !== null && (isSure || Object.keys(usage).length === 0) ? [last] : [];
      const failed = stopReason !== 'end_turn' || hasFailed || words.length > 0;
      return [...words, { type: 'end', failed }];
    },
  };
}
