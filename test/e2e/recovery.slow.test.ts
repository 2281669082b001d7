// Turns whose daemon or agent dies, turns that go on for too long, and when what failed is tried again.
import { beforeEach, describe, expect, test } from 'vitest';
import type { Daemon } from './daemon.ts';
import { room } from './each-room.ts';
import { processesOf, SETTINGS, until } from './room.ts';

let daemon: Daemon;

describe('a turn whose daemon was killed', () => {
  let turn: string;

  beforeEach(async () => {
    room.gate('One');
    room.save('tasks/One.md', '---\nid: one1\n---\nOne.\n');
    daemon = await room.up();
    turn = String((await daemon.see('turn.started', { name: 'One' })).turn);
    await until('the agent has started', () => room.agentLog().length === 1);
    await daemon.kill();
  });

  test('and that ended meanwhile is counted as it ended, and not run again', async () => {
    room.open('One', 'taskroom progress "nobody watched"; taskroom done');
    await until('no process is left', () => processesOf(room.dir).length === 0);
    daemon = await room.up();
    await daemon.see('turn.ended', { turn, state: 'completed', reason: 'ok', exit_code: 0 });
    await room.quiet(daemon);
    expect(daemon.all('turn.started', { adopted: false })).toEqual([]);
    expect(room.read('tasks/One.md')).toContain('nobody watched');
    expect((await room.json('history')).history).toHaveLength(1);
  });

  test('and that still runs is adopted under its own id', async () => {
    daemon = await room.up();
    await daemon.see('turn.started', { turn, adopted: true });
    expect((await room.json('status')).running).toMatchObject([{ id: turn }]);
    room.open('One');
    await daemon.see('turn.ended', { turn, state: 'completed' });
    await room.quiet(daemon);
    expect(room.agentLog()).toEqual([`start ${turn} One`, `end ${turn} One`]);
  });

  test('and that died with it is interrupted, and its request comes back', async () => {
    for (const pid of processesOf(room.dir)) process.kill(pid, 'SIGKILL');
    await until('no process is left', () => processesOf(room.dir).length === 0);
    room.open('One');
    daemon = await room.up();
    await daemon.see('turn.ended', { turn, state: 'failed', reason: 'interrupted' });
    const again = await daemon.see('turn.started', { name: 'One', adopted: false, attempt: 1 });
    await daemon.see('turn.ended', { turn: again.turn, state: 'completed' });
    await room.quiet(daemon);
    expect(daemon.all('turn.started', { adopted: false })).toHaveLength(1);
  });

  test('can be killed without one, and is over then', async () => {
    expect(await room.json('kill', 'One')).toMatchObject({ id: turn, state: 'killed', reason: 'person' });
    expect(processesOf(room.dir)).toEqual([]);
    daemon = await room.up();
    await room.quiet(daemon);
    expect(daemon.all('turn.started')).toEqual([]);
  });

  test('is stopped by a command that pauses its task, and comes back when it is resumed', async () => {
    await room.ok('pause', 'One');
    expect(processesOf(room.dir)).toEqual([]);
    daemon = await room.up();
    await room.quiet(daemon);
    expect(daemon.all('turn.started')).toEqual([]);
    room.open('One');
    await room.ok('resume', 'One');
    await daemon.see('turn.ended', { name: 'One', state: 'completed' });
  });
});

test.each([
  ['than its timeout', { timeout: '1s' }, 'sleep 60', 'timed_out'],
  ['without a word', { stall: '1s' }, 'sleep 60', 'stalled'],
  ['with words', {}, 'yes', 'output_limit'],
])(
  'a turn that goes on for too long %s is stopped with everything it started, and tried again',
  async (_what, limits, command, reason) => {
    room.settings(...SETTINGS, 'max_output_bytes: 64KiB');
    room.agent('slow', { command: `${command} & ${command}`, ...limits });
    room.save('tasks/Slow.md', '---\nowner: slow\n---\nSlow.\n');
    daemon = await room.up();
    await daemon.see('turn.ended', { name: 'Slow', state: 'failed', reason });
    await daemon.see('turn.retrying', { name: 'Slow', attempt: 2 });
    expect(processesOf(room.dir)).toEqual([daemon.pid]);
  },
);

// Turns that fail: tried again after a growing wait, given up with the reason, and taken up by whoever runs the room next.

const RETRY_NOW = 'UPDATE tasks SET retry_at = 1 WHERE retry_at IS NOT NULL';

