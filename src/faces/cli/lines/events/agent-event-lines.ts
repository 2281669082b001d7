// The live log's lines of agents: when their turns wait, and when they wait no more.
import type { RoomEvent } from '../../../../core/events.ts';
import type { Paint } from '../../paint.ts';
import { momentText } from '../time-text.ts';
import type { LogLine } from './log-line.ts';

/** @param atMs when the event was seen */
export function agentEventLines(event: RoomEvent, paint: Paint, atMs: number): LogLine[] {
  switch (event.type) {
    case 'agent.waiting': {
      const who = event.agent === null ? 'turns' : 'its turns';
      const what = event.fallback === null ? `${who} wait until` : `${event.fallback} takes ${who} until`;
      const text = `${event.text}: ${what} ${momentText(event.until, atMs)}`;
      return [{ glyph: paint('yellow', '⏸'), name: '', text, long: true }];
    }
    case 'agent.ready': {
      const who = event.agent === null ? 'turns wait' : `turns of agent ${event.agent} wait`;
      return [{ glyph: paint('green', '✓'), name: '', text: `${who} no more` }];
    }
    default:
      return [];
  }
}
