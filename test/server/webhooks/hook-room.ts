// A listener of webhooks with a real receiver and ledger behind it, the loop's place taken by a list of what it was told.
import { createHmac } from 'node:crypto';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { sign } from '@octokit/webhooks-methods';
import { expect, onTestFinished } from 'vitest';
import { createWebhookReceiver, type WebhookReceiver } from '../../../src/app/mirrors/webhook-receiver.ts';
import { createProviderRegistry } from '../../../src/providers/registry.ts';
import { listen } from '../../../src/server/webhooks.ts';
import { GITHUB_PAYLOADS } from '../../support/github-payloads.ts';
import { mirrorConfig } from '../../support/mirror-config.ts';
import { openTestRoom, type TestRoom } from '../../tasks/test-room.ts';

/** The first that GitHub shows: `issues.edited` of Codertocat/Hello-World#1. */
export const ISSUE = JSON.stringify(GITHUB_PAYLOADS.find(({ name }) => name === 'issues')!.examples[0]);
export const GITHUB_SECRET = 'what GitHub signs with';
export const LINEAR_SECRET = 'what Linear signs with';

type Told = { provider: string; ref: string | null }[];

/** Closed when the test is over, which fails when something broke in the listener. */
export async function openHookRoom() {
  const room = openTestRoom();
  const told: Told = [];
  const bugs: unknown[] = [];
  const receiver = createReceiver(room, { HOOK_GITHUB: GITHUB_SECRET, HOOK_LINEAR: LINEAR_SECRET }, told);
  const listener = await listen(receiver, { host: '127.0.0.1', port: 0 }, (bug) => bugs.push(bug));
  await receiver.open(listener.address);
  // Kept connections, as a tracker has them: a burst comes by a hundred.
  const agent = new Agent({ keepAlive: true, maxSockets: 100 });
  onTestFinished(async () => {
    agent.destroy();
    await listener.close();
    expect(bugs).toEqual([]);
  });
  const post = (path: string, body: string, headers: Record<string, string> = {}) =>
    postBy(agent, `${listener.address}${path}`, body, { 'content-type': 'application/json', ...headers });
  return {
    room,
    receiver,
    listener,
    told,
    /** The status that these get. */
    post,
    github: async (body: string, secret = GITHUB_SECRET, event = 'issues') =>
      post('/hooks/github', body, {
        'x-github-event': event,
        'x-hub-signature-256': await sign(secret, body),
      }),
    linear(ageMs: number, ref = 'ENG-42') {
      const data = { id: `uid of ${ref}`, identifier: ref };
      const timed = { action: 'update', type: 'Issue', data, webhookTimestamp: Date.now() - ageMs };
      const body = JSON.stringify(timed);
      const signature = createHmac('sha256', LINEAR_SECRET).update(body).digest('hex');
      return post('/hooks/linear', body, { 'linear-signature': signature });
    },
    /** What the server says to these very bytes; null when it hangs up. */
    raw: (bytes: string) => sendRaw(Number(new URL(listener.address).port), bytes),
    /** How often, by `provider chore what`; ends the counting. */
    counted(): Record<string, number> {
      receiver.close();
      const rows = room.deps.ledger.webhooks.all();
      return Object.fromEntries(
        rows.map(({ provider, chore, what, count }) => [`${provider} ${chore} ${what}`, count]),
      );
    },
  };
}

/** Of a room whose chore `web` mirrors codertocat/hello-world and the team ENG. */
export function createReceiver(
  room: TestRoom,
  env: Record<string, string>,
  told: Told = [],
): WebhookReceiver {
  const config = room.deps.config();
  const hooks = { port: 1, host: '127.0.0.1', github: 'HOOK_GITHUB', linear: 'HOOK_LINEAR' };
  return createWebhookReceiver({
    deps: { ...room.deps, effects: { ...room.deps.effects, env }, config: () => ({ ...config, hooks }) },
    providers: createProviderRegistry({ roomDir: room.dir, files: {} }),
    told(provider, issue, concerns) {
      told.push({ provider, ref: issue.ref });
      const source = provider === 'github' ? 'codertocat/hello-world' : 'ENG';
      return concerns('web', mirrorConfig({ provider, source })) ? ['web'] : [];
    },
    pullTold: (task) => void told.push({ provider: 'pull request', ref: task }),
  });
}

function postBy(agent: Agent, url: string, body: string, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { agent, method: 'POST', headers }, (answer) => {
      answer.resume();
      answer.on('end', () => resolve(answer.statusCode!));
    });
    asked.on('error', reject);
    asked.end(body);
  });
}

function sendRaw(port: number, bytes: string): Promise<number | null> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk;
      socket.end();
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve(answer === '' ? null : Number(answer.split(' ')[1])));
  });
}
