// The MCP server of a turn, started as agents start it: bound to the turn's secret, whatever the environment says and
// whatever the agent asks; and the plan of a coding agent worked through by tools alone.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Daemon } from './daemon.ts';
import { room } from './each-room.ts';
import { type McpClient, openMcp } from './mcp-client.ts';
import { type E2eRoom, PROGRAM, until } from './room.ts';

/** Begins the turn of a task, whose agent waits, and opens its MCP server as that agent would. */
async function openTurn(
  room: E2eRoom,
  name: string,
  front = '',
): Promise<{ daemon: Daemon; bridge: string; mcp: McpClient }> {
  room.gate(name);
  room.save(
    `tasks/${name}.md`,
    `---\nid: try11111\n${front}---\n## Task\nPlan it.\n\n## Steps\n- [ ] First\n`,
  );
  const daemon = await room.up();
  const { turn } = await daemon.see('turn.started', { name });
  await until('its agent waits', () => room.agentLog().includes(`start ${turn} ${name}`));
  const bridge = room.at(`.taskroom/turns/${turn}/bridge`);
  // Codex hands over nothing but HOME, LANG and PATH.
  const entry = PROGRAM.replace('bin.cjs', 'bin-turn.cjs');
  const mcp = await openMcp(room.dir, {
    command: process.execPath,
    args: [entry, '--bridge', bridge, 'mcp'],
  });
  return { daemon, bridge, mcp };
}

test('what the secret of the turn does not allow is refused, whatever is asked', async () => {
  room.save('tasks/Other.md', '---\nid: other111\nstatus: draft\nowner: gate\n---\nAnother.\n');
  room.save('tasks/Over.md', '---\nid: over1111\nstatus: done\n---\nDone.\n');
  const { daemon, bridge, mcp } = await openTurn(room, 'Try', 'checks: ["false"]\n');
  const other = room.read('tasks/Other.md');
  for (const [tool, input] of [
    ['update_task', { id: 'other111', status: 'doing' }],
    ['update_task', { id: 'other111', outcome: 'forged' }],
    ['complete_task', { id: 'other111' }],
    ['cancel_task', { id: 'other111' }],
    ['delete_task', { id: 'other111' }],
    ['update_steps', { id: 'other111', steps: [{ title: 'forged' }] }],
    ['create_subtask', { id: 'other111', name: 'forged' }],
    ['add_resource', { id: 'other111', url: 'https://example.org' }],
    ['ask_requester', { id: 'other111', question: 'May I?' }],
    ['bulk_tasks', { changes: [{ do: 'delete', id: 'other111' }] }],
    ['update_task', { id: 'over1111', status: 'todo' }],
  ] as const)
    expect(await mcp.call(tool, input), tool).toMatch(/^ERROR not_allowed/);
  expect(room.read('tasks/Other.md')).toBe(other);
  expect(await mcp.call('get_task', { id: 'other111' })).toContain('Another.');
  // A server of the person's own that the agent starts is this turn's all the same.
  const started = await openMcp(room.dir, {
    env: { AGENT_ROOM: room.dir, TASKROOM_TURN: bridge.split('/').at(-2)!, TASKROOM_BRIDGE: bridge },
  });
  expect(await started.call('complete_task', { id: 'other111' })).toMatch(/^ERROR not_allowed/);
  await started.close();
  expect(await mcp.call('update_task', { progress: 'Mine.' })).toContain('"changed":true');
  writeFileSync(join(bridge, 'token'), 'x'.repeat(43));
  expect(await mcp.call('update_task', { progress: 'forged' })).toMatch(/^ERROR not_allowed/);
  await until('every refusal is told', () => daemon.all('turn.refused').length >= 13);
  expect(room.read('tasks/Try.md')).toContain('Mine.');
  expect(room.read('tasks/Try.md')).not.toContain('forged');
  await mcp.close();
});

