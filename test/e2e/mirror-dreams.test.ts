// The old comments of a mirrored task, summed up: here alone.
import { expect, onTestFinished, test } from 'vitest';
import { createMirrorRoom } from './mirror-room.ts';

const SUMMARY = 'taskroom progress "SUMMED UP: it fails."';

test('nothing of it goes upstream, nothing is deleted there, and nothing is pulled again', async () => {
  const mirror = await createMirrorRoom();
  const { room } = mirror;
  onTestFinished(() => mirror.close());

  mirror.open('Login fails');
  for (let at = 0; at < 30; at += 1) mirror.say(1, 'alice', `remark ${at} ${'x'.repeat(500)}`);
  room.agent('dreamer', { command: ['/bin/sh', '-c', SUMMARY], writes: false });
  room.agent('worker', { command: ['true'], writes: false });
  room.settings(
    ...['default_agent: worker', 'settle: 50ms', 'providers:', '  json-file: ./json-file.mjs'],
    'dream: { above: 8KiB, agent: dreamer }',
  );
  await room.ok('sync');
  const before = mirror.issue(1).comments;
  const path = 'tasks/Login fails (issues#1).md';
  expect(room.read(path)).toContain('remark 0 ');
  const daemon = await room.up();
  await daemon.see('turn.ended', { name: 'old entries of Login fails (issues#1)', state: 'completed' });
  await room.quiet(daemon);
  await room.ok('sync', '--full');
  mirror.say(1, 'alice', 'one more');
  await room.ok('sync', '--full');
  await room.quiet(daemon);

  const text = room.read(path);
  expect(text).toContain('SUMMED UP: it fails.');
  expect(text).toContain('one more');
  expect(text).not.toContain('remark 0 ');
  expect(text).toContain('remark 29 ');
  const after = mirror.issue(1).comments;
  expect(after.map(({ id }) => id)).toEqual([...before.map(({ id }) => id), 'p1-30']);
  expect(mirror.bytes()).not.toContain('SUMMED UP');
});
