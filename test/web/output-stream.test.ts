// The output of a turn, put together from the events of its agent.
import { expect, test } from 'vitest';
import type { AgentEvent } from '../../src/core/rules/turn.ts';
import { addEvent, type Block } from '../../src/web/views/turn/output-stream.ts';

function blocksOf(...events: AgentEvent[]): Block[] {
  const blocks: Block[] = [];
  for (const event of events) addEvent(blocks, event);
  return blocks;
}

test('parts of words go on, a tool stands between, and its answer comes to it', () => {
  const blocks = blocksOf(
    { type: 'text', text: 'I rea', partial: true },
    { type: 'text', text: 'd it.', partial: true },
    { type: 'tool', name: 'Read', input: 'a.ts' },
    { type: 'tool', name: 'Bash', input: 'ls' },
    { type: 'result', text: 'lines', failed: false },
    { type: 'result', text: 'no', failed: true },
    { type: 'trouble', trouble: { kind: 'network', message: 'away', until: null } },
    { type: 'alive' },
    { type: 'end', failed: false },
  );
  expect(blocks).toEqual([
    { kind: 'words', text: 'I read it.' },
    { kind: 'tool', name: 'Read', input: 'a.ts', result: 'lines', failed: false },
    { kind: 'tool', name: 'Bash', input: 'ls', result: 'no', failed: true },
    { kind: 'trouble', text: 'away' },
  ]);
});

test('an output without an end takes no room without an end', () => {
  const long = blocksOf(
    ...Array.from({ length: 300 }, () => ({ type: 'text', text: 'x'.repeat(1000), partial: true }) as const),
  );
  expect(long).toHaveLength(1);
  expect((long[0] as { text: string }).text.length).toBeLessThanOrEqual(200_001);
  const many = blocksOf(
    ...Array.from({ length: 3000 }, (_, at) => ({ type: 'line', text: `${at}` }) as const),
  );
  expect(many).toHaveLength(2000);
  expect(many.at(-1)).toEqual({ kind: 'line', text: '2999' });
});
