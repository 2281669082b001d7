// `taskroom mcp` as a person's own assistant has it, driven by the official client: what it may do, and what it outlives.
import { spawn } from 'node:child_process';
import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { test as base, describe, expect } from 'vitest';
import { type McpClient, openMcp } from './mcp-client.ts';
import { createRoom, type E2eRoom, PROGRAM, until } from './room.ts';

const test = base.extend<{ room: E2eRoom; mcp: McpClient }>({
  room: async ({ task: _ }, use) => {
    const room = await createRoom();
    await use(room);
    await room.close();
  },
  mcp: async ({ room }, use) => {
    const mcp = await openMcp(room.dir);
    await use(mcp);
    await mcp.close();
  },
});

test('it makes, reads, changes and finishes tasks under the name of the client', async ({ room, mcp }) => {
  const made = JSON.parse(await mcp.call('create_task', { name: 'One', description: 'Do it.' }));
  expect(room.read('tasks/One.md')).toContain('created_by: agent:some-client');
  await mcp.call('update_steps', { id: made.id, steps: [{ title: 'First' }] });
  await mcp.call('update_step', { id: made.id, index: 0, done: true });
  await mcp.call('comment_task', { id: made.id, text: 'Seen.' });
  expect(await mcp.call('list_tasks')).toBe(`${made.id} todo from=agent:some-client steps=1/1 "One"`);
  expect(await mcp.call('get_task', { id: made.id })).toContain('0 [x] First');
  await mcp.call('complete_task', { id: made.id, outcome: 'It works.' });
  expect(room.read('tasks/One.md')).toMatch(/status: done[\s\S]*@agent:some-client[\s\S]*It works\./);
  expect(await mcp.call('list_history')).toContain(`${made.id} done`);
});

test('it speaks both revisions of the protocol, and knows the client in both', async ({ room }) => {
  for (const mode of ['auto', 'legacy'] as const) {
    const mcp = await openMcp(room.dir, { name: `Client ${mode}`, client: { versionNegotiation: { mode } } });
    const made = await mcp.call('create_task', { name: `By ${mode}` });
    expect(made).toContain('"changed":true');
    expect(room.read(`tasks/By ${mode}.md`)).toContain(`agent:client-${mode}`);
    expect(mcp.client.getNegotiatedProtocolVersion()).toBe(mode === 'auto' ? '2026-07-28' : '2025-11-25');
    await mcp.close();
  }
});

test('tasks, contexts and outputs of turns are resources, and the built-in prompt is a prompt', async ({
  room,
  mcp,
}) => {
  room.save('tasks/One.md', '---\nid: one11111\nstatus: draft\n---\nDo it.\n');
  const { resources } = await mcp.client.listResources();
  expect(resources).toMatchObject([{ uri: 'taskroom://task/one11111', name: 'One', description: 'draft' }]);
  const { resourceTemplates } = await mcp.client.listResourceTemplates();
  expect(resourceTemplates.map(({ name }) => name)).toEqual(['task', 'context', 'turn']);
  const read = async (uri: string) => {
    const [first] = (await mcp.client.readResource({ uri })).contents as { text: string }[];
    return first!.text;
  };
  expect(await read('taskroom://task/one11111')).toContain('Do it.');
  expect(JSON.parse(await read('taskroom://context/One')).task).toMatchObject({
    name: 'One',
    status: 'draft',
  });
  await expect(read('taskroom://task/nowhere')).rejects.toThrow(/not found/i);
  await expect(read('taskroom://task/%E0%A4%A')).rejects.toThrow(/not found/i);
  await expect(read('file:///etc/passwd')).rejects.toThrow(/not found/i);
  const { prompts } = await mcp.client.listPrompts();
  expect(prompts).toMatchObject([{ name: 'work_on_task', arguments: [{ name: 'task', required: true }] }]);
  const { messages } = await mcp.client.getPrompt({ name: 'work_on_task', arguments: { task: 'One' } });
  expect(messages[0]!.content).toMatchObject({ text: expect.stringContaining('Do it.') });
});

