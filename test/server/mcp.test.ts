// MCP over HTTP, by the protocol's own client: the same tools as on standard input, held to what an assistant may do.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { beforeAll, expect, test, vi } from 'vitest';
import { room } from './one-room.ts';

beforeAll(() => room.save('One.md', '---\nid: one11111\nstatus: todo\n---\nDo it.\n'));

async function connect(token: string): Promise<Client> {
  const client = new Client({ name: 'Test Client', version: '1' });
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${room.url}/mcp`), { requestInit }));
  return client;
}

test('an assistant has the tools of agents, and its changes bear its name', async () => {
  const client = await connect(room.token);
  const { tools } = await client.listTools();
  const names = tools.map(({ name }) => name);
  expect(names).toContain('get_task');
  const shown = await client.callTool({ name: 'get_task', arguments: { id: 'One' } });
  expect(JSON.stringify(shown.content)).toContain('Do it.');
  const made = await client.callTool({ name: 'create_task', arguments: { name: 'Made over MCP' } });
  expect(made.isError).not.toBe(true);
  expect(made.structuredContent).toMatchObject({ name: 'Made over MCP', changed: true });
  const hints = Object.fromEntries(tools.map(({ name, annotations }) => [name, annotations]));
  expect(hints).toMatchObject({
    get_task: { readOnlyHint: true },
    create_task: { readOnlyHint: false, destructiveHint: false },
    delete_task: { readOnlyHint: false, destructiveHint: true },
    bulk_tasks: { destructiveHint: true },
    update_task: { destructiveHint: false },
    update_steps: { destructiveHint: false, idempotentHint: true },
  });
  await client.close();
  expect(room.read('tasks/Made over MCP.md')).toContain('agent:');
});

test('a token that only looks has the tools that look', async () => {
  const { body } = await room.ask('POST', '/api/tokens', { body: { name: 'viewer', access: 'readonly' } });
  const client = await connect((body as { token: string }).token);
  const { tools } = await client.listTools();
  expect(tools.every(({ annotations }) => annotations?.readOnlyHint === true)).toBe(true);
  await client.close();
});

test('what the protocol refuses is told to the caller as the document says, and is no trouble of the room', async () => {
  const written: string[] = [];
  const spy = vi.spyOn(process.stderr, 'write').mockImplementation((text) => written.push(String(text)) > 0);
  const json = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };
  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
  const cases: [number, Record<string, string>, unknown][] = [
    [415, { ...json, 'content-type': 'text/plain' }, list],
    [400, json, {}],
    [400, json, []],
    [406, { ...json, accept: 'application/json' }, list],
    [400, { ...json, 'mcp-protocol-version': '1999' }, list],
  ];
  try {
    for (const [status, headers, body] of cases) {
      const told = await room.ask('POST', '/mcp', { headers, body });
      expect([headers, told.status]).toEqual([headers, status]);
      expect(told.body).toMatchObject({ jsonrpc: '2.0', error: { message: expect.any(String) } });
    }
    const { body: document } = await room.ask('GET', '/api/openapi.json');
    const { responses } = (document as Document).paths['/mcp'].post;
    for (const status of [400, 406, 415])
      expect(Object.keys(responses[status]!.content)).toEqual([
        'application/json',
        'application/problem+json',
      ]);
    expect(Object.keys(responses[200]!.content)).toEqual(['text/event-stream']);
  } finally {
    spy.mockRestore();
  }
  expect(written).toEqual([]);
});

type Document = { paths: { '/mcp': { post: { responses: Record<number, { content: object }> } } } };

test('it is as locked as everything else', async () => {
  const ask = (headers: Record<string, string>, token: string | null = room.token) =>
    room.ask('POST', '/mcp', { token, headers, body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } });
  expect((await ask({}, null)).status).toBe(401);
  expect((await ask({ origin: 'https://evil.example' })).status).toBe(403);
  expect((await room.ask('GET', '/mcp')).status).toBe(405);
  const { body } = await room.ask('POST', '/api/tokens', {
    body: { name: 'ci', access: 'assistant', tasks: ['One'] },
  });
  expect((await ask({}, (body as { token: string }).token)).status).toBe(403);
});
