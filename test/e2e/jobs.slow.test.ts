// Jobs in a running room: what an agent starts beside its turn, waits for, stops and keeps, and what a dead daemon leaves.
import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Daemon } from './daemon.ts';
import { room } from './each-room.ts';
import { SETTINGS } from './room.ts';

let daemon: Daemon;

/** An agent that runs this in its turns. */
function agent(script: string, more: object = {}): void {
  room.agent('smith', { command: script, permissions: 'run', ...more });
  room.settings(...SETTINGS.filter((line) => !line.startsWith('default_agent')), 'default_agent: smith');
}

const jobs = async (...args: string[]) => (await room.json('job', 'list', ...args)).jobs;

/** Whether the process of that id lives; a zombie does not. */
function lives(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) [ZX]/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

test('an agent starts a job, waits for its end, stops another, and the rest ends with the turn', async () => {
  agent(
    `job=$(taskroom job start 'sleep 0.3; echo "$GREETING in $PWD"; exit 3' --about 'Builds' --json | sed 's/.*"id":"\\([a-z0-9]*\\)".*/\\1/')
taskroom job show $job --wait 20 --json > waited.json
long=$(taskroom job start 'echo $$ > long.pid; trap "" TERM; sleep 600 & wait' --json | sed 's/.*"id":"\\([a-z0-9]*\\)".*/\\1/')
while [ ! -s long.pid ]; do sleep 0.05; done
taskroom job start 'echo $$ > left.pid; exec sleep 600' >/dev/null
while [ ! -s left.pid ]; do sleep 0.05; done
taskroom job stop $long
taskroom job show $long --wait 20
taskroom job start 'sleep 600' --task Other; echo "other: $?"
taskroom done`,
    { env: { GREETING: { from: 'GREETING_HERE' } } },
  );
  room.daemonEnv.GREETING_HERE = 'hello';
  room.save('tasks/Other.md', '---\nid: other123\nstatus: draft\n---\n');
  daemon = await room.up();
  room.save('tasks/Work.md', 'Do it.\n');
  const { turn } = await daemon.see('turn.ended', { name: 'Work' });
  const waited = JSON.parse(room.read('waited.json'));
  expect(waited).toMatchObject({
    ...{ kind: 'job', turn, agent: 'smith', description: 'Builds', state: 'failed', reason: 'exit' },
    ...{ exit_code: 3, output: `hello in ${room.dir}\n` },
  });
  expect(waited.id).toMatch(/^b[0-9a-z]{8}$/);
  expect(waited.tool_call).toContain(turn);
  expect(await room.ok('log', String(turn))).toContain('other: 4');
  for (const file of ['long.pid', 'left.pid']) expect(lives(Number(room.read(file)))).toBe(false);
  const all = await jobs('--task', 'Work');
  expect(all.map(({ state, reason }: Record<string, unknown>) => [state, reason])).toEqual([
    ['killed', 'turn_over'],
    ['killed', 'person'],
    ['failed', 'exit'],
  ]);
  const { turns } = await room.json('turns', 'Work');
  expect(turns.find(({ id }: { id: string }) => id === turn)).toMatchObject({
    paused_ms: 0,
    tool_call: null,
    told: false,
  });
});

test('a kept job goes on without its turn and its daemon; its end wakes the task, with its end in the context', async () => {
  agent(`if [ -e started ]; then cat > second.md; taskroom outcome 'Saw it.'; taskroom done; else
touch started; taskroom job start 'while [ ! -e go ]; do sleep 0.05; done; echo built' --keep --about 'The build' >/dev/null
taskroom progress 'Waits for the build.'; fi`);
  daemon = await room.up();
  room.save('tasks/Work.md', 'Do it.\n');
  await daemon.see('turn.ended', { name: 'Work' });
  expect(await jobs()).toMatchObject([{ state: 'running', keep: true }]);
  await daemon.kill();
  daemon = await room.up();
  expect(await jobs()).toMatchObject([{ state: 'running' }]);
  room.save('go', '');
  const { reasons } = await daemon.see('turn.started', { name: 'Work' });
  expect(reasons).toEqual(['job_ended']);
  await daemon.see('turn.ended', { name: 'Work' });
  expect(await jobs()).toMatchObject([{ state: 'completed', exit_code: 0, told: true }]);
  expect(room.read('second.md')).toMatch(/The build.*completed[\s\S]*built/);
});