test('with --readonly there is nothing but looking', async ({ room }) => {
  room.save('tasks/One.md', '---\nid: one11111\n---\nDo it.\n');
  const mcp = await openMcp(room.dir, { args: ['--readonly'] });
  const { tools } = await mcp.client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(['get_task', 'list_tasks', 'list_history', 'get_job']);
  expect(await mcp.call('get_task', { id: 'One' })).toContain('Do it.');
  expect(await mcp.call('complete_task', { id: 'One' })).toMatch(/^ERROR not_allowed: there is no tool/);
  await mcp.close();
});

test('it outlives daemons, and a room that is taken away, broken and made anew', async ({ room, mcp }) => {
  room.settings('default_agent: nobody');
  room.save('tasks/One.md', '---\nid: one11111\n---\nDo it.\n');
  for (let round = 0; round < 2; round += 1) {
    const daemon = await room.up();
    await mcp.call('update_task', { id: 'One', progress: `With a daemon, ${round}.` });
    await room.ok('stop');
    await daemon.see('room.stopped');
    await mcp.call('update_task', { id: 'One', progress: `Without one, ${round}.` });
  }
  for (const words of ['With a daemon, 0.', 'Without one, 0.', 'With a daemon, 1.', 'Without one, 1.'])
    expect(room.read('tasks/One.md').split(words)).toHaveLength(2);
  renameSync(room.dir, `${room.dir}-away`);
  expect(await mcp.call('list_tasks')).toMatch(/^ERROR no_room/);
  mkdirSync(room.dir);
  expect(await mcp.call('list_tasks')).toMatch(/^ERROR no_room/);
  rmSync(room.dir, { recursive: true });
  renameSync(`${room.dir}-away`, room.dir);
  room.save('tasks/Two.md', '---\nstatus: nope\n---\n');
  expect(await mcp.call('list_tasks')).toMatch(/one11111 .*\n\(1 files can't be read/);
});

test('several at once write as one', async ({ room }) => {
  room.save('tasks/One.md', '---\nid: one11111\nstatus: draft\n---\nDo it.\n');
  const clients = await Promise.all([1, 2, 3].map((at) => openMcp(room.dir, { name: `c${at}` })));
  const words = clients.flatMap((mcp, client) =>
    [0, 1, 2, 3].map((at) => ({ mcp, text: `Word ${client}-${at}.` })),
  );
  await Promise.all(
    words.map(async ({ mcp, text }) => {
      // A file that is being changed is a refusal that says to try again; what is answered otherwise is written.
      for (let answer = 'ERROR conflict'; /^ERROR (conflict|locked)/.test(answer); ) {
        answer = await mcp.call('update_task', { id: 'One', progress: text });
        if (!/^ERROR (conflict|locked)/.test(answer)) expect(answer).toContain('"changed":true');
      }
    }),
  );
  for (const { text } of words) expect(room.read('tasks/One.md').split(text)).toHaveLength(2);
  await Promise.all(clients.map((mcp) => mcp.close()));
});

describe('on a pipe of its own', () => {
  test('garbage is passed over, and it ends with its input, after what was asked for', async ({ room }) => {
    const child = spawn(process.execPath, [PROGRAM, 'mcp', '--room', room.dir]);
    let out = '';
    child.stdout.on('data', (chunk: Buffer) => {
      out += chunk;
    });
    const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
    const send = (message: object | string) =>
      child.stdin.write(
        `${typeof message === 'string' ? message : JSON.stringify({ jsonrpc: '2.0', ...message })}\n`,
      );
    send('not json');
    send('{"jsonrpc":"1.0"}');
    send('\u0000\u0001 {]');
    send('[]');
    const clientInfo = { name: 'raw', version: '1' };
    send({
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo },
    });
    send({ method: 'notifications/initialized' });
    send({ id: 2, method: 'tools/call', params: { name: 'create_task', arguments: { name: 'First' } } });
    await until('both are answered', () => out.includes('"id":2'));
    send({ id: 3, method: 'tools/call', params: { name: 'create_task', arguments: { name: 'Last' } } });
    child.stdin.end();
    expect(await ended).toBe(0);
    for (const line of out.trim().split('\n')) expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' });
    expect(room.read('tasks/First.md')).toContain('agent:raw');
    expect(room.read('tasks/Last.md')).toContain('agent:raw');
  });

  test('a client that is gone ends it, and a signal does', async ({ room }) => {
    const gone = spawn(process.execPath, [PROGRAM, 'mcp', '--room', room.dir], {
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    const end = new Promise((resolve) => gone.on('close', resolve));
    gone.stdout.destroy();
    gone.stdin.destroy();
    await end;
    const mcp = await openMcp(room.dir);
    const closed = new Promise<void>((resolve) => {
      mcp.client.onclose = resolve;
    });
    process.kill(mcp.pid(), 'SIGTERM');
    await closed;
  });
});

test('an unknown dialect is refused at once', async ({ room }) => {
  const { code, stderr } = await room.run(['mcp', '--dialect', 'latin']);
  expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('known: taskroom') });
});

test('AGENTS.md tells interactive agents of the room, and is checked', async ({ room }) => {
  const init = (...more: string[]) => room.run(['init', room.dir, '--agents-md', ...more]);
  expect((await init('--check')).code).toBe(1);
  expect((await init()).code).toBe(0);
  room.edit('AGENTS.md', (text) => `# Mine\n\n${text.replace('## Tasks', '## Old')}`);
  expect(await init('--check')).toMatchObject({ code: 1, stdout: expect.stringContaining('an old one') });
  expect((await init()).code).toBe(0);
  expect((await init('--check')).code).toBe(0);
  expect(room.read('AGENTS.md')).toMatch(/^# Mine\n\n<!-- taskroom: begin[^\n]*\n## Tasks\n/);
});

test('the skill and the plugin folder of a room name its commands and tools, and are checked', async ({
  room,
}) => {
  const init = (...more: string[]) => room.run(['init', room.dir, '--skill', ...more]);
  expect((await init('--check')).code).toBe(1);
  expect((await init()).code).toBe(0);
  expect((await init('--check')).code).toBe(0);
  const skill = room.read('.agents/skills/taskroom/SKILL.md');
  expect(skill).toMatch(/^---\nname: taskroom\ndescription: ".+"\n---\n/);
  for (const word of ['taskroom comment', 'taskroom done', '`list_tasks`', '`complete_task`'])
    expect(skill).toContain(word);
  expect(room.read('.claude/skills/taskroom/SKILL.md')).toBe(skill);
  const plugin = (path: string) => JSON.parse(room.read(`.agents/plugins/taskroom/${path}`));
  expect(plugin('.claude-plugin/plugin.json')).toMatchObject({ name: 'taskroom' });
  expect(plugin('.codex-plugin/plugin.json')).toMatchObject({ mcpServers: './.mcp.json' });
  expect(plugin('.mcp.json').mcpServers.taskroom).toEqual({ command: 'taskroom', args: ['mcp'] });
  room.edit('.claude/skills/taskroom/SKILL.md', (text) => text.replace('taskroom done', 'taskroom finish'));
  expect(await init('--check')).toMatchObject({ code: 1, stdout: expect.stringContaining('an old one') });
});

test('explain prints the declaration of a key, a setting and a command, and refuses what it does not know', async ({
  room,
}) => {
  const explain = async (word: string) => JSON.parse(await room.ok('explain', word, '--json')).explained;
  expect(await explain('due')).toMatchObject([{ name: 'due', takes: 'date', example: 'due: 2026-12-24' }]);
  const limit = { where: 'room.yaml', default: '4', example: 'limits:\n  total: 4' };
  expect(await explain('limits.total')).toMatchObject([limit]);
  expect((await explain('limits')).length).toBeGreaterThan(3);
  expect((await explain('merge')).map(({ where }: { where: string }) => where)).toEqual([
    'room.yaml',
    'command',
  ]);
  expect(await room.ok('explain', 'timeout')).toMatch(/agents\/<id>\/agent\.json[\s\S]*set by/);
  const refused = await room.run(['explain', 'priorty']);
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('did you mean priority?') });
});
