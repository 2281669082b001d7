// The output of a model's turn: one event a line, as it is read again by whoever shows or follows it.
import type { AgentEvent } from '../../core/rules/agent-event.ts';
import type { EventReader } from '../command/presets/preset.ts';
import { countOf, type Fields, fieldsOf, textOf } from '../command/reading/fields.ts';

export const MODEL_FORMAT: { reader(): EventReader } = {
  reader: () => ({ event: (event) => read(event) }),
};

// The file may hold anything by the time it is read: every value is looked at.
function read(event: Fields): AgentEvent[] {
  const text = textOf(event.text);
  switch (event.type) {
    case 'session':
      return [{ type: 'session', id: textOf(event.id) }];
    case 'text':
      return [{ type: 'text', text, partial: event.partial === true }];
    case 'tool':
      return [{ type: 'tool', name: textOf(event.name), input: textOf(event.input) }];
    case 'result':
      return [{ type: 'result', text, failed: event.failed === true }];
    case 'usage':
      return [{ type: 'usage', usage: usageOf(fieldsOf(event.usage)) }];
    case 'alive':
      return [{ type: 'alive' }];
    case 'end':
      return [{ type: 'end', failed: event.failed === true }];
    case 'trouble':
    case 'line':
      return [{ type: 'line', text: text || textOf(fieldsOf(event.trouble).message) }];
    default:
      return [];
  }
}

function usageOf({ inputTokens, outputTokens, costUsd }: Fields) {
  return {
    inputTokens: countOf(inputTokens),
    outputTokens: countOf(outputTokens),
    costUsd: typeof costUsd === 'number' ? costUsd : null,
  };
}
