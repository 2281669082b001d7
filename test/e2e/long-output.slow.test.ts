// A turn's long output into a pipe whose reader is slow: read as fast as it is taken, and not held.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as rest } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { room } from './each-room.ts';
import { PROGRAM } from './room.ts';

const BYTES = 60_000_000;

test.skipIf(process.platform !== 'linux')('log reads no further than its reader', async () => {
  const shell = `head -c ${BYTES} /dev/zero | tr '\\0' x`;
  room.agent('gate', { command: ['/bin/sh', '-c', shell], writes: false });
  room.save('tasks/One.md', 'One.\n');
  await room.ok('once');
  const log = spawn(process.execPath, [PROGRAM, 'log', 'One', '--raw', '--room', room.dir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const read = () => Number(/rchar: (\d+)/.exec(readFileSync(`/proc/${log.pid}/io`, 'utf8'))![1]);
  await once(log.stdout, 'readable');
  // Until it reads nothing more.
  for (let before = -1; before !== read(); ) {
    before = read();
    await rest(700);
  }
  expect(read()).toBeLessThan(BYTES / 2);
  let size = 0;
  for await (const chunk of log.stdout) size += (chunk as Buffer).length;
  expect(size).toBe(BYTES);
  expect(log.exitCode ?? (await once(log, 'exit'))[0]).toBe(0);
});
