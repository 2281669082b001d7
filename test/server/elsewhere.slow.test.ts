// What the machine of a room does for its person, and for mirrors, reached by its address from another one, is what it does beside
// the room.
import { openRemoteRoom } from '../../src/app/remote-room.ts';
import { createNodeEffects } from '../../src/node.ts';
import { seedHost, testHost } from '../conformance/host.ts';
import { seedMirrors, testMirrors } from '../conformance/mirrors.ts';
import { type ServedRoom, serveRoom } from './served-room.ts';

const here = (room: ServedRoom) => ({ dir: room.dir, way: room.runtime, close: room.close });

async function elsewhere(room: ServedRoom) {
  const way = await openRemoteRoom({ url: room.url, token: room.token }, createNodeEffects({}));
  const close = async () => {
    await way.close();
    await room.close();
  };
  return { dir: room.dir, way, close };
}

// Both rooms serve, so that both have the token of that.
testHost(
  async () => elsewhere(await serveRoom({}, null, seedHost)),
  async () => here(await serveRoom({}, null, seedHost)),
);

testMirrors(async () => elsewhere(await serveRoom({}, null, seedMirrors)));
