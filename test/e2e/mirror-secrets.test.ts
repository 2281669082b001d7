// Secrets of trackers in a running room: no error, log, ledger or agent sees one.
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { room } from './each-room.ts';

const NONE = { GITHUB_TOKEN: '', GH_TOKEN: '', GITHUB_APP_ID: '', GH_CONFIG_DIR: '/nonexistent' };
const SECRET = 'ghp_1234567890abcdefSECRET';

for (const [provider, source, name] of [
  ['github', 'acme/web', 'GITHUB_TOKEN'],
  ['linear', 'ENG', 'LINEAR_API_KEY'],
])
  test(`M5: ${name} with a line end in it is refused, and stands nowhere`, async () => {
    room.save(
      'chores/web.md',
      `---\nschedule: off\nmirror:\n  provider: ${provider}\n  source: ${source}\n  url: http://127.0.0.1:9\n---\n`,
    );
    const env = { ...NONE, [name!]: `${SECRET}\n${SECRET}` };
    for (const args of [['sync'], ['sync', '--json'], ['mirrors'], ['doctor']]) {
      const { stdout, stderr, code } = await room.run(args, { env });
      expect([args[0], stdout + stderr]).not.toEqual([args[0], expect.stringContaining('SECRET')]);
      if (args[0] === 'sync') {
        expect(code).not.toBe(0);
        expect(stdout + stderr).toContain(name);
        expect(stdout + stderr).toMatch(/no token has/);
      }
    }
    for (const file of ['ledger.db', 'ledger.db-wal'])
      expect(read(`.taskroom/${file}`).includes('SECRET')).toBe(false);
  });

function read(path: string): Buffer {
  try {
    return readFileSync(room.at(path));
  } catch {
    return Buffer.alloc(0);
  }
}

test('M13: no name that a provider or `gh` reads reaches an agent', async () => {
  room.settings('default_agent: worker', 'settle: 50ms');
  const names = [
    ...['GITHUB_TOKEN', 'GH_TOKEN', 'GITHUB_ENTERPRISE_TOKEN', 'GH_ENTERPRISE_TOKEN'],
    ...['GITHUB_APP_PRIVATE_KEY', 'LINEAR_API_KEY', 'LINEAR_ACCESS_TOKEN'],
  ];
  room.agent('worker', { command: ['sh', '-c', 'env > env.txt'] });
  writeFileSync(room.at('tasks/Look.md'), '---\nstatus: todo\n---\n\n## Task\nLook.\n');
  const env = Object.fromEntries(names.map((name) => [name, 'secret-value']));
  await room.run(['once'], { env });
  const seen = read('env.txt').toString();
  expect(seen).toContain('TASKROOM_TASK=');
  expect(seen).not.toContain('secret-value');
});
