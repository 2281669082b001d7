// Who may read what the runtime writes, and an agent that runs as another user, as docs/operating.md says: it reports through its
// task's file, and sees no secret of the daemon's.
import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, statSync } from 'node:fs';
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

const OTHER = 65_534;

function mayBecomeOthers(): boolean {
  if (process.getuid?.() !== 0) return false;
  try {
    execFileSync('setpriv', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

const SCRIPT = `echo "prompt $(head -c 1000 | wc -c)"
tries() { "$@" > /dev/null 2>&1 && echo "REACHED: $*"; }
tries cat .taskroom/ledger.db
tries cat "$TASKROOM_CONTEXT"
tries cat "/proc/$PPID/environ"
tries ls .taskroom/turns
echo "user $(id -u)"
sed -i 's/^status:.*/status: done/' tasks/One.md && printf '\\n## Outcome\\nWas here.\\n' >> tasks/One.md
`;

test('gets its prompt, finishes its task by editing the file, and reaches nothing of the daemon', async ({
  skip,
}) => {
  if (!mayBecomeOthers()) {
    console.error('SKIPPED: only root with setpriv can run an agent as another user, so that was NOT tried');
    skip('not root');
  }
  room.save('agents/other/agent.sh', SCRIPT);
  const become = ['setpriv', `--reuid=${OTHER}`, `--regid=${OTHER}`, '--clear-groups'];
  room.agent('other', { command: [...become, 'sh', 'agents/other/agent.sh'] });
  room.save('tasks/One.md', '---\nid: one1\nowner: other\nstatus: todo\n---\nDo it.\n');
  chmodSync(room.dir, 0o755);
  for (const path of ['tasks', 'tasks/One.md']) chownSync(room.at(path), 0, OTHER);
  chmodSync(room.at('tasks'), 0o2775);
  chmodSync(room.at('tasks/One.md'), 0o664);
  room.daemonEnv.GITHUB_TOKEN = 'ghp_secret';
  const daemon = await room.up();
  const { turn } = await daemon.see('turn.ended', { name: 'One', state: 'completed' });
  const { text } = await room.json('log', String(turn));
  expect(text).toMatch(/^prompt \d{3,}$/m);
  expect(text).toContain(`user ${OTHER}`);
  expect(text).not.toContain('REACHED');
  await room.quiet(daemon);
  expect(await room.json('show', 'One')).toMatchObject({ status: 'done' });
  expect(room.read('tasks/One.md')).toContain('Was here.');
});
