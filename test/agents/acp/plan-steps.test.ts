import { expect, test } from 'vitest';
import { createPlanKeeper, readPlanEntries } from '../../../src/agents/acp/run-turn.ts';
import { prepareTurn } from '../prepared-turn.ts';

test('no plan is lost, at whatever moment of the writing of the one before it comes', async () => {
  for (let pauses = 0; pauses < 40; pauses += 1) {
    const rig = prepareTurn({ steps: ['One', 'Two'] });
    const keeper = createPlanKeeper(rig.input.services());
    keeper.take([{ title: 'One', done: true }]);
    for (let count = 0; count < pauses; count += 1) await Promise.resolve();
    keeper.take([{ title: 'Two', done: true }]);
    await keeper.settled();
    // The first may be passed over for the second, which is newer; the second never.
    expect(rig.task.steps[1]).toMatchObject({ title: 'Two', done: true });
  }
});

test('whatever an agent sends as a plan, its entries are short lines', () => {
  expect(readPlanEntries('nothing')).toEqual([]);
  const entries = [{ content: ' a\nb ', status: 'completed' }, { content: 7 }, { status: 'pending' }];
  expect(readPlanEntries(entries)).toEqual([{ title: 'a b', done: true }]);
  expect(readPlanEntries([{ content: 'x'.repeat(500), status: 'pending' }])[0]!.title).toHaveLength(200);
  expect(readPlanEntries(Array.from({ length: 99 }, () => ({ content: 'x' })))).toHaveLength(40);
});
