// Turns whose daemon dies, and turns that go on for too long.
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
