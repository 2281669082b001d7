import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { expect, test } from 'vitest';

const ROOT = path.dirname(import.meta.dirname);

function bench(...args: string[]) {
  return spawnSync(process.execPath, [path.join(ROOT, 'bench', 'main.ts'), ...args], { encoding: 'utf8' });
}

// Whether it is fast is for the bench itself to say, on a machine with nothing else to do.
test('the bench runs and prints a line for each figure', () => {
  const { status, stdout, stderr } = bench('--quick', '--only', 'scan');
  expect(stderr).not.toMatch(/Error/);
  expect(status).toBe(0);
  for (const what of ['cold scan, 100 tasks', 'warm scan, 1,000 tasks', 'later sweep, 1,000 tasks'])
    expect(stdout).toMatch(new RegExp(`${what} .*\\d×`));
});

test('a bench that is not there is refused with those that are', () => {
  const { status, stderr } = bench('--only', 'scna');
  expect(status).toBe(2);
  expect(stderr).toContain('scan, up, save, coverage, burst, storm, list, commands, turns');
});

test.each(['crash', 'sync-crash', 'workers'])('the storm %s says how it is called', (name) => {
  const script = path.join(ROOT, `test/crash/${name}.ts`);
  const storm = (...args: string[]) => spawnSync(process.execPath, [script, ...args], { encoding: 'utf8' });
  expect(storm('--help')).toMatchObject({ status: 0, stderr: '', stdout: expect.stringContaining('usage:') });
  expect(storm('--ruonds', '1')).toMatchObject({
    status: 2,
    stdout: '',
    stderr: expect.stringContaining('usage:'),
  });
});
