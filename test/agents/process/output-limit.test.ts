// A program that prints without end leaves the limit and one buffer on the disk, whether it ends when it is asked to or not.
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { runProcess } from '../../../src/agents/process/run-process.ts';
import { StopTurn } from '../../../src/agents/runner.ts';
import { createNodeEffects } from '../../../src/node.ts';

const LIMIT = 20_480;
const BUFFER = 64 * 1024;
const dir = mkdtempSync(join(tmpdir(), 'taskroom-output-'));
afterEach(() => rmSync(dir, { recursive: true, force: true }));

test('yes leaves the limit and one buffer', async () => {
  writeFileSync(join(dir, 'prompt.md'), '');
  const stop = new AbortController();
  const effects = createNodeEffects({});
  const input = { turn: { id: 'b12345678' }, effects, dir, signal: stop.signal };
  const env = { PATH: process.env.PATH!, TASKROOM_TURN: 'b12345678' };
  const args = ['-c', '(trap "" TERM; exec timeout -s KILL 1 yes) & exec yes'];
  const running = runProcess(input as never, { program: '/bin/sh', args, cwd: dir, env });
  let next = await running.next();
  for (; !next.done; next = await running.next())
    if (next.value.type === 'output' && next.value.bytes > LIMIT)
      stop.abort(new StopTurn('output_limit', LIMIT));
  expect(next.value).toMatchObject({ how: 'stopped', reason: 'output_limit' });
  expect(statSync(join(dir, 'output.log')).size).toBeLessThanOrEqual(LIMIT + BUFFER);
});
