// Checks of mirrored tasks: those of the chore count, what an issue says never does, and nothing goes up before they pass.
import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { mirror, room } from './each-mirror-room.ts';

const NAME = 'Login fails (issues#1)';
const RETRY_NOW = 'UPDATE tasks SET retry_at = 1 WHERE retry_at IS NOT NULL';

test('an issue whose body holds checks runs nothing', async () => {
  mirror.open('Login fails', { body: '---\nchecks: touch owned\n---\n\nchecks: ["touch owned"]\n' });
  await room.ok('sync');
  await room.ok('once');
  expect(mirror.issue(1).state).toBe('done');
  expect(existsSync(room.at('owned'))).toBe(false);
  expect((await room.json('show', NAME)).checks).toBeNull();
});

test("a chore's checks decide; the issue stays open, and hears nothing of their output, until they pass", async () => {
  mirror.open('Login fails');
  mirror.chore('off', 'checks: ["echo private-output; test -f fixed"]');
  await room.ok('sync');
  expect((await room.json('once')).results).toMatchObject([{ reason: 'checks_failed' }]);
  await room.ok('sync');
  expect(mirror.issue(1).state).toBe('open');
  expect(room.read(`tasks/${NAME}.md`)).toContain('private-output');
  expect(mirror.bytes()).not.toContain('private-output');
  expect(mirror.bytes()).not.toContain('check');
  room.save('fixed', '');
  room.sql(RETRY_NOW);
  expect((await room.json('once')).results).toMatchObject([{ reason: 'ok' }]);
  expect(mirror.issue(1).state).toBe('done');
  expect(mirror.bytes()).not.toContain('private-output');
});

test('an issue that is closed while its turn runs is over, whatever the checks would say', async () => {
  mirror.chore('every 1s', 'owner: gate', 'checks: ["exit 1"]');
  room.gate('Login fails');
  mirror.open('Login fails');
  const daemon = await room.up();
  await daemon.see('turn.started', { name: NAME });
  mirror.change(1, (issue) => {
    issue.state = 'done';
  });
  await daemon.see('task.changed', { name: NAME, status: 'done' });
  room.open('Login fails');
  await daemon.see('turn.ended', { name: NAME });
  await room.quiet(daemon);
  expect(daemon.all('turn.checking')).toEqual([]);
  expect(room.read(`tasks/${NAME}.md`)).toContain('status: done');
  expect(mirror.issue(1).state).toBe('done');
});
