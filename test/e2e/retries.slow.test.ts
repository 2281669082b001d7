// Turns that fail: tried again after a growing wait, given up with the reason, and taken up by whoever runs the room next.
import { expect, test } from 'vitest';
import type { Daemon } from './daemon.ts';
import { room } from './each-room.ts';
import { SETTINGS } from './room.ts';

const RETRY_NOW = 'UPDATE tasks SET retry_at = 1 WHERE retry_at IS NOT NULL';

let daemon: Daemon;

test('a failing task is tried again after a while, then paused with the reason; resuming starts anew', async () => {
  room.settings(...SETTINGS, 'max_attempts: 2');
  room.agent('failing', { command: 'echo "no such branch: x"; exit 3' });
  room.save('tasks/Fail.md', '---\nowner: failing\n---\nFail.\n');
  const first = await room.run(['once', '--json']);
  expect(first.code).toBe(1);
  expect(JSON.parse(first.stdout)).toMatchObject({
    failed: 1,
    results: [{ state: 'failed', reason: 'exit', exit_code: 3, message: 'exit code 3: no such branch: x' }],
  });
  const [{ retry_at }] = (await room.json('list')).tasks;
  expect(Date.parse(retry_at) - Date.now()).toBeGreaterThan(3_000);
  expect(Date.parse(retry_at) - Date.now()).toBeLessThan(13_000);
  room.sql(RETRY_NOW);
  daemon = await room.up();
  await daemon.see('turn.started', { name: 'Fail', attempt: 2, reasons: ['retry'] });
  const { reason } = await daemon.see('task.paused', { name: 'Fail' });
  expect(reason).toBe('gave up after 2 failed attempts: exit code 3: no such branch: x');
  await room.quiet(daemon);
  expect(daemon.all('task.paused')).toHaveLength(1);
  const text = room.read('tasks/Fail.md');
  expect(text).toMatch(/^paused: true$/m);
  expect(text.match(/Paused: gave up after 2 failed attempts/g)).toHaveLength(1);
  await room.ok('resume', 'Fail');
  await daemon.see('turn.started', { name: 'Fail', attempt: 1 }, daemon.all('task.paused')[0]!.index);
});

test('a retry of words that a turn dealt with before is taken up by once, when its time has come', async () => {
  room.settings(...SETTINGS);
  room.agent('twice', { command: 'test -e fails && exit 1; exit 0', writes: false });
  room.save('tasks/Again.md', '---\nowner: twice\n---\nOnce more.\n');
  await room.ok('once');
  room.save('fails', '');
  await room.ok('run', 'Again');
  expect(await room.run(['once'])).toMatchObject({ code: 1 });
  room.sql(RETRY_NOW);
  const again = await room.run(['once', '--json']);
  expect(JSON.parse(again.stdout)).toMatchObject({ turns: 1, failed: 1 });
});
