// Turns that are asked for and jobs stand beside the turns that run: with an id, shown, followed and killed by it.
import { expect, test } from 'vitest';
import { room } from './each-room.ts';

test('a turn that is asked for has an id, is listed, and never begins once it is killed', async () => {
  room.settings('default_agent: gate', 'settle: 0', 'limits:', '  total: 1');
  room.gate('First');
  room.save('tasks/First.md', '---\nid: first111\n---\nGo.\n');
  const daemon = await room.up();
  const { turn } = await daemon.see('turn.started', { name: 'First' });
  room.save('tasks/Second.md', '---\nid: second11\n---\nGo.\n');
  await daemon.see('turn.requested', { name: 'Second' });
  const { turns } = await room.json('turns');
  expect(turns).toMatchObject([
    { state: 'pending', task: 'second11', started_at: null, description: 'Second' },
    { id: turn, state: 'running', command: '/bin/sh agents/gate/agent.sh', output_offset: 0 },
  ]);
  const { id } = turns[0];
  expect(id).toMatch(/^b[0-9a-z]{8}$/);
  expect((await room.json('show', 'Second')).turns).toMatchObject([{ id, state: 'pending' }]);
  expect(await room.json('kill', id)).toMatchObject({ id, state: 'killed', reason: 'person' });
  expect(await room.run(['kill', id])).toMatchObject({ code: 4 });
  room.open('First');
  await daemon.see('turn.ended', { name: 'First' });
  await room.quiet(daemon);
  expect(daemon.all('turn.started').map(({ name }) => name)).toEqual(['First']);
  // Asked for once more it begins, under the id that it had while it waited.
  await room.ok('run', 'Second');
  await daemon.see('turn.ended', { name: 'Second' });
});

test('a turn of a chore is a workflow by its id, and killed while it waits it is not owed', async () => {
  room.settings('default_agent: gate', 'settle: 0', 'limits:', '  total: 1');
  room.gate('First');
  room.save('tasks/First.md', 'Go.\n');
  const daemon = await room.up();
  await daemon.see('turn.started', { name: 'First' });
  room.save('chores/Look.md', '---\nschedule: every 1h\n---\nLook around.\n');
  // Made while a turn runs, it counts when its person says so.
  await expect.poll(async () => (await room.run(['accept', 'chores/Look.md'])).code).toBe(0);
  await expect
    .poll(async () => (await room.json('turns')).turns.map((each: { thread: string }) => each.thread))
    .toContain('chore:Look');
  const { turns } = await room.json('turns');
  const asked = turns.find(({ state }: { state: string }) => state === 'pending');
  expect(asked.id).toMatch(/^w[0-9a-z]{8}$/);
  expect(await room.json('kill', asked.id)).toMatchObject({ state: 'killed' });
  room.open('First');
  await room.quiet(daemon);
  expect(daemon.all('turn.started')).toHaveLength(1);
});

test('jobs stand in the lists of turns, and log and kill take them', async () => {
  room.agent('smith', { command: 'true', permissions: 'run', writes: false });
  room.save('tasks/Work.md', '---\nid: work1111\nowner: smith\nstatus: draft\n---\nWork.\n');
  await room.up();
  const job = await room.json('job', 'start', 'echo hello; exec sleep 300', '--task', 'Work');
  await expect.poll(async () => (await room.json('log', job.id)).text).toBe('hello\n');
  const listed = { id: job.id, state: 'running', task: 'work1111', command: 'echo hello; exec sleep 300' };
  expect((await room.json('turns')).turns).toMatchObject([listed]);
  expect((await room.json('turns', 'Work')).turns).toMatchObject([listed]);
  expect((await room.json('show', 'Work')).turns).toMatchObject([{ ...listed, output_offset: 6 }]);
  expect((await room.json('status')).running).toMatchObject([listed]);
  expect(await room.json('kill', job.id.slice(0, 5))).toMatchObject({ id: job.id });
  expect(await room.json('log', job.id, '--wait', '20')).toMatchObject({ state: 'killed', reason: 'person' });
});