test('a failing task is tried again after a while, then paused with the reason; resuming starts anew', async () => {
  room.settings(...SETTINGS, 'max_attempts: 2');
  room.agent('failing', { command: 'echo "no such branch: x"; exit 3' });
  room.save('tasks/Fail.md', '---\nowner: failing\n---\nFail.\n');
  const first = await room.run(['once', '--json']);
  expect(first.code).toBe(1);
  expect(JSON.parse(first.stdout)).toMatchObject({
    failed: 1,
    results: [{ state: 'failed', reason: 'exit', exit_code: 3, message: 'exit code 3: no such branch: x' }],
  });
  const [{ retry_at }] = (await room.json('list')).tasks;
  expect(Date.parse(retry_at) - Date.now()).toBeGreaterThan(3_000);
  expect(Date.parse(retry_at) - Date.now()).toBeLessThan(13_000);
  room.sql(RETRY_NOW);
  daemon = await room.up();
  await daemon.see('turn.started', { name: 'Fail', attempt: 2, reasons: ['retry'] });
  const { reason } = await daemon.see('task.paused', { name: 'Fail' });
  expect(reason).toBe('gave up after 2 failed attempts: exit code 3: no such branch: x');
  await room.quiet(daemon);
  expect(daemon.all('task.paused')).toHaveLength(1);
  const text = room.read('tasks/Fail.md');
  expect(text).toMatch(/^paused: true$/m);
  expect(text.match(/Paused: gave up after 2 failed attempts/g)).toHaveLength(1);
  await room.ok('resume', 'Fail');
  await daemon.see('turn.started', { name: 'Fail', attempt: 1 }, daemon.all('task.paused')[0]!.index);
});

test('a retry of words that a turn dealt with before is taken up by once, when its time has come', async () => {
  room.settings(...SETTINGS);
  room.agent('twice', { command: 'test -e fails && exit 1; exit 0', writes: false });
  room.save('tasks/Again.md', '---\nowner: twice\n---\nOnce more.\n');
  await room.ok('once');
  room.save('fails', '');
  await room.ok('run', 'Again');
  expect(await room.run(['once'])).toMatchObject({ code: 1 });
  room.sql(RETRY_NOW);
  const again = await room.run(['once', '--json']);
  expect(JSON.parse(again.stdout)).toMatchObject({ turns: 1, failed: 1 });
});

// Turns whose process is killed under a living daemon, or loses what tells of it: each counts, waits, and comes to an end.

const WAYS: [what: string, command: string][] = [
  ['kills its whole process group at once', 'kill -9 0'],
  ['removes its pid file', 'rm "$(dirname "$TASKROOM_CONTEXT")/pid"'],
  ['forges its pid file', 'echo "4242 linux 1 x" > "$(dirname "$TASKROOM_CONTEXT")/pid"'],
  ["removes its turn's folder", 'rm -rf "$(dirname "$TASKROOM_CONTEXT")"'],
];

describe('an agent that', () => {
  test.each(WAYS)('D1: %s has failed: counted, and tried again after a wait', async (_what, command) => {
    room.agent('lost', { command });
    room.save('tasks/Lost.md', '---\nid: lost1\nowner: lost\n---\nLost.\n');
    const daemon = await room.up();
    const ended = await daemon.see('turn.ended', { name: 'Lost', state: 'failed', reason: 'interrupted' });
    const { retry_at } = await daemon.see('turn.retrying', { id: 'lost1', attempt: 2 });
    expect(Number(retry_at) - Date.parse(ended.at)).toBeGreaterThan(7_000);
    expect(daemon.all('turn.started')).toHaveLength(1);
  });

  test('D1: is lost as often as max_attempts allows has its task paused with the reason', async () => {
    room.settings(...SETTINGS, 'max_attempts: 1');
    room.agent('lost', { command: 'kill -9 0' });
    room.save('tasks/Lost.md', '---\nid: lost1\nowner: lost\n---\nLost.\n');
    expect((await room.run(['once'])).code).toBe(1);
    expect(room.read('tasks/Lost.md')).toMatch(
      /paused: true[\s\S]*gave up after 1 failed attempt: the process vanished/,
    );
  });

  test('D1: is lost in the turn of a chore makes the chore wait too', async () => {
    room.agent('lost', { command: 'kill -9 0' });
    room.save('chores/look.md', '---\nschedule: every 1h\nowner: lost\n---\nLook around.\n');
    const daemon = await room.up();
    await daemon.see('chore.failed', { name: 'look' });
    const { chores } = await room.json('chores');
    expect(chores).toMatchObject([{ name: 'look', failures: 1 }]);
    expect(daemon.all('turn.started')).toHaveLength(1);
  });
});

test('D1: `git clean -fdX` in a turn runs nothing a second time', async () => {
  room.agent('lost', { command: 'rm -rf "$AGENT_ROOM/.taskroom"' });
  room.save('tasks/Lost.md', '---\nid: lost1\nowner: lost\n---\nLost.\n');
  const daemon = await room.up();
  expect(await daemon.ended).toMatchObject({ code: 6 });
  expect(daemon.all('turn.started')).toHaveLength(1);
});
