// Tool calls as people read them: each is told once, as soon as it is known what it is called with. Many agents announce a
// call by its name alone and tell the rest later.
import type { AgentEvent } from '../../core/rules/agent-event.ts';
import { type Fields, fieldsOf, inputLine, listOf, textOf } from '../command/reading/fields.ts';

export interface CallEvents {
  /** A call, or more of one. */
  take(update: Fields): AgentEvent[];
  /** Calls of which nothing more was told before something else was said. */
  rest(): AgentEvent[];
}

export function createCallEvents(): CallEvents {
  /** Announced and not told yet, by their id. */
  const untold = new Map<string, Fields>();
  return {
    take(update) {
      const id = textOf(update.toolCallId);
      const known = untold.get(id);
      const call = { ...known, ...withoutGaps(update) };
      const hasEnded = update.status === 'completed' || update.status === 'failed';
      const result = hasEnded ? [resultOf(update)] : [];
      if (known === undefined && update.sessionUpdate !== 'tool_call') return result;
      if (!hasEnded && inputOf(call) === '') {
        untold.set(id, call);
        return [{ type: 'alive' }];
      }
      untold.delete(id);
      return [toolOf(call), ...result];
    },
    rest() {
      const calls = [...untold.values()].map(toolOf);
      untold.clear();
      return calls;
    },
  };
}

function withoutGaps(update: Fields): Fields {
  return Object.fromEntries(
    Object.entries(update).filter(([, value]) => value !== undefined && value !== null),
  );
}

function toolOf(call: Fields): AgentEvent {
  const title = textOf(call.title).replace(/\s+/g, ' ').trim();
  const name = title || textOf(call.name) || textOf(call.kind) || 'tool';
  return { type: 'tool', name, input: inputOf(call) };
}

/** A call without an input says what it is about in its title. */
function inputOf({ rawInput }: Fields): string {
  return Object.keys(fieldsOf(rawInput)).length === 0 && typeof rawInput !== 'string'
    ? ''
    : inputLine(rawInput);
}

function resultOf({ content, status }: Fields): AgentEvent {
  const parts = listOf(content).map((part) =>
    part.type === 'diff' ? `changed ${textOf(part.path)}` : textOf(fieldsOf(part.content).text),
  );
  return { type: 'result', text: parts.filter(Boolean).join('\n'), failed: status === 'failed' };
}
