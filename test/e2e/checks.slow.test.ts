// A done that an agent says counts only when the checks pass that stood when its turn began: real daemons, agents and
// shells.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { PATIENCE_MS } from './daemon.ts';
import { room } from './each-room.ts';
import { type E2eRoom, until } from './room.ts';

const RETRY_NOW = 'UPDATE tasks SET retry_at = 1 WHERE retry_at IS NOT NULL';
const TASK = 'tasks/Fix.md';

/** An agent that keeps its prompt and then runs `command`, and a task of it. */
function setUp(room: E2eRoom, command: string, front = '', config: object = {}): void {
  room.agent('smith', { command: `cat > prompt.txt; ${command}`, ...config });
  room.save(TASK, `---\nowner: smith\n${front}---\nFix it.\n`);
}

/** One that nobody waited for yet is as dead as any. */
function isAlive(pid: string): boolean {
  const stat = `/proc/${pid}/stat`;
  return existsSync(stat) && !/\) [ZX] /.test(readFileSync(stat, 'utf8'));
}

const history = (room: E2eRoom) => (existsSync(room.at('history.jsonl')) ? room.read('history.jsonl') : '');

describe('a done with checks', () => {
  test('counts when they pass, and only then has its consequences', async () => {
    setUp(room, 'touch fixed; taskroom done "$TASKROOM_TASK"', 'checks: ["test -f fixed", "echo fine"]\n');
    room.save(
      'tasks/Next.md',
      '---\nowner: smith\nstatus: todo\nblocked_by: [Fix]\npaused: true\n---\nThen this.\n',
    );
    const { results } = await room.json('once');
    expect(results).toMatchObject([{ state: 'completed', reason: 'ok' }]);
    expect(room.read(TASK)).toContain('status: done');
    expect(history(room).trim().split('\n')).toHaveLength(1);
    const shown = await room.json('show', 'Fix');
    expect(shown.checks).toMatchObject({
      commands: ['test -f fixed', 'echo fine'],
      last: { state: 'passed', results: [{ ended: 'ok' }, { ended: 'ok', output: 'fine' }] },
    });
    expect((await room.json('list', '--ready')).tasks).toEqual([]);
    expect((await room.json('show', 'Next')).blocked).toBe(false);
    expect(await room.ok('show', 'Fix')).toMatch(
      /check +test -f fixed\n +check +echo fine\n +checked +passed/,
    );
  });

  test('goes back to doing with their output, and to the agent, when one fails', async () => {
    const check = 'test -f fixed || { echo "no file: fixed"; exit 3; }';
    setUp(room, 'if [ -f tried ]; then touch fixed; fi; touch tried; taskroom done "$TASKROOM_TASK"', '', {
      checks: [check],
    });
    const first = await room.json('once');
    expect(first.results).toMatchObject([{ state: 'completed', reason: 'checks_failed' }]);
    const text = room.read(TASK);
    expect(text).toContain('status: doing');
    expect(text).toMatch(/It said done, but a check failed \(1 of 3\): .*exit code 3\..*<!-- note -->/);
    expect(text).toMatch(/```\n +no file: fixed\n +```/);
    expect(history(room)).toBe('');
    // The first prompt names them, the second what came out.
    expect(room.read('prompt.txt')).toContain('## Checks');
    expect(room.read('prompt.txt')).not.toContain('did not count');
    room.sql(RETRY_NOW);
    const second = await room.json('once');
    expect(second.results).toMatchObject([{ state: 'completed', reason: 'ok' }]);
    expect(room.read('prompt.txt')).toMatch(
      /did not count \(1 of 3 rounds.*\n\[\[begin .*\nno file: fixed\n\[\[end/,
    );
    expect(room.read(TASK)).toContain('status: done');
    expect(history(room).trim().split('\n')).toHaveLength(1);
  });

  test('pauses the task after the last round, and counts anew when it is resumed', async () => {
    room.settings('default_agent: smith', 'settle: 50ms', 'max_check_rounds: 2');
    setUp(room, 'taskroom done "$TASKROOM_TASK"', 'checks: "exit 1"\n');
    await room.json('once');
    room.sql(RETRY_NOW);
    await room.json('once');
    const text = room.read(TASK);
    expect(text).toContain('paused: true');
    expect(text).toContain('status: doing');
    expect(text).toContain(
      'Paused: it said done 2 times in a row, and each time a check failed; last exit 1: exit code 1',
    );
    expect((await room.json('show', 'Fix')).checks.last).toMatchObject({ state: 'gave_up', failures: 2 });
    await room.ok('resume', 'Fix');
    expect((await room.json('once')).results).toMatchObject([{ reason: 'checks_failed' }]);
    expect(room.read(TASK)).toContain('paused: false');
  });

  test('is not let off by an agent that edits the checks away, in the task or in its settings', async () => {
    const gut = 'sed -i "s/exit 7/true/" tasks/Fix.md agents/smith/agent.json';
    setUp(room, `${gut}; taskroom done "$TASKROOM_TASK"`, 'checks: "exit 7 # task"\n', {
      checks: ['exit 0'],
    });
    expect((await room.json('once')).results).toMatchObject([{ reason: 'checks_failed' }]);
    expect(room.read(TASK)).toContain('checks: "true # task"');
    const { commands, unconfirmed } = (await room.json('show', 'Fix')).checks;
    expect({ commands, unconfirmed }).toEqual({
      commands: ['exit 0', 'exit 7 # task'],
      unconfirmed: ['true # task'],
    });
    // Not in the next turn either; a person's word makes it count.
    room.sql(RETRY_NOW);
    expect((await room.json('once')).results).toMatchObject([{ reason: 'checks_failed' }]);
    await room.ok('set', 'Fix', 'checks=true');
    room.sql(RETRY_NOW);
    expect((await room.json('once')).results).toMatchObject([{ reason: 'ok' }]);
  });

  test('is not asked of checks that an agent wrote into a task it made', async () => {
    const forge =
      'printf -- "---\\nid: forged01\\nowner: smith\\nchecks: touch owned\\n---\\nForged.\\n" > tasks/Forged.md';
    setUp(room, `${forge}; taskroom done "$TASKROOM_TASK"`);
    const daemon = await room.up();
    await daemon.see('turn.ended', { name: 'Forged' });
    await room.quiet(daemon);
    expect(existsSync(room.at('owned'))).toBe(false);
    expect((await room.json('show', 'Forged')).checks).toMatchObject({
      commands: [],
      unconfirmed: ['touch owned'],
    });
  });

  test("is a person's without them: outside a turn, and with --without-checks during one", async () => {
    setUp(room, 'true', 'checks: "exit 1"\npaused: true\n', { writes: false });
    await room.json('once');
    expect(await room.ok('done', 'Fix')).toContain('is done');
    await room.json('once');
    expect(history(room)).toContain('"name":"Fix"');

    room.agent('gate', { command: ['/bin/sh', 'agents/gate/agent.sh'], writes: false, checks: ['exit 1'] });
    room.gate('Held');
    room.save('tasks/Held.md', 'Wait.\n');
    const daemon = await room.up();
    const { id } = await daemon.see('turn.started', { name: 'Held' });
    await until('the agent has started', () => room.agentLog().length > 0);
    expect(await room.ok('done', 'Held')).toContain(
      'it counts when its turn is over and this passes: exit 1',
    );
    const stateOfChecks = async () => (await room.json('show', 'Held')).checks.last.state;
    await expect.poll(stateOfChecks, { timeout: PATIENCE_MS }).toBe('held');
    expect(daemon.all('task.changed', { id, status: 'done' })).toEqual([]);
    const refused = await room.run(['done', 'Held', '--without-checks', 'x'], {
      env: { TASKROOM_TURN: 'c1', AGENT_ROOM: room.dir },
    });
    expect(refused.code).not.toBe(0);
    await room.ok('done', 'Held', '--without-checks', 'the check itself is broken');
    await daemon.see('task.changed', { id, status: 'done' });
    room.open('Held');
    await daemon.see('turn.ended', { name: 'Held' });
    await room.quiet(daemon);
    expect(room.read('tasks/Held.md')).toMatch(/Done without checks: the check itself is broken/);
    expect(room.read('tasks/Held.md')).toContain('status: done');
    expect(history(room)).toContain('"name":"Held"');
  });

  test('runs them bounded: in time, in output, without what they started and without secrets', async () => {
    room.settings('default_agent: smith', 'settle: 50ms', 'check_timeout: 1s', 'max_output_bytes: 2048');
    const leak = 'echo "key $SMITH_KEY"; (sleep 300 & echo $! > child.pid); sleep 300';
    setUp(room, 'taskroom done "$TASKROOM_TASK"', '', {
      checks: [leak],
      env: { SMITH_KEY: { from: 'OUTER_KEY' } },
    });
    await room.run(['once'], { env: { OUTER_KEY: 'hunter2-hunter2' } });
    const slow = (await room.json('show', 'Fix')).checks.last.results;
    expect(slow).toMatchObject([{ ended: 'timed_out', output: 'key [secret]' }]);
    expect(isAlive(room.read('child.pid').trim())).toBe(false);

    setUp(room, 'taskroom done "$TASKROOM_TASK"', '', { checks: ['yes'] });
    room.sql(RETRY_NOW);
    await room.json('once');
    expect((await room.json('show', 'Fix')).checks.last.results).toMatchObject([{ ended: 'output_limit' }]);
    expect(room.read(TASK)).not.toContain('hunter2');
  });

  test('has its checks repeated, not left out, when the daemon dies while they run', async () => {
    const check = 'echo run >> runs.txt; if [ -p pipe ]; then read -r word < pipe; fi; test ! -f bad';
    setUp(room, 'mkfifo pipe; taskroom done "$TASKROOM_TASK"', '', { checks: [check] });
    const daemon = await room.up();
    await daemon.see('turn.checking', { name: 'Fix' });
    await until('the check runs', () => existsSync(room.at('runs.txt')));
    await daemon.kill();
    expect(history(room)).toBe('');
    // A command that looks meanwhile lets nothing count either.
    await room.ok('progress', 'Fix', 'looked at by hand');
    expect(history(room)).toBe('');
    room.save('bad', '');
    rmSync(room.at('pipe'));
    const next = await room.up();
    await next.see('turn.ended', { name: 'Fix', reason: 'checks_failed' });
    expect(room.read('runs.txt').trim().split('\n')).toHaveLength(2);
    expect(room.read(TASK)).toContain('status: doing');
    expect(history(room)).toBe('');
  });

  test('that was held when its turn was cut short is free for a person to say', async () => {
    setUp(room, 'taskroom done "$TASKROOM_TASK"; sleep 300', '', { checks: ['exit 1'] });
    const daemon = await room.up();
    const stateOfChecks = async () => (await room.json('show', 'Fix')).checks?.last?.state;
    await expect.poll(stateOfChecks, { timeout: PATIENCE_MS }).toBe('held');
    await room.ok('stop', '--now');
    await daemon.ended;
    expect(history(room)).toBe('');
    await room.ok('done', 'Fix');
    expect(history(room)).toContain('"name":"Fix"');
    expect(await room.json('once')).toMatchObject({ turns: 0 });
  });
});
