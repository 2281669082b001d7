// A real room with its API on a free port of this machine and on its unix socket, without a loop.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { openRuntime } from '../../src/app/open-room.ts';
import { answerMcp } from '../../src/mcp/serve-mcp.ts';
import { createNodeEffects } from '../../src/node.ts';
import { prepareApi } from '../../src/server/serve.ts';
import type { ApiOptions } from '../../src/server/shapes/faces.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { assertAsDocumented } from './documented.ts';

export interface Told {
  status: number;
  headers: Headers;
  /** Parsed where it is JSON, else its text. */
  body: never;
}

export interface Asked {
  body?: unknown;
  headers?: Readonly<Record<string, string>>;
  /** Another token than the person's; null for none. */
  token?: string | null;
}

export type ServedRoom = Awaited<ReturnType<typeof serveRoom>>;

type Tcp = Partial<NonNullable<ApiOptions['tcp']>>;

/** @param seed what else lies in the room before it is opened */
export async function serveRoom(
  tcp: Tcp = {},
  boardDir: string | null = null,
  seed: (dir: string) => void = () => {},
) {
  const dir = tempFolder('taskroom-http');
  for (const folder of ['tasks', 'agents/runbook']) mkdirSync(join(dir, folder), { recursive: true });
  writeFileSync(join(dir, 'room.yaml'), 'default_agent: runbook\n');
  writeFileSync(join(dir, 'agents/runbook/agent.json'), '{"runner":"runbook"}');
  seed(dir);
  const effects = createNodeEffects({});
  const runtime = await openRuntime(dir, effects);
  const usual = { host: '127.0.0.1', port: 0, names: [], tls: null, withoutTls: false };
  const api = await prepareApi({ tcp: { ...usual, ...tcp }, version: '0.0.0', boardDir }, answerMcp);
  let heard = 0;
  const { url, socketPath, newToken } = await api.open({
    runtime,
    effects,
    heard: () => heard,
    workers: null,
    webhooks: null,
  });
  const token = newToken ?? '';
  const port = Number(new URL(url ?? '').port);
  return {
    ...{ dir, runtime, url: url ?? '', port, socketPath, token },
    ask: (method: string, path: string, asked?: Asked) => ask(`${url}${path}`, method, { token, ...asked }),
    /** Sends these very bytes to the port and reads until the other end closes. */
    raw: (text: string | Buffer) => raw(port, text),
    save: (name: string, text: string) => writeFileSync(join(dir, 'tasks', name), text),
    read: (path: string) => readFileSync(join(dir, path), 'utf8'),
    /** Something changed that no watcher of this rig saw. */
    touch: () => {
      heard += 1;
    },
    async close() {
      await api.close();
      await runtime.close();
    },
  };
}

async function ask(url: string, method: string, { body, headers, token }: Asked): Promise<Told> {
  const response = await fetch(url, {
    method,
    redirect: 'manual',
    headers: {
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const media = response.headers.get('content-type') ?? '';
  const isJson = /json/.test(media);
  if (/^application\/json/.test(media))
    assertAsDocumented(method, new URL(url).pathname, response.status, JSON.parse(text));
  return {
    status: response.status,
    headers: response.headers,
    body: (isJson && text !== '' ? JSON.parse(text) : text) as never,
  };
}

function raw(port: number, text: string | Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(text));
    let said = '';
    socket.setEncoding('utf8');
    socket.on('data', (chunk) => {
      said += chunk;
    });
    socket.on('close', () => resolve(said));
    // What is sent after a refusal may meet a closed connection.
    socket.on('error', (error) => (said === '' ? reject(error) : resolve(said)));
  });
}
