// What `taskroom mcp` tells a client by itself, in both revisions of the protocol: resources that changed, and questions for its person.
import { rmSync } from 'node:fs';
import {
  Client,
  type ClientOptions,
  type ElicitResult,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import { room } from './each-room.ts';
import { openMcp } from './mcp-client.ts';
import { until } from './room.ts';

const ONE = 'taskroom://task/one11111';

function heardBy(client: Client): string[] {
  const told: string[] = [];
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
    told.push(params.uri);
  });
  client.setNotificationHandler('notifications/resources/list_changed', () => {
    told.push('list');
  });
  return told;
}

/** A client that keeps what it is told. */
async function openListener(dir: string, mode: 'auto' | 'legacy') {
  const mcp = await openMcp(dir, { client: { versionNegotiation: { mode } } });
  const told = heardBy(mcp.client);
  /** Returns how to leave. */
  async function subscribe(...uris: string[]): Promise<() => Promise<unknown>> {
    if (mode === 'auto') {
      const stream = await mcp.client.listen({ resourceSubscriptions: uris, resourcesListChanged: true });
      expect(stream.honoredFilter.resourceSubscriptions).toEqual(uris);
      return () => stream.close();
    }
    for (const uri of uris) await mcp.client.subscribeResource({ uri });
    return () => Promise.all(uris.map((uri) => mcp.client.unsubscribeResource({ uri })));
  }
  return { mcp, told, subscribe };
}

for (const mode of ['auto', 'legacy'] as const) {
  test(`${mode}: a change of a file by hand is told while nothing runs the room, and no other one`, async () => {
    room.save('tasks/One.md', '---\nid: one11111\nstatus: draft\n---\nDo it.\n');
    room.save('tasks/Other.md', '---\nid: other111\nstatus: draft\n---\nDo it.\n');
    const { mcp, told, subscribe } = await openListener(room.dir, mode);
    const leave = await subscribe(ONE);
    room.edit('tasks/One.md', (text) => `${text}\nAnd well.\n`);
    await until('the change is told', () => told.includes(ONE));
    const { contents } = await mcp.client.readResource({ uri: ONE });
    expect(JSON.stringify(contents)).toContain('And well.');
    await room.ok('comment', 'Other', 'Seen.');
    room.save('tasks/New.md', '---\nid: new11111\nstatus: draft\n---\nDo it.\n');
    await until('the list is told of', () => told.includes('list'));
    told.length = 0;
    rmSync(room.at('tasks/One.md'));
    await until('its end is told', () => told.includes(ONE));
    expect(told.filter((each) => each !== 'list')).toEqual(told.filter((each) => each === ONE));
    await leave();
    await mcp.close();
    expect(mcp.errors()).toBe('');
  });

  test(`${mode}: a turn is told of when it ends`, async () => {
    room.gate('Try');
    room.save('tasks/Try.md', '---\nid: try11111\n---\nDo it.\n');
    const daemon = await room.up();
    const { turn } = await daemon.see('turn.started', { name: 'Try' });
    const { mcp, told, subscribe } = await openListener(room.dir, mode);
    await subscribe(`taskroom://turn/${turn}`);
    room.open('Try', 'taskroom done');
    await until('the end of the turn is told', () => told.includes(`taskroom://turn/${turn}`));
    const { turns } = await room.json('turns', 'Try');
    expect(turns[0]).toMatchObject({ id: turn, state: 'completed' });
    await mcp.close();
  });

  test(`${mode}: a question is put to the person of a client that has forms, and answered as theirs`, async () => {
    const question = '**@agent:gate** (agent) · 2026-11-20 10:00 <!-- q:qv2561rkxc -->\n> Which\u202e one?\n';
    room.save(
      'tasks/One.md',
      `---\nid: one11111\nstatus: doing\npaused: true\n---\n## Task\nDo it.\n\n## Questions\n\n${question}`,
    );
    const replies: ElicitResult[] = [
      { action: 'decline' },
      { action: 'cancel' },
      { action: 'accept', content: { answer: 'The second one.' } },
    ];
    const shown: unknown[] = [];
    const options: ClientOptions = {
      versionNegotiation: { mode },
      capabilities: { elicitation: { form: {} } },
    };
    const mcp = await openMcp(room.dir, {
      client: options,
      onElicit: (params) => {
        shown.push(params);
        return replies.shift()!;
      },
    });
    const { tools } = await mcp.client.listTools();
    expect(tools.map(({ name }) => name)).toContain('put_question');
    expect(await mcp.call('put_question', { id: 'One' })).toContain('decline');
    expect(await mcp.call('put_question', { id: 'One' })).toContain('cancel');
    expect(room.read('tasks/One.md')).not.toContain('a:');
    expect(await mcp.call('put_question', { id: 'One', question: 'qv2' })).toContain('The second one.');
    expect(shown[0]).toMatchObject({ message: 'agent:gate asks about "One":\n\nWhich⟨U+202E⟩ one?' });
    expect(room.read('tasks/One.md')).toMatch(/\*\*@owner\*\* · .* q:qv2561rkxc -->\n> The second one\./);
    expect(await mcp.call('put_question', { id: 'One' })).toMatch(/^ERROR refused/);
    await mcp.close();
    const other = await openMcp(room.dir, { client: { versionNegotiation: { mode } } });
    expect(await other.call('put_question', { id: 'One' })).toMatch(/^ERROR not_allowed/);
    await other.close();
  });
}

test('over HTTP a stream tells of its task alone, and ends with the daemon', async () => {
  room.save('tasks/One.md', '---\nid: one11111\nstatus: draft\n---\nDo it.\n');
  const daemon = await room.up('--port', '0');
  await daemon.see('api.ready');
  const { url } = JSON.parse(room.read('.taskroom/api.json')) as { url: string };
  const requestInit = { headers: { authorization: `Bearer ${room.read('.taskroom/token').trim()}` } };
  const client = new Client({ name: 'Far', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }));
  const told = heardBy(client);
  const stream = await client.listen({ resourceSubscriptions: [ONE], resourcesListChanged: true });
  room.save('tasks/Two.md', '---\nid: two22222\nstatus: draft\n---\nDo it.\n');
  await until('the list is told of', () => told.length > 0);
  expect(new Set(told)).toEqual(new Set(['list']));
  room.edit('tasks/One.md', (text) => `${text}\nAnd well.\n`);
  await until('the change is told', () => told.includes(ONE));
  daemon.signal('SIGTERM');
  await daemon.ended;
  expect(await stream.closed).toBe('graceful');
  await client.close();
});
