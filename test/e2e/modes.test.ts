// Who may read what the runtime writes, and what happens where it may not write.
import { execFileSync } from 'node:child_process';
import { chmodSync, statSync } from 'node:fs';
import { expect, test } from 'vitest';
import { room } from './each-room.ts';

test('D10: what a private task says is in no file that is more open', async () => {
  const modeOf = (path: string) => (statSync(room.at(path)).mode & 0o777).toString(8);
  room.save('tasks/Open.md', 'Open.\n');
  await room.ok('once');
  await room.ok('done', 'Open');
  const before = modeOf('history.jsonl');
  room.save('tasks/Secret.md', 'The word is xyzzy.\n');
  chmodSync(room.at('tasks/Secret.md'), 0o600);
  await room.ok('once');
  await room.ok('done', 'Secret');
  expect(before).not.toBe('600');
  expect(modeOf('history.jsonl')).toBe('600');
  expect(modeOf('.taskroom')).toBe('700');
  const open = ['-perm', '/077', '!', '-path', '*/.taskroom/*', '-type', 'f'];
  const found = execFileSync('find', [room.dir, ...open], { encoding: 'utf8' })
    .trim()
    .split('\n');
  const telling = found.filter((path) => execFileSync('cat', [path], { encoding: 'utf8' }).includes('xyzzy'));
  expect(telling).toEqual([]);
});

test('D10: .taskroom that is open to everybody is closed; one that is open to a group stays so', async () => {
  const mode = () => (statSync(room.at('.taskroom')).mode & 0o777).toString(8);
  room.save('tasks/One.md', 'One.\n');
  await room.ok('once');
  chmodSync(room.at('.taskroom'), 0o755);
  await room.ok('once');
  expect(mode()).toBe('700');
  chmodSync(room.at('.taskroom'), 0o770);
  await room.ok('once');
  expect(mode()).toBe('770');
});
