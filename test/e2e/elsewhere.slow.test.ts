// Commands that need the room's machine, and none of its files, given on another one: by a person who has its address and a
// token, an empty home and another folder.
import { expect } from 'vitest';
import { testInRoom } from './room-test.ts';

const test = testInRoom();

test('editing, tokens, workers and doctor work from elsewhere; what runs the room is refused there', async ({
  room,
}) => {
  const daemon = await room.up('--port', '0');
  await daemon.see('api.ready');
  const { url } = JSON.parse(room.read('.taskroom/api.json'));
  const token = room.read('.taskroom/token').trim();
  const far = (...args: string[]) => room.run([...args, '--url', url], { env: { TASKROOM_TOKEN: token } });
  const json = async (...args: string[]) => JSON.parse((await far(...args, '--json')).stdout);
  const made = await json('new', 'Fix the build', 'CI fails.');
  await daemon.see('turn.ended', { id: made.id });

  const inEditor = (script: string, ...args: string[]) =>
    room.run(['edit', made.id, '--url', url, ...args], { env: { TASKROOM_TOKEN: token, EDITOR: script } });
  expect((await inEditor('sed -i s/fails/broke/')).stdout).toContain('1 line added, 1 line removed');
  expect(room.read(made.path)).toContain('CI broke.');
  expect(JSON.parse((await inEditor('true', '--json')).stdout)).toMatchObject({ changed: false });
  const broken = await inEditor('sed -i s/^status:.*/status:\\ nope/');
  expect([broken.code, broken.stderr]).toEqual([6, expect.stringContaining(`${made.path}:4:9`)]);
  expect((await inEditor('sed -i s/nope/done/')).stdout).toContain('can be read again');

  expect(await json('mirrors', '--state', 'conflict,error')).toEqual({ mirrors: [] });
  const [there, here] = [
    await far('mirrors', '--state', 'broken'),
    await room.run(['mirrors', '--state', 'broken']),
  ];
  expect([there.code, there.stderr]).toEqual([2, here.stderr]);
  expect(here.stderr).toContain('known: in_sync, pending, conflict, detached, untrusted, error');
  const over = await far('resume', made.id);
  expect([over.code, over.stderr]).toEqual([4, expect.stringContaining('taskroom reopen')]);
  expect(await json('workers')).toMatchObject({ workers: [] });
  const [vague, alike] = [await far('token', 'new', 'lap'), await room.run(['token', 'new', 'lap'])];
  expect([vague.code, vague.stderr]).toEqual([2, alike.stderr]);
  expect(alike.stderr).toContain('full, assistant, readonly, worker');
  const lap = await json('token', 'new', 'lap', '--full', '--days', '1');
  expect((await json('token')).tokens).toMatchObject([{ kind: 'own' }, { name: 'lap' }]);
  const asLap = (...args: string[]) =>
    room.run([...args, '--url', url], { env: { TASKROOM_TOKEN: lap.token } });
  expect((await asLap('token', 'new', 'eternal', '--full', '--days', '2')).code).toBe(4);
  expect((await asLap('token', 'revoke', 'lap')).code).toBe(0);
  expect((await asLap('list')).code).toBe(6);
  const [sick, well] = [await far('doctor', '--json'), await room.run(['doctor', '--json'])];
  expect([sick.code, sick.stdout]).toEqual([well.code, well.stdout]);
  for (const command of ['up', 'once', 'service install --print', 'init']) {
    const refused = await far(...command.split(' '));
    expect([command, refused.code, refused.stdout]).toEqual([command, 4, '']);
    expect(refused.stderr).toMatch(/on the machine of its room alone: .+\n.*run it there/);
  }
});
