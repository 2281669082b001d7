// The guard over warnings and open handles sees each kind it is there for.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';

test('a run with a warning or an open handle fails, and says where it came from', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'taskroom-plants-'));
  const report = path.join(folder, 'report.json');
  const root = path.dirname(import.meta.dirname);
  const vitest = path.join(root, 'node_modules/vitest/vitest.mjs');
  const config = path.join(root, 'test/fixtures/leaks/vitest.config.mjs');
  const args = [vitest, 'run', '--config', config, '--reporter=json', `--outputFile=${report}`];
  const child = spawn(process.execPath, args, { cwd: root, stdio: 'ignore' });
  const [code] = await once(child, 'close');
  const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as {
    testResults: { name: string; status: string; message: string }[];
  };
  rmSync(folder, { recursive: true, force: true });

  const seen = Object.fromEntries(testResults.map((file) => [path.basename(file.name, '.plant.ts'), file]));
  expect(seen.clean?.status).toBe('passed');
  for (const [name, kind] of [
    ['child', 'PROCESSWRAP'],
    ['server', 'TCPSERVERWRAP'],
    ['timer', 'Timeout'],
    ['watcher', 'FSEVENTWRAP'],
  ] as const) {
    expect(seen[name]?.status, name).toBe('failed');
    expect(seen[name]?.message).toContain('left open by this file');
    expect(seen[name]?.message).toMatch(new RegExp(`${kind}, opened.*${name}\\.plant\\.ts`));
  }
  expect(seen.warning?.status).toBe('failed');
  expect(seen.warning?.message).toMatch(/process warning: Warning: planted\n.*warning\.plant\.ts/);
  expect(code).toBe(1);
});
