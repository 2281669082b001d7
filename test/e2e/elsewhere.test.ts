// The API as the real daemon serves it: its token and its files, and commands that reach the room by address alone.
import { existsSync, statSync } from 'node:fs';
import { expect, test } from 'vitest';
import { room } from './each-room.ts';
import type { E2eRoom, Ran } from './room.ts';

type Address = { url: string; socket: string };

async function addressOf(room: E2eRoom): Promise<Address & { token: string }> {
  const where = JSON.parse(room.read('.taskroom/api.json')) as Address;
  return { ...where, token: room.read('.taskroom/token').trim() };
}

test('commands elsewhere do what they do beside the room', async () => {
  const daemon = await room.up('--port', '0');
  const ready = await daemon.see('api.ready');
  const { url, socket, token } = await addressOf(room);
  expect(ready).toMatchObject({ url, socket });
  for (const path of ['.taskroom/token', '.taskroom/api.json', '.taskroom/api.sock'])
    expect(statSync(room.at(path)).mode & 0o777, path).toBe(0o600);
  // A log that is a file never has the token.
  expect(JSON.stringify(daemon.events)).not.toContain(token);

  const far = (...args: string[]): Promise<Ran> =>
    room.run([...args, '--url', url], { env: { TASKROOM_TOKEN: token } });
  const json = async (...args: string[]) => {
    const ran = await far(...args, '--json');
    expect([args.join(' '), ran.code, ran.stderr]).toEqual([args.join(' '), 0, '']);
    return JSON.parse(ran.stdout);
  };
  const made = await json('new', 'Fix the build', 'CI fails.');
  await daemon.see('turn.ended', { id: made.id });
  expect(await json('comment', made.id, 'Seen from afar.')).toMatchObject({ id: made.id, changed: true });
  expect(room.read(made.path)).toContain('Seen from afar.');
  expect((await json('show', made.id)).text).toBe(room.read(made.path));
  expect((await json('list')).tasks).toMatchObject([{ id: made.id }]);
  expect(await json('status')).toMatchObject({ room: room.dir, daemon: { pid: daemon.pid } });
  expect(await json('log', made.id)).toMatchObject({ state: 'completed' });
  expect(await json('mirrors')).toEqual({ mirrors: [] });
  expect(await json('inbox')).toEqual(await room.json('inbox'));
  expect(await json('stats')).toEqual(await room.json('stats'));
  const [there, here] = [await far('hooks', 'check', '--json'), await room.run(['hooks', 'check', '--json'])];
  expect([there.code, there.stdout]).toEqual([here.code, here.stdout]);
  expect(JSON.parse(there.stdout)).toMatchObject({ healthy: false, deliveries: [] });

  for (const link of [await json('open'), await room.json('open', '--print')]) {
    expect(link).toMatchObject({ opened: false, url: expect.stringContaining(`${url}/open?key=`) });
    const answer = await fetch(link.url, { redirect: 'manual' });
    expect([answer.status, answer.headers.get('set-cookie')]).toEqual([
      303,
      expect.stringMatching(/HttpOnly/),
    ]);
  }

  const wrong = await room.run(['list', '--url', url, '--json'], { env: { TASKROOM_TOKEN: 'tskr_x' } });
  expect([wrong.code, wrong.stdout]).toEqual([6, '']);
  expect(wrong.stderr).toContain('unauthorized');
  const inTurn = await room.run(['list', '--url', url], {
    env: { TASKROOM_TOKEN: token, TASKROOM_TURN: 'b11111111' },
  });
  expect(inTurn.code).toBe(4);

  expect((await far('stop')).code).toBe(0);
  await daemon.ended;
  for (const path of ['.taskroom/api.json', '.taskroom/api.sock'])
    expect(existsSync(room.at(path)), path).toBe(false);
  expect((await far('list')).code).toBe(6);
  expect((await room.run(['open'])).code).toBe(6);
});

test('a turn is told neither token nor address', async () => {
  room.daemonEnv.TASKROOM_TOKEN = 'tskr_of_another_room';
  room.daemonEnv.TASKROOM_URL = '';
  room.agent('gate', { command: ['/bin/sh', '-c', 'env > "$AGENT_ROOM/turn.env"'], writes: false });
  const daemon = await room.up('--no-http');
  expect(await daemon.see('api.ready')).toMatchObject({ url: null });
  const { id } = await room.json('new', 'Look', 'Around.');
  await daemon.see('turn.ended', { id });
  const env = room.read('turn.env');
  expect(env).toContain('TASKROOM_TURN=');
  expect(env).not.toMatch(/^TASKROOM_(TOKEN|URL)=/m);
  expect(env).not.toContain(room.read('.taskroom/token').trim());
});
