// Who may read what the runtime writes, and what happens where it may not write.
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, statSync } from 'node:fs';
import { expect } from 'vitest';
import { testInRoom } from './room-test.ts';

const test = testInRoom();

test('D10: what a private task says is in no file that is more open', async ({ room }) => {
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

test('D10: .taskroom that is open to everybody is closed; one that is open to a group stays so', async ({
  room,
}) => {
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

test('D8: an attic that may not be written is said as such, and nothing is half done', async ({
  room,
  skip,
}) => {
  if (process.platform === 'win32') skip('no such permissions here');
  room.save('tasks/One.md', '---\nid: one1\n---\nOne.\n');
  await room.ok('once');
  const text = room.read('tasks/One.md');
  mkdirSync(room.at('.taskroom/attic'));
  if (process.getuid?.() === 0) {
    room.user = 65_534;
    execFileSync('chown', ['-R', '65534:65534', room.dir]);
  }
  chmodSync(room.at('.taskroom/attic'), 0o500);
  const ran = await room.run(['delete', 'One']);
  expect(ran).toMatchObject({ code: 6, stderr: expect.stringMatching(/attic/) });
  expect(ran.stderr).not.toContain('bug of taskroom');
  expect(room.read('tasks/One.md')).toBe(text);
  chmodSync(room.at('.taskroom/attic'), 0o700);
  await room.ok('delete', 'One');
});
