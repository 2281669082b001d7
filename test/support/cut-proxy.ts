// A line between two programs that can be cut: before a request reaches the other side, after it did and before the answer
// comes back, or silently, so that what was sent arrives late. It knows no protocol: a request is what the client sends.
import { createConnection, createServer, type Server, type Socket } from 'node:net';

/**
 * `request`: the next thing the client says is lost with its connection. `answer`: it arrives, and what is answered is lost.
 * `silence`: both sides stay connected and hear nothing; what was sent meanwhile arrives when it is over.
 */
export type Cut = 'request' | 'answer' | 'silence';

export type CutProxy = Awaited<ReturnType<typeof startCutProxy>>;

interface Pair {
  client: Socket;
  server: Socket;
  /** What it has asked last waits for its answer, which is to be lost. */
  losesAnswer: boolean;
}

/** Stands before `targetPort` of this machine on a free port. */
export async function startCutProxy(targetPort: number) {
  const line = createLine(targetPort);
  const server = createServer({ allowHalfOpen: false }, line.connect);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: portOf(server),
    /** Cuts the line at the next occasion, and lets nobody through for `downMs` after. */
    cut: line.cut,
    /** How often the line was really cut so. */
    made: line.made,
    /** From now on everybody is let through. */
    mend: line.mend,
    async close() {
      line.mend();
      line.drop();
      await new Promise((closed) => server.close(closed));
    },
  };
}

function createLine(targetPort: number) {
  const pairs = new Set<Pair>();
  const made: Record<Cut, number> = { request: 0, answer: 0, silence: 0 };
  let armed: { how: 'request' | 'answer'; downMs: number } | null = null;
  let isDown = false;
  let isSilent = false;
  let timer: NodeJS.Timeout | undefined;

  const drop = () => {
    for (const { client, server } of pairs) {
      client.resetAndDestroy();
      server.resetAndDestroy();
    }
    pairs.clear();
  };
  const mend = () => {
    clearTimeout(timer);
    [armed, isDown, isSilent] = [null, false, false];
    for (const { client, server } of pairs) {
      client.resume();
      server.resume();
    }
  };
  const goDown = (how: 'request' | 'answer', downMs: number) => {
    made[how] += 1;
    [armed, isDown] = [null, true];
    drop();
    timer = setTimeout(mend, downMs);
  };
  const fromClient = (pair: Pair, data: Buffer) => {
    if (armed?.how === 'request') return goDown('request', armed.downMs);
    if (armed?.how === 'answer') pair.losesAnswer = true;
    pair.server.write(data);
  };
  const fromServer = (pair: Pair, data: Buffer) => {
    if (pair.losesAnswer && armed?.how === 'answer') return goDown('answer', armed.downMs);
    pair.losesAnswer = false;
    pair.client.write(data);
  };

  return {
    ...{ made, drop, mend },
    connect(client: Socket) {
      if (isDown) return void client.resetAndDestroy();
      const pair: Pair = { client, server: createConnection(targetPort, '127.0.0.1'), losesAnswer: false };
      pairs.add(pair);
      const over = () => {
        pairs.delete(pair);
        client.destroy();
        pair.server.destroy();
      };
      for (const socket of [client, pair.server]) {
        // One that is cut off says so by its close.
        socket.on('error', () => undefined).on('close', over);
        socket.setNoDelay(true);
      }
      client.on('data', (data: Buffer) => fromClient(pair, data));
      pair.server.on('data', (data: Buffer) => fromServer(pair, data));
      if (!isSilent) return;
      client.pause();
      pair.server.pause();
    },
    cut(how: Cut, downMs: number) {
      if (isDown || isSilent || armed !== null) return;
      if (how !== 'silence') {
        armed = { how, downMs };
        return;
      }
      made.silence += 1;
      isSilent = true;
      for (const { client, server } of pairs) {
        client.pause();
        server.pause();
      }
      timer = setTimeout(mend, downMs);
    },
  };
}

const portOf = (server: Server): number => (server.address() as { port: number }).port;