test('a plan of four tasks that wait for each other, by the tools of Claude Code', async () => {
  room.settings('default_agent: nobody');
  const mcp = await openMcp(room.dir, { args: ['--dialect', 'claude'], name: 'claude-code' });
  const made = async (subject: string, activeForm: string) =>
    /#(\w+) created/.exec(await mcp.call('TaskCreate', { subject, activeForm }))![1]!;
  const one = await made('Set up database', 'Setting up database');
  const two = await made('Create API', 'Creating API endpoints');
  const three = await made('Add auth', 'Adding auth');
  const four = await made('Integration tests', 'Running integration tests');
  await mcp.call('TaskUpdate', { taskId: one, addBlocks: [two, three] });
  await mcp.call('TaskUpdate', { taskId: four, addBlockedBy: [`#${two}`, three] });
  expect(await mcp.call('TaskUpdate', { taskId: one, addBlockedBy: [four] })).toMatch(
    /^ERROR bad_input: .*circle/i,
  );
  const list = async () =>
    (await mcp.call('TaskList'))
      .split('\n')
      .map((line) => line.replace(/^#\w+ /, ''))
      .sort();
  expect(await list()).toEqual([
    `[pending] Add auth [blocked by #${one}]`,
    `[pending] Create API [blocked by #${one}]`,
    `[pending] Integration tests [blocked by #${two}, #${three}]`,
    '[pending] Set up database',
  ]);
  await mcp.call('TaskUpdate', { taskId: one, status: 'in_progress' });
  expect(room.read('tasks/Set up database.md')).toMatch(/active_form: Setting up database/);
  await mcp.call('TaskUpdate', { taskId: one, status: 'completed' });
  expect(await list()).toContain('[pending] Create API');
  for (const taskId of [two, three]) await mcp.call('TaskUpdate', { taskId, status: 'completed' });
  expect(await list()).toContain('[pending] Integration tests');
  await mcp.call('TaskUpdate', { taskId: four, status: 'deleted' });
  expect(await list()).toEqual([
    '[completed] Add auth',
    '[completed] Create API',
    '[completed] Set up database',
  ]);
  await mcp.close();
});

test('a part is handed to another agent as a subtask, and its end wakes the parent', async () => {
  room.agent('helper', {
    command: ['/bin/sh', '-c', 'cat > /dev/null; taskroom done --outcome "The helper did it."'],
  });
  const { daemon, mcp } = await openTurn(room, 'Try');
  const made = JSON.parse(await mcp.call('create_subtask', { index: 0, name: 'A part', owner: 'helper' }));
  expect(made.step).toBe(0);
  expect(await mcp.call('create_subtask', { index: 0, name: 'Twin', owner: 'helper' })).toMatch(
    /^ERROR refused/,
  );
  expect(await mcp.call('update_steps', { steps: [{ title: 'Another' }] })).toMatch(/^ERROR not_allowed/);
  expect(room.read('tasks/Try.md')).toContain(`- [ ] First (task:${made.id})`);
  await daemon.see('turn.ended', { name: 'A part' });
  const part = await mcp.call('get_task', { id: made.id });
  expect(part).toContain('status: done');
  expect(part).toContain('The helper did it.');
  const mark = daemon.mark();
  await mcp.close();
  room.open('Try', 'taskroom progress "Waits for its part."');
  await daemon.see('turn.ended', { name: 'Try' });
  const again = await daemon.see('turn.started', { name: 'Try' }, mark);
  expect(JSON.stringify(again.reasons)).toContain('subtask_finished');
});

test('a job is started, waited for and ended by tools', async () => {
  room.agent('gate', { command: ['/bin/sh', 'agents/gate/agent.sh'], permissions: 'run' });
  const { bridge, mcp } = await openTurn(room, 'Try');
  const [short] = (
    await mcp.call('start_job', { command: 'echo built; exit 3', description: 'Builds' })
  ).split(' ');
  const ended = await mcp.call('get_job', { id: short!, wait: 20 });
  expect(ended).toMatch(/^\w+ failed .*exit code 3: Builds\n/);
  expect(ended).toContain('built');
  const [long] = (await mcp.call('start_job', { command: 'exec sleep 600' })).split(' ');
  expect(await mcp.call('get_job', { id: long! })).toMatch(/ (pending|running)/);
  await mcp.call('stop_job', { id: long! });
  expect(await mcp.call('get_job', { id: long!, wait: 20 })).toMatch(/ killed/);
  const { tools } = await mcp.client.listTools();
  const looking = tools.filter(({ annotations }) => annotations?.readOnlyHint).map(({ name }) => name);
  expect(looking).toContain('get_job');
  expect(looking).not.toContain('start_job');
  await mcp.close();
  const args = [PROGRAM.replace('bin.cjs', 'bin-turn.cjs'), '--bridge', bridge, 'mcp', '--readonly'];
  const readonly = await openMcp(room.dir, { command: process.execPath, args });
  const offered = (await readonly.client.listTools()).tools.map(({ name }) => name);
  expect(offered).toContain('get_task');
  expect(offered.filter((name) => /start|stop|update|create|complete/.test(name))).toEqual([]);
  expect(await readonly.call('start_job', { command: 'touch ran' })).toMatch(/^ERROR/);
  await readonly.close();
});
