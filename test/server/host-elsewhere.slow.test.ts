// What the machine of a room does for its person, reached by its address from another one, is what it does beside the room.

import { openRemoteRoom } from '../../src/app/remote-room.ts';
import { createNodeEffects } from '../../src/node.ts';
import { type HostUnderTest, seedHost, testHost } from '../conformance/host.ts';
import { serveRoom } from './served-room.ts';

/** Both rooms serve, so that both have the token of that. */
async function open(isRemote: boolean): Promise<HostUnderTest> {
  const room = await serveRoom({}, null, seedHost);
  if (!isRemote) return { dir: room.dir, way: room.runtime, close: room.close };
  const way = await openRemoteRoom({ url: room.url, token: room.token }, createNodeEffects({}));
  return {
    ...{ dir: room.dir, way },
    async close() {
      await way.close();
      await room.close();
    },
  };
}

testHost(
  () => open(true),
  () => open(false),
);
