// The line that counts long work: on a terminal alone, and gone before the answer is printed.
import { expect, test } from 'vitest';
import { counting } from '../../../src/cli/lines/progress.ts';
import { createEventBus } from '../../../src/core/events.ts';
import { createFakeTerminal } from '../fake-terminal.ts';

async function count(columns: number | null): Promise<string> {
  const terminal = createFakeTerminal({ columns });
  const events = createEventBus(() => undefined);
  const done = await counting(events, terminal, async () => {
    events.emit({ type: 'bulk.progress', phase: 'checking', done: 900, total: 1000 });
    events.emit({ type: 'bulk.progress', phase: 'writing', done: 100, total: 1000 });
    return 'done';
  });
  events.emit({ type: 'bulk.progress', phase: 'writing', done: 200, total: 1000 });
  expect(done).toBe('done');
  expect(terminal.out()).toBe('');
  return terminal.err();
}

test('counts tasks on a terminal, and takes the line away', async () => {
  const [first, second, blank, ...rest] = (await count(80)).split('\r').slice(1);
  expect(first).toBe('looking at the tasks 900/1000');
  expect(second?.trimEnd()).toBe('writing tasks 100/1000');
  expect([blank?.trim(), ...rest]).toEqual(['', '']);
});

test('says nothing into a file or a pipe', async () => {
  expect(await count(null)).toBe('');
});
