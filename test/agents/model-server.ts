// A model on this machine that works as the prompt tells it: aimock speaks every agent's wire format, the moves are ours.
// In front of it stands what a mock has no words for: keys that are refused, limits in the providers' own shape, tools in namespaces.
import { createServer, type IncomingMessage, type ServerResponse, request as send } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import type { Transform } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { type Mood, refusalOf } from './refusals.ts';
import { flattenTools, restoreNamespaces } from './tool-namespaces.ts';

/** What the mock hands over and takes: its chat form of every provider's request and answer. */
export interface ModelRequest {
  model: string;
  messages: { role: string; content: string | { text?: string }[] | null; tool_calls?: unknown[] }[];
  tools?: { function: { name: string; parameters?: object } }[];
}

export type ModelAnswer =
  | { content: string; usage?: object; finishReason?: string }
  | { usage?: object; toolCalls: { name: string; arguments: string; id?: string }[]; content?: string };

export type ModelServer = Awaited<ReturnType<typeof startModelServer>>;

interface Mock {
  url: string;
  addFixture(fixture: { match: object; response: (request: ModelRequest) => ModelAnswer }): void;
  start(): Promise<string>;
  stop(): Promise<void>;
}

/** @param library absolute path of the mock's module */
export async function startModelServer(library: string, think: (request: ModelRequest) => ModelAnswer) {
  const { LLMock } = createRequire(library)(library) as { LLMock: new (options: object) => Mock };
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
  const state = {
    /** Without a slash at its end and without a version. */
    url: `http://127.0.0.1:${port}`,
    mood: 'works' as Mood,
    /** When the limit of `usage limit` ends, epoch ms. */
    resetsAt: 0,
    /** Method and path of every request so far. */
    asked: [] as string[],
    /** The model's requests so far, in the mock's form. */
    thought,
    /** Whether anybody answers at its address. */
    setOnline: (online: boolean): Promise<void> => (online ? listen(port) : stop()),
    async close(): Promise<void> {
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
  if (request.method === 'POST' && path.endsWith('/responses'))
    void passResponses(upstream, request, response);
  else pass(upstream, request, response, {});
}

interface Between {
  /** In place of the request's own. */
  body?: Buffer;
  /** What the answer goes through. */
  through?: Transform;
}

function pass(upstream: string, request: IncomingMessage, response: ServerResponse, between: Between) {
  const { host: _, 'content-length': length, ...rest } = request.headers;
  const { body, through } = between;
  const headers = { ...rest, ...(length !== undefined && { 'content-length': body?.length ?? length }) };
  const to = new URL(request.url ?? '/', upstream);
  const passed = send(to, { method: request.method ?? 'GET', headers }, (from) => {
    const { 'content-length': _, ...told } = from.headers;
    response.writeHead(from.statusCode ?? 500, through === undefined ? from.headers : told);
    if (through === undefined) from.pipe(response);
    else from.pipe(through).pipe(response);
  });
  passed.on('error', () => response.destroy());
  if (body === undefined) request.pipe(passed);
  else passed.end(body);
}

async function passResponses(upstream: string, request: IncomingMessage, response: ServerResponse) {
  try {
    const { body, named } = flattenTools(await buffer(request));
    pass(upstream, request, response, { body, through: restoreNamespaces(named) });
  } catch {
    response.destroy();
  }
}
