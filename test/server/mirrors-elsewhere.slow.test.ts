import { openRemoteRoom } from '../../src/app/remote-room.ts';
import { createNodeEffects } from '../../src/node.ts';
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
