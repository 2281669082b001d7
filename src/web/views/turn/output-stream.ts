// What a turn prints, as it comes: events of its agent, put together to blocks that can be shown.
import type { AgentEvent } from '../../../core/rules/turn.ts';

export type Block =
  | { kind: 'words' | 'line'; text: string }
  | { kind: 'tool'; name: string; input: string; result: string | null; failed: boolean }
  | { kind: 'trouble'; text: string };

/** Blocks above this are dropped from the start: what a person reads is near the end. */
const MOST_BLOCKS = 2_000;
const MOST_CHARS = 200_000; // Of one block; programs print megabytes without a line end.

/** Adds an event to the blocks; the last one may grow. */
export function addEvent(blocks: Block[], event: AgentEvent): void {
  const last = blocks.at(-1);
  switch (event.type) {
    case 'text':
      if (last?.kind === 'words' && (event.partial === true || !last.text.endsWith('\n\n')))
        blocks[blocks.length - 1] = { kind: 'words', text: grown(last.text, event) };
      else blocks.push({ kind: 'words', text: event.text });
      break;
    case 'tool':
      blocks.push({ kind: 'tool', name: event.name, input: event.input, result: null, failed: false });
      break;
    case 'result': {
      const at = blocks.findIndex((block) => block.kind === 'tool' && block.result === null);
      const call = blocks[at];
      if (call?.kind === 'tool') blocks[at] = { ...call, result: event.text, failed: event.failed };
      break;
    }
    case 'trouble':
      blocks.push({ kind: 'trouble', text: event.trouble.message });
      break;
    case 'line':
      blocks.push({ kind: 'line', text: event.text });
      break;
    default:
      break;
  }
  if (blocks.length > MOST_BLOCKS) blocks.splice(0, blocks.length - MOST_BLOCKS);
}

function grown(text: string, event: { text: string; partial?: boolean }): string {
  const all = event.partial === true ? text + event.text : `${text}\n${event.text}`;
  return all.length > MOST_CHARS ? `…${all.slice(-MOST_CHARS)}` : all;
}
