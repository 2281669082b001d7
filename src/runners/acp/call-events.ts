// Tool calls as people read them: each is told once, as soon as it is known what it is called with. Many agents announce a
// call by its name alone and tell the rest later.
import type { AgentEvent } from '../../core/rules/agent-event.ts';
import { type Fields, fieldsOf, inputLine, listOf, textOf } from '../command/reading/fields.ts';

export type CallEvents = ReturnType<typeof createCallEvents>;

export function createCallEvents() {
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
    /** A call, or more of one. */
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
