// What keeps a task from its turn, as each command says it.
import { expect } from 'vitest';
import { SETTINGS } from './room.ts';
import { testInRoom } from './room-test.ts';

const test = testInRoom();

test('D12: a missing agent: once fails, and list, show and status say it with what to do', async ({
  room,
}) => {
  room.save('tasks/Lost.md', '---\nid: lost1\nowner: nobody\n---\nLost.\n');
  const once = await room.run(['once', '--json']);
  expect(once.code).toBe(1);
  expect(JSON.parse(once.stdout)).toMatchObject({
    turns: 0,
    stuck: [{ id: 'lost1', reason: expect.stringContaining('nobody') }],
  });
  const said = /no agent "nobody" in agents\/.*owner/;
  expect(await room.ok('list')).toMatch(said);
  expect(await room.ok('show', 'Lost')).toMatch(said);
  expect(await room.json('show', 'Lost')).toMatchObject({ why_not: { reason: 'no_agent' } });
  expect((await room.run(['status'])).stdout).toMatch(said);
  const daemon = await room.up();
  await daemon.see('task.waiting', { name: 'Lost', reason: /nobody/ });
  expect((await room.json('status')).stuck).toMatchObject([{ id: 'lost1', why_not: { reason: 'no_agent' } }]);
});

test('D12: a circle of blockers and a reached limit are said, not only that it waits', async ({ room }) => {
  room.settings(...SETTINGS.map((line) => line.replace('task: 4', 'task: 1')));
  room.gate('Busy');
  room.save('tasks/Busy.md', '---\nid: busy1\npriority: high\n---\nBusy.\n');
  room.save('tasks/A.md', '---\nid: aaa1\nblocked_by: B\n---\nA.\n');
  room.save('tasks/B.md', '---\nid: bbb1\nblocked_by: A\n---\nB.\n');
  const daemon = await room.up();
  await daemon.see('turn.started', { name: 'Busy' });
  room.save('tasks/Next.md', '---\nid: next1\n---\nNext.\n');
  await daemon.see('turn.requested', { name: 'Next' });
  expect(await room.json('show', 'Next')).toMatchObject({ why_not: { reason: 'limit' } });
  expect(await room.json('show', 'A')).toMatchObject({
    why_not: { reason: 'blocked', text: expect.stringContaining('→') },
  });
  const list = await room.ok('list');
  expect(list).toMatch(/as many turns run as may/);
  expect(list).toMatch(/waits for itself: (A → B → A|B → A → B)/);
  room.open('Busy');
  await daemon.see('turn.ended', { name: 'Next' });
  expect(await room.json('show', 'Next')).toMatchObject({ why_not: { reason: 'nothing_new' } });
});
