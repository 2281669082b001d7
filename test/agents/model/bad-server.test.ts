import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createModelRunner } from '../../../src/agents/model/model.ts';
import { drive, type PreparedTurn, prepareTurn, until } from '../prepared-turn.ts';
import { agentOf, KEY } from './told-model.ts';

type Answer = (response: ServerResponse) => void;

let server: Server;
let rig: PreparedTurn;
let answers: Answer[];
let asked: number;

beforeEach(async () => {
  asked = 0;
  server = createServer((request, response) => {
    request.resume();
    asked += 1;
    (answers.shift() ?? through)(response);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  rig = prepareTurn({ agent: agentOf(`http://127.0.0.1:${port}`), env: KEY });
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((closed) => server.close(closed));
});

function begin(response: ServerResponse, text: string): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(event({ content: text }, null));
}

function through(response: ServerResponse): void {
  begin(response, 'All');
  response.end(`${event({ content: ' done.' }, 'stop')}data: [DONE]\n\n`);
}

function event(delta: object, reason: string | null): string {
  const choices = [{ index: 0, delta: { role: 'assistant', ...delta }, finish_reason: reason }];
  return `data: ${JSON.stringify({ id: 'a', object: 'chat.completion.chunk', created: 1, model: 'told', choices })}\n\n`;
}

const refuse =
  (status: number, headers: Record<string, string>): Answer =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end('{"error":{"message":"Slow down"}}');
  };

const run = () => drive(createModelRunner(), rig.input);

test('a limit that is over in a moment is waited for', async () => {
  answers = [refuse(429, { 'retry-after': '1' })];
  expect((await run().ended).reason).toBe('ok');
  expect(asked).toBe(2);
});

test('one that lasts, or does not say how long, ends the turn at once', async () => {
  answers = [refuse(429, { 'retry-after': '3600' }), refuse(429, {})];
  const outcome = await run().ended;
  expect(outcome).toMatchObject({ state: 'failed', reason: 'rate_limited', until: expect.any(Number) });
  expect(outcome.message).toBe('the model told has reached its usage limit: Slow down');
  expect(await run().ended).toMatchObject({ reason: 'rate_limited', until: null });
  expect(asked).toBe(2);
});

test('an answer that is cut off is a failure, and what was said stands in the output', async () => {
  answers = [
    (response) => {
      begin(response, 'Half a sen');
      void until('it was heard', () => rig.log().includes('Half a sen')).then(() => response.destroy());
    },
  ];
  const outcome = await run().ended;
  expect(outcome).toMatchObject({ state: 'failed', reason: 'exit' });
  expect(rig.log()).toContain('Half a sen');
});

test('an answer that is no answer is a failure', async () => {
  answers = [
    (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end('data: {"what": "is this"}\n\n');
    },
  ];
  expect(await run().ended).toMatchObject({ state: 'failed', reason: 'exit' });
});

test.each(['openai-compatible', 'anthropic'] as const)(
  'over the API of %s nobody is followed elsewhere',
  async (api) => {
    const heard: unknown[] = [];
    const elsewhere = createServer((request, response) => {
      heard.push(request.headers);
      response.end('{}');
    });
    await new Promise<void>((listening) => elsewhere.listen(0, '127.0.0.1', listening));
    const location = `http://localhost:${(elsewhere.address() as AddressInfo).port}/v1`;
    const { port } = server.address() as AddressInfo;
    rig = prepareTurn({ agent: agentOf(`http://127.0.0.1:${port}`, api), env: KEY });
    answers = [refuse(307, { location }), refuse(307, { location })];
    const outcome = await run().ended;
    await new Promise((closed) => elsewhere.close(closed));
    expect([outcome.state, heard]).toEqual(['failed', []]);
  },
);
