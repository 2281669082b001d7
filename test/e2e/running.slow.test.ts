import { describe, expect, test } from 'vitest';
import { room } from './each-room.ts';
import { TURN_PROGRAM, until } from './room.ts';

describe('one daemon a room', () => {
  test('a second up says who holds it; status, stop and once know it', async () => {
    const daemon = await room.up();
    const second = await room.run(['up']);
    expect(second.code).toBe(5);
    expect(second.stderr).toContain(`pid ${daemon.pid}`);
    expect(await room.run(['once'])).toMatchObject({ code: 5 });
    expect((await room.json('status')).daemon).toMatchObject({ pid: daemon.pid, command: 'up' });
    expect(await room.json('stop')).toEqual({ stopped: true, pid: daemon.pid });
    expect(await daemon.ended).toEqual({ code: 0, signal: null });
    expect((await room.run(['status'])).code).toBe(3);
    expect(await room.json('stop')).toEqual({ stopped: false, pid: null });
  });

  test('a dead owner does not hold it', async () => {
    await (await room.up()).kill();
    expect((await room.run(['status'])).code).toBe(3);
    const daemon = await room.up();
    expect((await room.json('status')).daemon).toMatchObject({ pid: daemon.pid });
  });

  test('stop lets a running turn end; stop --now interrupts it, and it comes back', async () => {
    room.gate('One');
    room.save('tasks/One.md', 'One.\n');
    const daemon = await room.up();
    await daemon.see('turn.started', { name: 'One' });
    const stopping = room.json('stop');
    await daemon.see('room.stopping', { turns: 1 });
    room.save('tasks/Late.md', 'Not before the next start.\n');
    room.open('One');
    await stopping;
    await daemon.see('turn.ended', { name: 'One', state: 'completed' });
    expect(daemon.all('turn.started')).toHaveLength(1);

    room.gate('Late');
    const next = await room.up();
    await next.see('turn.started', { name: 'Late' });
    await room.json('stop', '--now');
    await next.see('turn.ended', { name: 'Late', reason: 'interrupted' });
    room.open('Late');
    const last = await room.up();
    expect(await last.see('turn.started', { name: 'Late' })).toMatchObject({ attempt: 1 });
    await last.see('turn.ended', { name: 'Late', state: 'completed' });
  });

  test('the first SIGINT waits for running turns, the second does not', async () => {
    room.gate('One');
    room.save('tasks/One.md', 'One.\n');
    const daemon = await room.up();
    await daemon.see('turn.started', { name: 'One' });
    daemon.signal('SIGINT');
    await daemon.see('room.stopping', { turns: 1 });
    daemon.signal('SIGINT');
    await daemon.see('turn.ended', { name: 'One', reason: 'interrupted' });
    expect(await daemon.ended).toEqual({ code: 130, signal: null });
  });
});

test('D7: a stop that a killed daemon never read does not end the next one', async () => {
  const first = await room.up();
  // It is not in the midst of a write then, with the ledger locked.
  await first.see('api.ready');
  await room.quiet(first);
  first.signal('SIGSTOP');
  const stop = room.run(['stop', '--now']);
  await until('the stop is on record', () => messages() === 1);
  await first.kill();
  expect(await stop).toMatchObject({ code: 0 });
  const second = await room.up();
  await room.quiet(second);
  expect(messages()).toBe(0);
  expect((await room.json('status')).daemon).toMatchObject({ pid: second.pid });
});

const messages = () => room.sql('SELECT 1 FROM messages').length;

describe('once', () => {
  test('exits 0 when all went well, 1 when a turn failed, and leaves retries for later', async () => {
    expect(await room.json('once')).toMatchObject({ turns: 0, failed: 0, results: [] });
    room.agent('failing', { command: 'exit 7' });
    room.save('tasks/Good.md', 'Good.\n');
    room.save('tasks/Bad.md', '---\nowner: failing\n---\nBad.\n');
    room.save('tasks/Broken.md', '---\nstatus: [\n---\n');
    const ran = await room.run(['once', '--json']);
    expect(ran.code).toBe(1);
    expect(JSON.parse(ran.stdout)).toMatchObject({
      turns: 2,
      failed: 1,
      invalid: [{ path: 'tasks/Broken.md' }],
    });
    expect(await room.json('once')).toMatchObject({ turns: 0, failed: 0 });
    expect((await room.run(['status'])).stdout).toContain('Bad');
  });

  test('runs what a turn makes due, before it ends', async () => {
    room.agent('chain', {
      command: 'test -f "tasks/Follow up.md" || taskroom new "Follow up" "Do it."; taskroom done',
    });
    room.save('tasks/Start.md', '---\nowner: chain\n---\nStart.\n');
    const { results } = await room.json('once');
    expect(results.map((result: { name: string }) => result.name)).toEqual(['Start', 'Follow up']);
  });
});

describe('inside a turn', () => {
  test('stop, up, once and run --all are refused, also where the shell lost its variables', async () => {
    room.save('tasks/Try.md', 'Try.\n');
    room.gate('Try');
    const daemon = await room.up();
    await daemon.see('turn.started', { name: 'Try' });
    const bare = 'env -u TASKROOM_TURN -u AGENT_ROOM taskroom --room "$AGENT_ROOM"';
    const stops = ['taskroom stop --now', `${bare} stop --now`];
    const commands = [...stops, 'taskroom up', 'taskroom once', 'taskroom run --all'];
    room.open('Try', commands.map((command) => `${command}; echo "code $?"`).join('; '));
    const { turn } = await daemon.see('turn.ended', { name: 'Try', state: 'completed' });
    const { text } = await room.json('log', String(turn));
    expect(text.match(/code \d+/g)).toEqual(Array(commands.length).fill('code 4'));
    expect(text).toContain("can't stop the room it runs in");
    expect((await room.json('status')).daemon).toMatchObject({ pid: daemon.pid });
  });

  test('the program on the PATH is the one that runs the room', async () => {
    room.gate('Try');
    room.save('tasks/Try.md', 'Try.\n');
    const daemon = await room.up();
    await daemon.see('turn.started', { name: 'Try' });
    room.open('Try', 'command -v taskroom');
    const { turn } = await daemon.see('turn.ended', { name: 'Try' });
    expect((await room.json('log', String(turn))).text).toContain(TURN_PROGRAM);
  });
});
