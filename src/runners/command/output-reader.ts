// Reads what an agent printed, from any text to the one form of events.
import type { AgentEvent } from '../../core/rules/agent-event.ts';
import { withoutControls } from '../process/output-log.ts';
import type { EventReader } from './presets/preset.ts';
import { parseEvent } from './reading/fields.ts';
import type { WordClock } from './reading/limit-time.ts';

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
    read: (text: string) => splitter.push(text).flatMap(eventsOf),
    end: () => splitter.rest().flatMap(eventsOf),
  };
}

const LONGEST = 8 * 1024 * 1024;

export function createLineSplitter() {
  let begun = '';
  let isTooLong = false;
  return {
    push(text: string) {
      const lines = text.split('\n');
      const last = lines.pop()!;
      if (lines.length === 0) {
        begun = isTooLong ? '' : begun + last;
      } else {
        lines[0] = begun + lines[0]!;
        if (isTooLong) lines.shift();
        isTooLong = false;
        begun = last;
      }
      if (begun.length > LONGEST) {
        begun = '';
        isTooLong = true;
      }
      return lines.filter((line) => line.length <= LONGEST).map((line) => line.replace(/\r$/, ''));
    },
    rest() {
      const line = begun;
      begun = '';
      return line === '' ? [] : [line];
    },
  };
}
