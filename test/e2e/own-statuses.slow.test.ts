// Statuses of a room's own, by every face of the real program: the person's word stays in the file and is given back, and what it counts
// as decides, also when the setting changes under a running daemon.
import { beforeEach, describe, expect, test } from 'vitest';
import { room } from './each-room.ts';
import { openMcp } from './mcp-client.ts';
import { type E2eRoom, SETTINGS } from './room.ts';

const STATUSES = 'statuses: {review: {class: doing}, shipped: {class: done}, parked: {class: draft}}';
beforeEach(() => room.settings(...SETTINGS, STATUSES));

const saved = (status: string, more = '') => `---\nstatus: ${status}\n${more}---\n\n## Task\nLook at it.\n`;
const wordIn = (room: E2eRoom, name: string) => /^status: (.*)$/m.exec(room.read(`tasks/${name}.md`))?.[1];

describe('commands without a daemon', () => {
  test('take the word, give it back, and decide by what it counts as', async () => {
    room.save('tasks/One.md', saved('Review'));
    room.save('tasks/Two.md', saved('todo', 'blocked_by: One\n'));
    const list = async (...words: string[]) => (await room.json('list', ...words)).tasks;
    expect(await list('status:review')).toMatchObject([
      { name: 'One', status: 'doing', own_status: 'review' },
    ]);
    expect(await list('status:doing')).toMatchObject([{ name: 'One' }]);
    expect(await list('--status', 'shipped')).toEqual([]);
    expect(room.read('tasks/One.md')).toBe(saved('Review'));
    expect(await room.ok('list')).toMatch(/◐ One .* review/);

    await room.ok('set', 'One', 'priority=high');
    expect(await room.ok('set', 'One', 'status=shipped')).toContain('status is now shipped');
    expect(await room.json('show', 'One')).toMatchObject({ status: 'done', own_status: 'shipped' });
    expect((await room.json('show', 'Two')).blocked).toBe(false);
    expect(await room.ok('history')).toContain('One');
    expect((await room.json('history', 'status:shipped')).history).toHaveLength(1);
    // Done is done, in whatever word.
    expect(await room.json('done', 'One')).toMatchObject({ changed: false });
    await room.ok('reopen', 'One');
    expect(wordIn(room, 'One')).toBe('todo');

    const odd = await room.run(['set', 'One', 'status=reviw']);
    expect(odd).toMatchObject({ code: 2, stderr: expect.stringContaining('did you mean review?') });
    expect((await room.run(['list', '--status', 'nope'])).stderr).toContain('shipped');
    const { notes } = await room.json('list', 'status:nope');
    expect(notes).toEqual(['no status is "nope"']);
  });

  test('see what another room.yaml makes of files that nobody touched', async () => {
    for (const name of ['One', 'Two']) room.save(`tasks/${name}.md`, saved('review'));
    await room.ok('set', 'Two', 'status=doing');
    const state = async () => {
      const { tasks, invalid } = await room.json('list', '--all');
      return [
        tasks.map(({ name, status }: { name: string; status: string }) => `${name} ${status}`).sort(),
        invalid,
      ];
    };
    expect(await state()).toEqual([['One doing', 'Two doing'], []]);
    room.settings(...SETTINGS);
    const [tasks, invalid] = await state();
    expect(tasks).toEqual(['Two doing']);
    expect(invalid).toMatchObject([
      { problems: [{ line: 2, message: 'unknown status "review"', path: 'tasks/One.md' }] },
    ]);
    room.settings(...SETTINGS, 'statuses: {review: {class: done}}');
    expect(await state()).toEqual([['One done', 'Two doing'], []]);
    // A mistake leaves the last good ones in force.
    room.settings(...SETTINGS, 'statuses: {review: {class: dune}}');
    expect(await state()).toEqual([['One done', 'Two doing'], []]);
    const { problems } = JSON.parse((await room.run(['status', '--json'])).stdout);
    expect(problems).toMatchObject([{ path: 'room.yaml', message: expect.stringContaining('"dune"') }]);
  });
});

