// A person at another machine: a file of the room in their editor there, and the tokens that they make with theirs.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openRemoteRoom } from '../../src/app/remote-room.ts';
import { editCopy } from '../../src/cli/invocation/edited-copy.ts';
import { RoomError } from '../../src/core/errors.ts';
import { createNodeEffects } from '../../src/node.ts';
import type { CallOperation } from '../../src/operations/client.ts';
import { seedHost } from '../conformance/host.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { type ServedRoom, serveRoom } from './served-room.ts';

const PERSON = { kind: 'person' } as const;

const elsewhere = ({ url, token }: ServedRoom, as = token) =>
  openRemoteRoom({ url, token: as }, createNodeEffects({}));

test('no token makes one that outlives it, and one of fewer rights makes none', async () => {
  const room = await serveRoom({}, null, seedHost);
  onTestFinished(() => room.close());

  const here = room.runtime.tasks;
  const endAt = Date.now() + 3600_000;
  const iso = (at: number) => new Date(at).toISOString();
  const week = await here.call(
    'createToken',
    { name: 'week', access: 'full', expires_at: iso(endAt) },
    PERSON,
  );
  const { tasks } = await elsewhere(room, week.token);
  const make = (name: string, more: object = {}) =>
    tasks.call('createToken', { name, access: 'full', ...more }, PERSON);
  expect((await make('a')).expires_at).toBe(iso(endAt));
  expect((await make('b', { expires_at: iso(endAt - 1) })).expires_at).toBe(iso(endAt - 1));
  await expect(make('c', { expires_at: iso(endAt + 1) })).rejects.toMatchObject({ code: 'not_allowed' });
  const later = { name: 'd', access: 'readonly', expires_at: iso(endAt + 1) };
  const asked = await room.ask('POST', '/api/tokens', { token: week.token, body: later });
  expect(asked.status).toBe(403);
  for (const access of ['assistant', 'readonly'] as const) {
    const { token } = await here.call('createToken', { name: access, access }, PERSON);
    const { tasks: far } = await elsewhere(room, token);
    const edit = { only: '', start: 0, end: 0, text: 'x' };
    for (const ask of [
      () => far.call('createToken', { name: 'e', access }, PERSON),
      () => far.call('listTokens', {}, PERSON),
      () => far.call('revokeToken', { name: 'week' }, PERSON),
      () => far.call('readFile', { path: 'tasks/One.md' }, PERSON),
      () => far.call('saveFile', { path: 'tasks/One.md', edit }, PERSON),
      () => far.call('examine', {}, PERSON),
    ])
      await expect(ask()).rejects.toMatchObject({ code: 'not_allowed' });
    expect(await far.call('listWorkers', {}, PERSON)).toMatchObject({ workers: [] });
  }
  expect((await here.call('listTokens', {}, PERSON)).tokens.map(({ name }) => name)).toEqual([
    ...['person', 'week', 'a', 'b', 'assistant', 'readonly'],
  ]);
});

describe('a file in an editor here', () => {
  const PATH = 'tasks/One.md';

  /** Edits it; what is left of copies afterwards comes with what happened. */
  async function edited(
    type: (file: string, room: ServedRoom) => void | Promise<void>,
    callOf: (call: CallOperation, room: ServedRoom) => CallOperation = (call) => call,
  ) {
    const room = await serveRoom({}, null, seedHost);
    const home = tempFolder('taskroom-home');
    const way = await elsewhere(room);
    onTestFinished(() => room.close());
    onTestFinished(() => way.close());
    const call = callOf(way.tasks.call, room);
    const edit = async (file: string) => type(file, room);
    const error = await editCopy(call, PATH, { HOME: home }, edit).then(
      () => null,
      (refused: Error & { code: string; hint: string }) => refused,
    );
    const folder = join(home, '.local/state/taskroom/edits');
    const kept = readdirSync(folder).map((each) => join(folder, each, 'One.md'));
    const text = existsSync(join(room.dir, PATH)) ? room.read(PATH) : '';
    return { error, text, kept: kept.map((file) => [file, readFileSync(file, 'utf8')]) };
  }

  const typed = (file: string, from: string, to: string) =>
    writeFileSync(file, readFileSync(file, 'utf8').replace(from, to));

  test('what was typed is there afterwards, and no copy', async () => {
    const { error, text, kept } = await edited((file) => typed(file, 'Do it.', 'Do it well.'));
    expect([error, kept]).toEqual([null, []]);
    expect(text).toContain('\nDo it well.\n');
  });

  test('what came into the file meanwhile stays beside it', async () => {
    const { error, text, kept } = await edited(async (file, { runtime }) => {
      await runtime.tasks.call('comment', { ref: 'One', text: 'Seen.' }, { kind: 'person' });
      await runtime.tasks.call('set', { ref: 'One', keys: { priority: 'high' } }, { kind: 'person' });
      typed(file, 'Do it.', 'Do it well.');
    });
    expect([error, kept]).toEqual([null, []]);
    for (const words of ['\nDo it well.\n', '\n> Seen.\n', 'priority: high']) expect(text).toContain(words);
  });

  test('where both changed one place nothing is written, and what was typed is kept', async () => {
    const { error, text, kept } = await edited((file, room) => {
      typed(join(room.dir, PATH), 'Do it.', 'Do it soon.');
      typed(file, 'Do it.', 'Do it well.');
    });
    expect(error).toMatchObject({ code: 'conflict' });
    expect(text).toContain('\nDo it soon.\n');
    expect(text).not.toContain('well');
    expect(kept).toEqual([[expect.any(String), expect.stringContaining('\nDo it well.\n')]]);
    expect(error?.hint).toContain(kept[0]![0]);
  });

  test('an answer that gets lost is no second write', async () => {
    let saves = 0;
    const { error, text, kept } = await edited(
      (file) => typed(file, '· Begun\n', '· Begun\n- 2026-11-20 11:00 · More\n'),
      (call, room) =>
        async (name, ...asked) => {
          const output = await call(name, ...asked);
          if (name !== 'saveFile') return output;
          saves += 1;
          await room.runtime.tasks.call('comment', { ref: 'One', text: 'Quick.' }, PERSON);
          throw new RoomError('unavailable', 'the connection broke');
        },
    );
    expect([error, kept, saves]).toEqual([null, [], 1]);
    expect(text.split('· More')).toHaveLength(2);
    expect(text).toContain('> Quick.');
  });

  test('a file that is gone meanwhile, and an editor that fails, lose nothing', async () => {
    const gone = await edited((file, room) => {
      typed(file, 'Do it.', 'Do it well.');
      rmSync(join(room.dir, PATH));
    });
    expect([gone.error, gone.text]).toMatchObject([{ code: 'not_found' }, '']);
    expect(gone.kept[0]![1]).toContain('Do it well.');
    const failed = await edited((file) => {
      typed(file, 'Do it.', 'Do it well.');
      throw new Error('the editor crashed');
    });
    expect(failed.error).toMatchObject({ message: 'the editor crashed' });
    expect(failed.kept[0]![1]).toContain('Do it well.');
    expect(failed.text).toContain('\nDo it.\n');
    const aborted = await edited(() => {
      throw new Error('the editor crashed');
    });
    expect(aborted.kept).toEqual([]);
  });
});
