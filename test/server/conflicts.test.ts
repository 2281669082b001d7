// Conflicts over HTTP: shown with both texts, settled on what was looked at, by the person alone; and by commands elsewhere.
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { openRemoteRoom } from '../../src/app/remote-room.ts';
import { mirrorShape, settlement } from '../../src/core/chore-shapes.ts';
import type { TaskId } from '../../src/core/ids.ts';
import { createNodeEffects } from '../../src/node.ts';
import { openLedger } from '../../src/store/ledger/ledger.ts';
import { newRow } from '../../src/sync/plan/base.ts';
import { type ServedRoom, serveRoom } from './served-room.ts';

const TASK = 'one11111' as TaskId;
const FILE = 'tasks/One.md';
let room: ServedRoom;
beforeAll(async () => {
  room = await serveRoom();
});
afterAll(() => room.close());

interface Shown {
  id: string;
  version: string;
  standing: string;
  lost: string;
}

/** As a sync leaves it: upstream's title stands, the one from here lost. */
beforeEach(async () => {
  room.save('One.md', `---\nid: ${TASK}\nstatus: draft\ntitle: Theirs # as agreed\n---\nText.\n`);
  await room.runtime.tasks.call('comment', { ref: TASK, text: 'Seen.' }, { kind: 'person' });
  const ledger = openLedger(join(room.dir, '.taskroom/ledger.db'), { effects: createNodeEffects() });
  ledger.mirrors.delete(TASK);
  const pass = { deps: { effects: { now: () => 1_000 } }, config: { provider: 'github' }, chore: 'web' };
  const row = newRow(pass, TASK, { uid: 'I_1', ref: 'a/b#1', url: null }, FILE);
  ledger.mirrors.insert({ ...row, state: 'conflict' });
  const text = { field: 'title', entry: null, lostSide: 'local', lost: 'Mine', stands: 'Theirs' } as const;
  const conflicts = ledger.conflicts;
  const id = conflicts.intend({ task: TASK, ...text, kept: '.taskroom/attic/x.md', at: 2_000 });
  conflicts.update(id, { sure: 1 });
  ledger.close();
});

const open = async (): Promise<Shown> => {
  const { body } = await room.ask('GET', '/api/mirrors?state=conflict');
  const { mirrors } = body as { mirrors: { conflicts: Shown[] }[] };
  expect(mirrorShape().safeParse(mirrors[0]).error).toBeUndefined();
  return mirrors[0]!.conflicts[0]!;
};
const settle = (body: object, token: string | null = room.token) =>
  room.ask('POST', `/api/tasks/${TASK}/settle`, { body, token });

test('both texts are shown, in the inbox too, and the one that lost is taken after all, once', async () => {
  const { id: conflict, version, standing, lost } = await open();
  expect([standing, lost]).toEqual(['Theirs', 'Mine']);
  const inbox = (await room.ask('GET', '/api/inbox')).body as { inbox: object[] };
  expect(inbox.inbox).toContainEqual(
    expect.objectContaining({
      kind: 'conflict',
      settle: expect.stringMatching(`^taskroom mirror settle ${TASK} --conflict \\d+ --keep$`),
      conflict: { id: conflict, field: 'title', lost_side: 'local', standing, lost },
    }),
  );
  const before = room.read(FILE);
  const done = await settle({ conflict, version, take: 'lost' });
  expect([done.status, settlement().safeParse(done.body).error]).toEqual([200, undefined]);
  expect(done.body).toMatchObject({ standing: 'Mine', changed: true });
  expect(room.read(FILE)).toBe(before.replace('title: Theirs #', 'title: Mine #'));
  const again = await settle({ conflict, version, take: 'lost' });
  expect([again.status, again.body]).toEqual([200, expect.objectContaining({ changed: false })]);
  const otherwise = await settle({ conflict, version, take: 'standing' });
  expect([otherwise.status, otherwise.body]).toEqual([409, expect.objectContaining({ current: null })]);
});

test('one whose text is another by now is refused, with both as they are', async () => {
  const { id: conflict, version } = await open();
  room.save('One.md', room.read(FILE).replace('Theirs', 'Typed since'));
  const refused = await settle({ conflict, version, take: 'lost' });
  expect(refused.status).toBe(409);
  const { current } = refused.body as { current: Shown };
  expect(current).toMatchObject({ id: conflict, standing: 'Typed since', lost: 'Mine' });
  expect(room.read(FILE)).toContain('Typed since');
  const seen = await settle({ conflict, version: current.version, take: 'own', text: 'Of both' });
  expect([seen.status, (seen.body as Shown).standing]).toEqual([200, 'Of both']);
});

test('it is the person who settles', async () => {
  const { id: conflict, version } = await open();
  const { body } = await room.ask('POST', '/api/tokens', { body: { name: 'helper', access: 'assistant' } });
  const { token } = body as { token: string };
  expect((await settle({ conflict, version, take: 'lost' }, token)).status).toBe(403);
  expect((await settle({ conflict, version, take: 'lost' }, null)).status).toBe(401);
  expect((await settle({ conflict, version, take: 'own' })).status).toBe(400);
  expect((await settle({ conflict, take: 'lost' })).status).toBe(400);
  expect((await settle({ conflict: '99999', version, take: 'lost' })).status).toBe(404);
});

test('a command elsewhere shows and settles the very same', async () => {
  const far = await openRemoteRoom({ url: room.url, token: room.token }, createNodeEffects());
  const person = { kind: 'person' } as const;
  const { mirrors } = await far.tasks.call('listMirrors', {}, person);
  expect({ mirrors }).toMatchObject({
    mirrors: (await room.runtime.tasks.call('listMirrors', {}, person)).mirrors,
  });
  const [conflict] = mirrors[0]!.conflicts;
  const wish = { ref: TASK, conflict: conflict!.id, version: conflict!.version };
  const settled = await far.tasks.call('settle', { ...wish, take: 'standing' }, person);
  expect(settled).toMatchObject({ take: 'standing', changed: false });
  await expect(far.tasks.call('settle', { ...wish, take: 'lost' }, person)).rejects.toMatchObject({
    code: 'conflict',
  });
  await far.close();
});