test('a daemon that dies leaves no job behind: those of its turn end, those that ended meanwhile are on record', async () => {
  agent(`taskroom job start 'echo $$ > of-turn.pid; exec sleep 600' >/dev/null
taskroom job start 'echo $$ > kept.pid; while [ ! -e go ]; do sleep 0.05; done; exit 4' --keep >/dev/null
while [ ! -s of-turn.pid ] || [ ! -s kept.pid ]; do sleep 0.05; done
touch ready; while [ ! -e finish ]; do sleep 0.05; done; taskroom done`);
  daemon = await room.up();
  room.save('tasks/Work.md', 'Do it.\n');
  await expect.poll(() => existsSync(room.at('ready')), { timeout: 20_000 }).toBe(true);
  await daemon.kill();
  room.save('go', '');
  room.save('finish', '');
  await expect.poll(() => lives(Number(room.read('kept.pid')))).toBe(false);
  expect((await room.run(['job', 'start', 'true', '--task', 'Work'])).stderr).toContain(
    'nothing runs this room',
  );
  daemon = await room.up();
  await daemon.see('turn.ended', { name: 'Work' });
  await expect
    .poll(
      async () =>
        (await jobs()).map(({ state, reason }: Record<string, unknown>) => `${state} ${reason}`).sort(),
      { timeout: 20_000 },
    )
    .toEqual(['failed exit', 'killed turn_over']);
  expect(lives(Number(room.read('of-turn.pid')))).toBe(false);
});

test('who may start jobs, how many, and how long', async () => {
  agent('taskroom job start true; echo "refused: $?"; taskroom progress x; exec sleep 0', {
    permissions: 'edit',
  });
  room.settings(
    'default_agent: smith',
    'settle: 50ms',
    'max_jobs: 1',
    'job_timeout: 1s',
    'max_output_bytes: 20000',
  );
  daemon = await room.up();
  room.save('tasks/Work.md', 'Do it.\n');
  const { turn } = await daemon.see('turn.ended', { name: 'Work' });
  expect(await room.ok('log', String(turn))).toMatch(/may run no programs[\s\S]*refused: 4/);
  // A person's word is enough.
  const first = await room.json('job', 'start', 'exec sleep 600', '--task', 'Work', '--watch', 'a');
  expect(first.id).toMatch(/^m[0-9a-z]{8}$/);
  expect((await room.run(['job', 'start', 'true', '--task', 'Work'])).stderr).toContain('may have 1');
  expect(await room.json('job', 'show', first.id, '--wait', '20')).toMatchObject({
    state: 'failed',
    reason: 'timed_out',
  });
  const watched = await room.json(
    ...['job', 'start', 'echo fine; echo An ERROR here; printf "error at end"', '--task', 'Work'],
    ...['--watch', 'error|never', '--about', 'Tests'],
  );
  await room.json('job', 'show', watched.id, '--wait', '20');
  await expect.poll(() => room.read('tasks/Work.md')).toContain('Tests: error at end');
  expect(room.read('tasks/Work.md')).toContain('Tests: An ERROR here');
  expect(room.read('tasks/Work.md')).not.toContain('fine');
  const loud = await room.json('job', 'start', 'yes', '--task', 'Work');
  expect(await room.json('job', 'show', loud.id, '--wait', '20')).toMatchObject({ reason: 'output_limit' });
  const part = await room.json('job', 'show', loud.id, '--from', '2');
  expect(part.output_bytes).toBeLessThanOrEqual(20_000 + 65_536);
  expect([part.output.slice(0, 4), part.output_offset]).toEqual([
    'y\ny\n',
    Math.min(65_538, part.output_bytes),
  ]);
});
