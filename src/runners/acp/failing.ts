// Agents that end their turn as if all were well when it was not, and say so in words alone: codex-acp, which beside them
// tells a state of its own, and Copilot.
import type { AgentEvent } from '../../core/rules/agent-event.ts';
import { troubleEvents } from '../command/presets/preset.ts';
import { type Fields, fieldsOf, textOf } from '../command/reading/fields.ts';
import type { WordClock } from '../command/reading/limit-time.ts';
import { troubleOf } from '../command/reading/trouble.ts';

/** A message that is nothing else. */
const ERROR = /^Error: (.+)/s;
/** What Copilot says when it ended its turn over a call that it was refused. */
const GAVE_UP = /^(?:Info: )?(Operation cancelled by user)\.?\s*$/;

export type Failing = ReturnType<typeof createFailing>;

export function createFailing() {
  let isBroken = false;
  let hasFailed = false;
  /** Of the last words, when they are an error that is known for what it is. */
  let last: AgentEvent | null = null;
  return {
    /** Words of the agent. */
    say(text: string, clock: WordClock): AgentEvent[] {
      last = null;
      const said: AgentEvent = { type: 'text', text, partial: true };
      if (isBroken) {
        hasFailed = true;
        return troubleEvents(text, {}, clock);
      }
      const words = ERROR.exec(text)?.[1];
      const trouble = words === undefined ? null : troubleOf(words, {}, clock);
      const gaveUp = GAVE_UP.exec(text)?.[1];
      if (gaveUp !== undefined)
        last = { type: 'trouble', trouble: { kind: 'answer', message: gaveUp, until: null } };
      if (trouble !== null && trouble.kind !== 'other') last = { type: 'trouble', trouble };
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
    /** How its turn ended. */
    end(stopReason: string, usage: Fields): AgentEvent[] {
      // One that had an answer of its model tells what that used.
      const isSure = last?.type === 'trouble' && last.trouble.kind === 'answer';
      const words = last !== null && (isSure || Object.keys(usage).length === 0) ? [last] : [];
      const failed = stopReason !== 'end_turn' || hasFailed || words.length > 0;
      return [...words, { type: 'end', failed }];
    },
  };
}
