// A model on this machine that works as the prompt tells it: aimock speaks every agent's wire format, the moves are ours.
// In front of it stands what a mock has no words for: keys that are refused, and limits in the providers' own shape.
import { createServer, type IncomingMessage, type ServerResponse, request as send } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { type Mood, refusalOf } from './refusals.ts';

/** What the mock hands over and takes: its chat form of every provider's request and answer. */
export interface ModelRequest {
  model: string;
  messages: { role: string; content: string | { text?: string }[] | null; tool_calls?: unknown[] }[];
  tools?: { function: { name: string; parameters?: object } }[];
}

export type ModelAnswer =
  | { content: string; usage?: object }
  | { usage?: object; toolCalls: { name: string; arguments: string; id?: string }[]; content?: string };

export interface ModelServer {
  /** Without a slash at its end and without a version. */
  url: string;
  mood: Mood;
  /** When the limit of `usage limit` ends, epoch ms. */
  resetsAt: number;
  /** Method and path of every request so far. */
  asked: string[];
  /** The model's requests so far, in the mock's form. */
  thought: ModelRequest[];
  /** Whether anybody answers at its address. */
  setOnline(online: boolean): Promise<void>;
  close(): Promise<void>;
}

interface Mock {
  url: string;
  addFixture(fixture: { match: object; response: (request: ModelRequest) => ModelAnswer }): void;
  start(): Promise<string>;
  stop(): Promise<void>;
}

/** @param library absolute path of the mock's module */
export async function startModelServer(
  library: string,
  think: (request: ModelRequest) => ModelAnswer,
): Promise<ModelServer> {
  const { LLMock } = createRequire(library)(library) as {
    LLMock: new (options: object) => Mock;
  };
  const mock = new LLMock({ port: 0, journalMaxEntries: 10, logLevel: 'silent' });
  const thought: ModelRequest[] = [];
  mock.addFixture({
    match: {},
    response: (request) => {
      thought.push(request);
      return think(request);
    },
  });
  await mock.start();
  const server = createServer((request, response) => answer(state, mock.url, request, response));
  const listen = (port: number) =>
    new Promise<void>((listening) => server.listen(port, '127.0.0.1', listening));
  const stop = async () => {
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  };
  await listen(0);
  const { port } = server.address() as AddressInfo;
  const state: ModelServer = {
    url: `http://127.0.0.1:${port}`,
    mood: 'works',
    resetsAt: 0,
    asked: [],
    thought,
    setOnline: (online) => (online ? listen(port) : stop()),
    async close() {
      await stop();
      await mock.stop();
    },
  };
  return state;
}

function answer(state: ModelServer, upstream: string, request: IncomingMessage, response: ServerResponse) {
  const path = request.url ?? '/';
  state.asked.push(`${request.method} ${path}`);
  const refusal = request.method === 'POST' ? refusalOf(state.mood, path, state.resetsAt) : null;
  if (refusal !== null) {
    request.resume();
    response.writeHead(refusal.status, { 'content-type': 'application/json', ...refusal.headers });
    response.end(JSON.stringify(refusal.body));
    return;
  }
  const { host: _, ...headers } = request.headers;
  const passed = send(new URL(path, upstream), { method: request.method ?? 'GET', headers }, (from) => {
    response.writeHead(from.statusCode ?? 500, from.headers);
    from.pipe(response);
  });
  passed.on('error', () => response.destroy());
  request.pipe(passed);
}
