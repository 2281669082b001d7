// An agent that runs as another user, as docs/operating.md says: it reports through its task's file, and sees no secret of the
// daemon's.
import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync } from 'node:fs';
import { expect, test } from 'vitest';
import { room } from './each-room.ts';

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
