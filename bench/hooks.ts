// Webhooks at the pace a large organisation sends them: signed as GitHub signs, to a real daemon, each answered.

import { createHmac } from 'node:crypto';
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../test/support/free-port.ts';
import { startDaemon } from './daemon.ts';
import { type Bench, type Figure, percentile, showCount } from './figures.ts';
import { msFigure, startNodes } from './pace.ts';
import { createRoom, removeRoom } from './room-files.ts';

const A_SECOND = 500;
const SECONDS = 10;
const ANSWER_LIMIT_MS = 100;
const LISTEN_LIMIT_MS = 30_000;
const SECRET = 'the secret of the bench';

export const hooks: Bench = {
  name: 'hooks',
  how: `A real daemon that hears GitHub's webhooks; a client in the bench's process with 50 kept connections sends ${A_SECOND} signed deliveries of
11 kB a second for ${SECONDS} s, each of another issue, and counts from when each was due to its answer. Then as many as are answered, each connection
sending the next when the one before is.`,
  async run({ quick, note }) {
    const port = await freePort();
    const room = createRoom({
      count: 10,
      state: 'resting',
      settings: `hooks:\n  port: ${port}\n  github: BENCH_HOOK\n`,
    });
    const daemon = await startDaemon(room, { BENCH_HOOK: SECRET });
    const agent = new Agent({ keepAlive: true, maxSockets: 50 });
    try {
      await listens(port);
      const send = (number: number) => deliver(agent, port, number);
      for (let at = 0; at < 50; at += 1) await send(at + 1);
      const nodeMs = startNodes();
      note('paced');
      const times = await paced(send, quick ? 1 : SECONDS);
      note('as fast as it goes');
      const rate = await flatOut(send, quick ? 500 : 5_000);
      nodeMs.push(...startNodes());
      return [
        msFigure(
          `${A_SECOND} webhooks a second, verified and answered, p99`,
          percentile(times, 0.99),
          quick ? null : { limitMs: ANSWER_LIMIT_MS, nodeMs },
          `p50 ${percentile(times, 0.5).toFixed(2)} ms`,
        ),
        rateFigure(rate, quick),
      ];
    } finally {
      agent.destroy();
      await daemon.stop();
      removeRoom(room);
    }
  },
};

function rateFigure(rate: number, quick: boolean): Figure {
  const shown = `${showCount(rate)} a second`;
  const bound = quick ? '' : `≥ ${A_SECOND} a second`;
  const pass = quick ? null : rate >= A_SECOND;
  return { what: 'webhooks verified at most', ours: '', peer: '', value: shown, bound, pass };
}

async function paced(send: (number: number) => Promise<void>, seconds: number): Promise<number[]> {
  const startedAt = performance.now();
  const sent = Array.from({ length: seconds * A_SECOND }, async (_, at) => {
    const dueMs = startedAt + (1000 * at) / A_SECOND;
    await sleep(Math.max(0, dueMs - performance.now()));
    await send(at + 1);
    return performance.now() - dueMs;
  });
  return Promise.all(sent);
}

async function flatOut(send: (number: number) => Promise<void>, count: number): Promise<number> {
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: count }, (_, at) => send(at + 1)));
  return (1000 * count) / (performance.now() - startedAt);
}

/** @throws when it is not taken */
function deliver(agent: Agent, port: number, number: number): Promise<void> {
  const issue = { number, node_id: `I_${number}`, body: 'x'.repeat(11_000) };
  const body = JSON.stringify({ action: 'edited', issue, repository: { full_name: 'acme/web' } });
  const headers = {
    'content-type': 'application/json',
    'x-github-event': 'issues',
    'x-hub-signature-256': `sha256=${createHmac('sha256', SECRET).update(body).digest('hex')}`,
  };
  return new Promise((resolve, reject) => {
    const options = { agent, port, host: '127.0.0.1', path: '/hooks/github', method: 'POST', headers };
    const asked = request(options, (answer) => {
      answer.resume();
      answer.on('end', () =>
        answer.statusCode === 200 ? resolve() : reject(new Error(`answered ${answer.statusCode}`)),
      );
    });
    asked.on('error', reject);
    asked.end(body);
  });
}

/** It listens a moment after the room is ready. */
async function listens(port: number): Promise<void> {
  const deadline = performance.now() + LISTEN_LIMIT_MS;
  for (;;) {
    const answered = await fetch(`http://127.0.0.1:${port}/`).then(
      ({ status }) => status === 404,
      () => false,
    );
    if (answered) return;
    if (performance.now() > deadline) throw new Error('nothing listens for webhooks');
    await sleep(20);
  }
}
