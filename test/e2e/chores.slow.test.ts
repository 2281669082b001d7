// Chores through the real program: schedules, turns of prompts, crashes, and what the commands say of them.
import { existsSync, rmSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { room } from './each-room.ts';
import { SETTINGS } from './room.ts';

const prompt = (...lines: string[]) => `---\n${lines.join('\n')}\n---\nLook around.\n`;
const chore = async (name: string) => {
  const { chores } = await room.json('chores');
  return chores.find((one: { name: string }) => one.name === name);
};

describe('a prompt', () => {
  test('gets turn after turn on its schedule, with a context of its own, until it is paused', async () => {
    room.agent('looker', {
      command: [
        'sh',
        '-c',
        'cat > "$AGENT_ROOM/seen.md"; cat "$TASKROOM_CONTEXT" > "$AGENT_ROOM/seen.json"; printenv TASKROOM_TASK || echo none',
      ],
    });
    room.save('chores/look.md', prompt('schedule: every 1s', 'owner: looker'));
    const daemon = await room.up();
    const first = await daemon.see('turn.ended', { name: 'look', id: null, state: 'completed' });
    await daemon.see('turn.started', { name: 'look', reasons: ['scheduled'] }, first.index);
    expect(JSON.parse(room.read('seen.json'))).toEqual({
      chore: { name: 'look', prompt: 'Look around.\n', thread_id: 'chore:look' },
    });
    expect(room.read('seen.md')).toContain('Look around.');
    expect(await room.ok('log', String(first.turn))).toBe('none\n');
    expect(await chore('look')).toMatchObject({ kind: 'prompt', schedule: 'every 1s', failures: 0 });
    const { turns } = await room.json('turns');
    expect(turns.at(-1)).toMatchObject({
      task: null,
      thread: 'chore:look',
      origin: 'chore',
      agent: 'looker',
    });

    room.save('chores/look.md', prompt('schedule: every 1s', 'owner: looker', 'paused: true'));
    await expect
      .poll(() => room.json('chores'))
      .toMatchObject({ chores: [{ name: 'look', paused: true, running: false, next_at: null }] });
  });

  test('that fails is tried again, then stands still; a run by hand starts anew', async () => {
    room.settings(...SETTINGS, 'max_attempts: 1');
    room.save(
      'chores/sh.md',
      '---\nschedule: every 1h\nowner: runbook\n---\n```sh run\ntest -e mended\ntouch ran\n```\n',
    );
    expect((await room.run(['once'])).code).toBe(1);
    expect(await chore('sh')).toMatchObject({
      failures: 1,
      stopped: expect.stringMatching(/^gave up after 1 failed/),
    });
    // Not again by itself.
    expect((await room.run(['once'])).code).toBe(0);
    room.save('mended', '');
    expect(await room.ok('chores', 'run', 'sh')).toMatch(/sh gets a turn with the next taskroom up/);
    await room.ok('once');
    expect(existsSync(room.at('ran'))).toBe(true);
    expect(await chore('sh')).toMatchObject({ failures: 0, stopped: null, result: { ok: true } });
  });

  test('is stopped when its file is deleted, and left alone when its turn is killed', async () => {
    room.gate('one');
    room.gate('two');
    room.settings(...SETTINGS, '  chore: 2');
    room.save('chores/one.md', prompt('schedule: every 1h'));
    room.save('chores/two.md', prompt('schedule: every 1h'));
    const daemon = await room.up();
    const { turn } = await daemon.see('turn.started', { name: 'one' });
    await daemon.see('turn.started', { name: 'two' });
    await room.ok('kill', String(turn));
    await daemon.see('turn.ended', { name: 'one', state: 'killed', reason: 'person' });
    rmSync(room.at('chores/two.md'));
    const gone = await daemon.see('turn.ended', { name: 'two', state: 'killed', reason: 'canceled' });
    await daemon.see('room.idle', {}, gone.index);
    expect(daemon.all('turn.started')).toHaveLength(2);
    expect(await chore('one')).toMatchObject({ failures: 0, running: false });
  });
});

test('what is due later keeps neither once nor --exit-when-idle from ending', async () => {
  room.save('chores/look.md', prompt('schedule: every 1h'));
  room.save('chores/later.md', prompt('schedule: "@yearly"'));
  await room.ok('once');
  await room.ok('once');
  expect((await room.json('turns')).turns).toHaveLength(1);
  await room.ok('up', '--exit-when-idle');
  expect((await room.json('turns')).turns).toHaveLength(1);
});

test('files in a folder that was not there are taken up, and those that can not be read are told with their place, by the daemon, by doctor and by chores', async () => {
  rmSync(room.at('chores'), { recursive: true });
  const daemon = await room.up();
  room.save('chores/bad.md', prompt('shedule: every 1h'));
  room.save('chores/good.md', prompt('schedule: every 1h'));
  expect((await daemon.see('chore.invalid')).problems).toMatchObject([
    { path: 'chores/bad.md', line: 2, col: 1 },
  ]);
  await daemon.see('turn.ended', { name: 'good', state: 'completed' });
  const doctor = await room.run(['doctor']);
  expect(doctor.code).toBe(6);
  expect(doctor.stdout).toContain('chores/bad.md:2:1 unknown key "shedule"');
  expect(await room.ok('chores')).toContain('did you mean "schedule"?');
  const from = daemon.mark();
  room.save('chores/bad.md', prompt('schedule: every 1h'));
  await daemon.see('chore.mended', { path: 'chores/bad.md' }, from);
  await daemon.see('turn.ended', { name: 'bad', state: 'completed' }, from);
});

test('a mirror below a first line of other words is told, and is no prompt', async () => {
  room.save('chores/web.md', '# chores/web.md\n---\nmirror:\n  provider: github\n  source: acme/web\n---\n');
  const { chores, invalid } = await room.json('chores');
  expect(chores).toEqual([]);
  expect(invalid).toMatchObject([
    {
      path: 'chores/web.md',
      problems: [{ line: 2, message: expect.stringContaining('does not start the file') }],
    },
  ]);
  expect(await room.run(['chores', 'run', 'web'])).not.toMatchObject({ code: 0 });
  expect((await room.json('once')).turns).toBe(0);
});
