// Reads what an agent said in the protocol, as it stands in output.log line after line: its messages, its program's other
// words, and between them notes of ours.
import type { AgentEvent } from '../../core/rules/agent-event.ts';
import type { EventReader } from '../command/presets/preset.ts';
import { sessionEvents, troubleEvents } from '../command/presets/preset.ts';
import { countOf, type Fields, fieldsOf, textOf } from '../command/reading/fields.ts';
import type { WordClock } from '../command/reading/limit-time.ts';
import { type CallEvents, createCallEvents } from './call-events.ts';
import { createFailing, type Failing } from './failing.ts';

/** Notes of ours have this key; what it says is one of the words below, or a sentence for people. */
export const NOTE = 'taskroom';
/** Between these the agent repeats what was said in earlier turns. */
export const REPLAY_BEGINS = 'replay begins';
export const REPLAY_ENDS = 'replay ends';

/** What claude-agent-acp tells its makers: how long each part of its start took, what it did not have to do. */
const CHATTER = /^\[(?:session\/\w+\] sessionId=|idle-compaction\] skip: )/;

/** Error code of the protocol: the agent wants somebody to sign in. */
const AUTH_REQUIRED = -32000;

export function createAcpReader(): EventReader {
  let isReplay = false;
  const spending = createSpending();
  const calls = createCallEvents();
  const failing = createFailing();
  return {
    event(event, clock) {
      const note = event[NOTE];
      if (typeof note === 'string') {
        if (note === REPLAY_BEGINS) isReplay = true;
        if (note === REPLAY_ENDS) isReplay = false;
        return note === REPLAY_BEGINS || note === REPLAY_ENDS ? [] : [{ type: 'line', text: note }];
      }
      if (event.method === 'session/request_permission')
        return isReplay ? [] : calls.asked(fieldsOf(fieldsOf(event.params).toolCall));
      const update = event.method === 'session/update' ? fieldsOf(fieldsOf(event.params).update) : null;
      // A session that can't be taken up is told by a note of ours.
      if (update === null) return isReplay ? [] : answered(event, clock, { spending, calls, failing });
      if (update.sessionUpdate === 'usage_update') return spending.cost(fieldsOf(update.cost), isReplay);
      return isReplay ? [] : updated(update, calls, failing, clock);
    },
    line: (text) => (CHATTER.test(text) ? [] : [{ type: 'line', text }]),
  };
}

/** The format of the protocol, for whoever reads or follows output. */
export const ACP_FORMAT = { reader: createAcpReader };

function updated(update: Fields, calls: CallEvents, failing: Failing, clock: WordClock): AgentEvent[] {
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
  spending: Spending;
  calls: CallEvents;
  failing: Failing;
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

type Spending = ReturnType<typeof createSpending>;

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
