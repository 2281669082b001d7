// What a turn writes down for itself to do is its own work: it settles it, and nothing of it starts while the turn runs.
import { expect, test } from 'vitest';
import { room } from './each-room.ts';
import { openMcp } from './mcp-client.ts';
import { PROGRAM, until } from './room.ts';

test('todos of a turn are settled by it, and start nothing before it is over', async () => {
  room.settings('default_agent: gate', 'settle: 0', 'limits:', '  total: 8', '  task: 8');
  room.gate('Plan');
  room.save('tasks/Plan.md', '---\nscope: session-1\n---\nPlan it.\n');
  const daemon = await room.up();
  const { turn } = await daemon.see('turn.started', { name: 'Plan' });
  await until('its agent waits', () => room.agentLog().includes(`start ${turn} Plan`));
  const bridge = room.at(`.taskroom/turns/${turn}/bridge`);
  const entry = PROGRAM.replace('bin.cjs', 'bin-turn.cjs');
  const mcp = await openMcp(room.dir, {
    command: process.execPath,
    args: [entry, '--bridge', bridge, 'mcp', '--dialect', 'todo'],
  });
  const items = ['A', 'B', 'C', 'D'].map((title) => ({ title }));
  const made = await mcp.call('todo_add', { items });
  const [a] = made.split('\n').map((line: string) => JSON.parse(line).id);
  expect(await mcp.call('todo_update', { id: a, status: 'in_progress' })).toContain('"changed":true');
  expect(await mcp.call('todo_complete', { all: true })).toMatch(/^4 completed/);
  await mcp.call('todo_add', { items: [{ title: 'Left' }, { title: 'Handed', parent_id: 'Plan' }] });
  await daemon.see('turn.ended', { name: 'Handed' });
  await mcp.close();
  expect((await room.json('show', 'Left')).why_not.reason).toBe('in_turn');
  const names = () => daemon.all('turn.started').map(({ name }) => name);
  expect(names()).toEqual(['Plan', 'Handed']);
  room.open('Plan', 'taskroom progress "Went on."');
  await daemon.see('turn.ended', { name: 'Left' });
  expect(names().filter((name) => ['A', 'B', 'C', 'D'].includes(name as string))).toEqual([]);
});
