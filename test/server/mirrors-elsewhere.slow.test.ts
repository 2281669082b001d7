// The chores and mirrors of a room, reached by its address from another machine, are those of the room.
import { expect, test } from 'vitest';
import { openRemoteRoom } from '../../src/app/remote-room.ts';
import { MIRROR_STATES } from '../../src/core/chore/fields.ts';
import { createNodeEffects } from '../../src/node.ts';
import { caseIn } from '../conformance/mirrors/case.ts';
import { seedMirrors, testMirrors } from '../conformance/mirrors.ts';
import { serveRoom } from './served-room.ts';

testMirrors(async () => {
  const room = await serveRoom({}, null, seedMirrors);
  const way = await openRemoteRoom({ url: room.url, token: room.token }, createNodeEffects({}));
  return {
    ...{ dir: room.dir, way },
    async close() {
      await way.close();
      await room.close();
    },
  };
});

test('the list over HTTP is the same, and its filters are those of the command', async () => {
  const room = await serveRoom({}, null, seedMirrors);
  try {
    const on = caseIn(room.dir, room.runtime);
    await on.sync();
    on.remove('tasks/Third (issues#3).md');
    await on.sync();
    const all = (await on.ask('listMirrors', {})).mirrors;
    expect(all.map(({ state }) => state)).toEqual(['in_sync', 'in_sync', 'detached']);
    const shown = async (query: string) =>
      ((await room.ask('GET', `/api/mirrors${query}`)).body as { mirrors: object[] }).mirrors;
    const said = (state: string) => all.filter((each) => each.state === state);
    expect(await shown('')).toEqual(all);
    expect(await shown('?chore=web')).toEqual(all);
    expect(await shown('?chore=still')).toEqual([]);
    expect(await shown('?state=detached')).toEqual(said('detached'));
    expect(await shown('?chore=web&state=in_sync')).toEqual(said('in_sync'));
    expect(await shown('?state=detached,in_sync')).toEqual(all);
    expect((await room.ask('GET', '/api/mirrors?colour=red')).status).toBe(400);
    const odd = await room.ask('GET', '/api/mirrors?state=broken');
    expect(odd.status).toBe(400);
    for (const state of MIRROR_STATES) expect((odd.body as { hint: string }).hint).toContain(state);
  } finally {
    await room.close();
  }
});
