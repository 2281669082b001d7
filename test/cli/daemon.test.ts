// Commands beside a running room: `up` in this process, the others next to it.
import { mkdirSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { makeRoom, type RoomFolder } from './room-folder.ts';

const RUN = (script: string) => `Do it.\n\n\`\`\`sh run\n${script}\n\`\`\`\n`;

async function startUp(room: RoomFolder, more: string[] = []) {
  const up = room.start(['up', ...more]);
  await Promise.race([up.terminal.seen('ready'), up.ended]);
  return up;
}

test('up tells what happens, and one signal ends it with 0', async () => {
  const room = makeRoom();
  room.put('works', `---\ntitle: Works, says its title\n---\n${RUN('echo hello')}`);
  const { terminal, ended } = await startUp(room);
  await terminal.seen('turn completed');
  await terminal.seen('idle');
  expect(terminal.listening()).toBe(1);
  terminal.send('SIGINT');
  expect(await ended).toBe(0);
  expect(terminal.out()).toMatch(/^Room {4}\S+\nAgents {2}runbook \(default\)\n/);
  expect(terminal.out()).toMatch(/Works, says its title +started {2}@runbook {2}\(new\)/);
  expect(terminal.listening()).toBe(0);
});

test('up --json prints one event a line', async () => {
  const room = makeRoom();
  room.put('Works', RUN('echo hello'));
  const { code, out } = await room.run(['up', '--json', '--exit-when-idle']);
  expect(code).toBe(0);
  const events = out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(events.every(({ at }) => new Date(at).toISOString() === at)).toBe(true);
  expect(events).toContainEqual(
    expect.objectContaining({
      type: 'turn.ended',
      name: 'Works',
      state: 'completed',
      took_ms: expect.any(Number),
    }),
  );
});

test('a second up says who holds the room; status, run --wait, log, kill and stop work beside it', async () => {
  const room = makeRoom();
  room.put('Long', RUN('echo begun; sleep 600'));
  // An agent that leaves its task open, so that it can run again.
  mkdirSync(room.at('agents/brief'));
  writeFileSync(
    room.at('agents/brief/agent.json'),
    '{"runner":"command","command":"cat > /dev/null; echo short","writes":false}',
  );
  room.put('Short', '---\nowner: brief\n---\nAgain and again.\n');
  const { terminal, ended } = await startUp(room);
  const second = await room.run(['up']);
  expect(second.code).toBe(5);
  expect(second.err).toContain(`pid ${process.pid}`);

  await terminal.seen(`${'Short'.padEnd(28)}turn completed`);
  const { code, out } = await room.run(['run', 'Short', '--wait', '--json']);
  expect(JSON.parse(out)).toMatchObject({ state: 'completed', reasons: expect.arrayContaining(['run']) });
  expect(code).toBe(0);

  const status = await room.run(['status', '--json']);
  expect(status.code).toBe(0);
  expect(status.json()).toMatchObject({
    daemon: { pid: process.pid, command: 'up' },
    running: [{ description: 'Long' }],
  });

  const follow = room.start(['log', 'Long', '-f']);
  await follow.terminal.seen('begun\n');
  expect((await room.run(['kill', 'Long'])).code).toBe(0);
  expect(await follow.ended).toBe(0);
  await terminal.seen('turn killed');

  const stopped = await room.run(['stop', '--json']);
  expect(stopped.json()).toEqual({ stopped: true, pid: process.pid });
  expect(await ended).toBe(0);
});

test('a second signal stops at once, with 130', async () => {
  const room = makeRoom();
  room.put('Long', RUN('sleep 600'));
  const { terminal, ended } = await startUp(room);
  await terminal.seen('started');
  terminal.send('SIGINT');
  await terminal.seen('waiting up to 30 s for 1 turn');
  terminal.send('SIGINT');
  expect(await ended).toBe(130);
  expect((await room.run(['status'])).code).toBe(3);
});
