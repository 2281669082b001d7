// The built package as a program imports it; the packed tarball is tried by test/package.slow.test.ts.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { testInRoom } from './room-test.ts';

const test = testInRoom();
const PROGRAM = join(import.meta.dirname, '../fixtures/library/use-room.mjs');

test('a program opens a room, makes, changes and lists a task, runs its turn and closes', async ({
  room,
}) => {
  room.agent('shell', { runner: 'command', command: ['/bin/sh', '-c', 'taskroom progress "half way"'] });
  room.settings('default_agent: shell');
  const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, room.dir]);
  expect(JSON.parse(stdout)).toEqual({
    tasks: ['Hello high'],
    ended: ['Hello completed'],
    turns: 1,
    failed: 0,
  });
  expect(room.read('tasks/Hello.md')).toMatch(/## Progress\n\n- [-0-9]+ [:0-9]+ · half way\n/);
});
