// Reads what an agent printed, from any text to the one form of events.
import type { AgentEvent } from '../../core/rules/agent-event.ts';
import { withoutControls } from '../process/output-log.ts';
import type { EventReader } from './presets/preset.ts';
import { parseEvent } from './reading/fields.ts';
import type { WordClock } from './reading/limit-time.ts';
import { createLineSplitter } from './reading/line-splitter.ts';

export type OutputReader = ReturnType<typeof createOutputReader>;

export function createOutputReader(format: { reader(): EventReader }, clock: () => WordClock) {
  const splitter = createLineSplitter();
  const reader = format.reader();
  function eventsOf(line: string): AgentEvent[] {
    const event = parseEvent(line);
    if (event !== null) return reader.event(event, clock());
    const text = withoutControls(line);
    if (text.trim() === '') return [];
    return reader.line?.(text, clock()) ?? [{ type: 'line', text }];
  }
  return {
    /** The events that this piece of output completes. */
    read: (text: string) => splitter.push(text).flatMap(eventsOf),
    /** Those of a last line without an end. */
    end: () => splitter.rest().flatMap(eventsOf),
  };
}