describe('a daemon', () => {
  test('starts turns by the class, and leaves the word as it is', async () => {
    room.gate('One');
    room.save('tasks/One.md', saved('review'));
    room.save('tasks/Parked.md', saved('parked'));
    const daemon = await room.up();
    await daemon.see('turn.started', { name: 'One' });
    expect(wordIn(room, 'One')).toBe('review');
    // The agent says it in its own words, and in those of the room, which its tools list.
    const capabilities = {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'a', version: '1' },
    };
    const messages = [
      { jsonrpc: '2.0', id: 1, method: 'initialize', params: capabilities },
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', id: 2, method: 'tools/list' },
    ];
    room.save('messages', messages.map((message) => `${JSON.stringify(message)}\n`).join(''));
    room.open(
      'One',
      '(cat messages; until grep -q update_task tools.jsonl; do sleep 0.1; done) | taskroom mcp > tools.jsonl; taskroom set One status=in_progress; cp tasks/One.md seen.md; taskroom set One status=shipped',
    );
    await daemon.see('turn.ended', { name: 'One', state: 'completed' });
    await room.quiet(daemon);
    expect(room.read('tools.jsonl')).toContain('"review","shipped","parked"');
    expect(room.read('seen.md')).toContain('status: review');
    expect(wordIn(room, 'One')).toBe('shipped');
    expect(await room.ok('history')).toContain('One');
    expect(daemon.all('turn.started')).toHaveLength(1);
    expect(await room.json('show', 'Parked')).toMatchObject({
      why_not: { reason: 'draft' },
      status: 'draft',
      own_status: 'parked',
    });
  });

  test('takes in another room.yaml while it runs', async () => {
    const daemon = await room.up();
    room.save('tasks/One.md', saved('waits'));
    await daemon.see('task.invalid', { path: 'tasks/One.md' });
    room.settings(...SETTINGS, 'statuses: {waits: {class: draft}}');
    await daemon.see('task.seen', { name: 'One', status: 'draft' });
    await room.quiet(daemon);
    expect((await room.json('list', 'status:waits')).tasks).toMatchObject([
      { status: 'draft', own_status: 'waits' },
    ]);
    room.settings(...SETTINGS, 'statuses: {waits: {class: canceled}}');
    await daemon.see('task.changed', { name: 'One', status: 'canceled' });
    room.settings(...SETTINGS);
    await daemon.see('config.reloaded');
    await daemon.see('task.invalid', { path: 'tasks/One.md' });
  });

  test('lets an agent that may not finish set what is not done', async () => {
    const tries = ['review', 'shipped'].map(
      (word) => `taskroom set One status=${word} || echo no ${word} >> refused`,
    );
    room.agent('maker', { command: tries.join('; '), access: 'readonly' });
    room.save('tasks/One.md', saved('todo', 'owner: maker\n'));
    const daemon = await room.up();
    await daemon.see('turn.ended', { name: 'One' });
    expect(room.read('refused')).toBe('no shipped\n');
    expect(wordIn(room, 'One')).toBe('review');
  });
});

test('HTTP, --url and the tools of every dialect know the words', async () => {
  room.save('tasks/One.md', saved('parked', 'id: one12345\n'));
  const daemon = await room.up('--port', '0');
  await daemon.see('api.ready');
  const { url } = JSON.parse(room.read('.taskroom/api.json'));
  const token = room.read('.taskroom/token').trim();
  const remote = await room.run(['set', 'One', 'status=review', '--url', url], {
    env: { TASKROOM_TOKEN: token },
  });
  expect(remote.stdout).toContain('status is now review');
  const ask = async (path: string, init?: RequestInit) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const answer = await fetch(`${url}/api/${path}`, { ...init, headers });
    return { status: answer.status, body: await answer.json() };
  };
  expect((await ask('tasks?status=review')).body).toMatchObject({
    statuses: { review: 'doing', shipped: 'done', parked: 'draft' },
    tasks: [{ status: 'doing', own_status: 'review' }],
  });
  const patch = (status: string) =>
    ask('tasks/one12345', { method: 'PATCH', body: JSON.stringify({ status }) });
  expect(await patch('Shipped')).toMatchObject({
    status: 200,
    body: { status: 'done', own_status: 'shipped' },
  });
  expect(await patch('</script>')).toMatchObject({ status: 400, body: { code: 'bad_input' } });
  const made = await ask('tasks', {
    method: 'POST',
    body: JSON.stringify({ title: 'Two', status: 'parked' }),
  });
  expect(made.status).toBe(201);
  expect(wordIn(room, 'Two')).toBe('parked');

  for (const [dialect, list, update, key, ref] of [
    ['taskroom', 'list_tasks', 'update_task', 'status', 'id'],
    ['claude', 'TaskList', 'TaskUpdate', 'status', 'taskId'],
    ['todo', 'todo_list', 'todo_update', 'status', 'id'],
  ] as const) {
    room.save(`tasks/${dialect}.md`, saved('review', `id: ${dialect}\n`));
    await room.quiet(daemon);
    const mcp = await openMcp(room.dir, { args: ['--dialect', dialect] });
    const { tools } = await mcp.client.listTools();
    const { inputSchema } = tools.find(({ name }) => name === update)!;
    expect(JSON.stringify(inputSchema), dialect).toContain('"review","shipped","parked"');
    expect(await mcp.call(list, { all: true }), dialect).toMatch(
      new RegExp(`${dialect}.*review|review.*${dialect}`),
    );
    await mcp.call(update, { [ref]: dialect, [key]: 'in_progress' });
    expect(wordIn(room, dialect)).toBe('review');
    await mcp.call(update, { [ref]: dialect, [key]: 'parked' });
    expect(wordIn(room, dialect)).toBe('parked');
    await mcp.close();
  }
});
