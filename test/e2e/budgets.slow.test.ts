// Budgets: real programs that use them up, a real daemon that stops and waits.
import { expect, test } from 'vitest';
import { room } from './each-room.ts';
import type { E2eRoom } from './room.ts';
import { SETTINGS } from './room.ts';

/** An agent that says what it used, does its task, and is over. */
const SPENDER = `taskroom progress "$TASKROOM_TASK" "$TASKROOM_TURN"
echo "taskroom: usage input=900 output=100 cost=0.50"
taskroom done "$TASKROOM_TASK"
`;
/** One that says what it used and works on without end. */
const GLUTTON = `taskroom progress "$TASKROOM_TASK" "$TASKROOM_TURN"
echo "taskroom: usage input=1000 cost=0.50"
mkfifo "$AGENT_ROOM/$TASKROOM_TURN.pipe"
read -r never < "$AGENT_ROOM/$TASKROOM_TURN.pipe"
`;

function agent(room: E2eRoom, name: string, script: string, more: object = {}): void {
  room.save(`agents/${name}/agent.sh`, script);
  room.agent(name, { command: ['/bin/sh', `agents/${name}/agent.sh`], ...more });
}

const MIDNIGHT = () => new Date(new Date().setUTCHours(24, 0, 0, 0)).toISOString();

test('what an agent says it used is on record, summed and shown', async () => {
  agent(room, 'spender', SPENDER);
  room.save('tasks/A.md', '---\nid: aaa1\nowner: spender\n---\nA.\n');
  room.save('tasks/B.md', '---\nid: bbb1\nowner: spender\n---\nB.\n');
  await room.ok('once');
  const usage = { input_tokens: 900, output_tokens: 100, cost_usd: 0.5 };
  const { turns } = await room.json('turns');
  expect(turns).toMatchObject([
    { state: 'completed', usage },
    { state: 'completed', usage },
  ]);
  expect((await room.json('show', 'aaa1')).used).toMatchObject({ turns: 1, ...usage });
  const status = JSON.parse((await room.run(['status', '--json'])).stdout);
  expect(status.today).toMatchObject({ turns: 2, input_tokens: 1800, output_tokens: 200, cost_usd: 1 });
  expect((await room.run(['status'])).stdout).toMatch(/Today +2 turns, .*2k tokens in, 200 out, \$1\.00/);
  expect(await room.ok('show', 'aaa1')).toMatch(/used +1 turn, .*900 tokens in, 100 out, \$0\.50/);
});

test("an agent's turns of the day: the rest waits for midnight; force gives one all the same", async () => {
  agent(room, 'spender', SPENDER, { budget: { turns: 1 } });
  room.save('tasks/A.md', '---\nid: aaa1\nowner: spender\npriority: high\n---\nA.\n');
  const daemon = await room.up();
  await daemon.see('turn.ended', { name: 'A', state: 'completed' });
  await daemon.see('agent.waiting', { agent: 'spender', why: 'budget' });
  room.save('tasks/B.md', '---\nid: bbb1\nowner: spender\n---\nB.\n');
  await daemon.see('turn.requested', { name: 'B' });
  room.save('tasks/Other.md', '---\nid: other1\n---\nOther.\n');
  await daemon.see('turn.ended', { name: 'Other' });
  expect(await room.json('show', 'bbb1')).toMatchObject({
    status: 'todo',
    parked_until: MIDNIGHT(),
    why_not: { reason: 'budget', text: expect.stringContaining('1 of 1 turn') },
  });
  expect((await room.json('status')).waiting).toMatchObject([{ agent: 'spender', why: 'budget', tasks: 1 }]);
  // A plain run asks an agent at its limit anew; a budget is the person's own word, which only force outweighs.
  const asked = daemon.mark();
  expect(await room.ok('run', 'bbb1')).toMatch(/B bbb1 waits: the budget of agent spender .*--force/);
  const waited = await room.run(['run', 'bbb1', '--wait']);
  expect(waited.stderr).toMatch(/it does not run now: the budget of agent spender/);
  room.save('tasks/Next.md', '---\nid: next1\n---\nNext.\n');
  await daemon.see('turn.ended', { name: 'Next' });
  expect(daemon.all('turn.started', { name: 'B' }, asked)).toEqual([]);
  await room.ok('run', 'bbb1', '--force');
  await daemon.see('turn.ended', { name: 'B', state: 'completed' });
});

test("the room's budget holds everybody", async () => {
  room.settings(...SETTINGS, 'budgets: { per_day: { tokens: 1000 } }');
  agent(room, 'spender', SPENDER);
  const daemon = await room.up();
  room.save('tasks/A.md', '---\nid: aaa1\nowner: spender\n---\nA.\n');
  await daemon.see('agent.waiting', { agent: null, why: 'budget' });
  room.save('tasks/Other.md', '---\nid: other1\n---\nOther.\n');
  await daemon.see('turn.requested', { name: 'Other' });
  expect(await room.json('show', 'other1')).toMatchObject({
    why_not: { reason: 'budget', text: expect.stringMatching(/the room's budget .*1000 of 1000 tokens/) },
  });
});

test('a running turn is stopped when its tokens are used up, and its task waits', async () => {
  agent(room, 'glutton', GLUTTON, { budget: { tokens: 1000 } });
  const daemon = await room.up();
  room.save('tasks/A.md', '---\nid: aaa1\nowner: glutton\n---\nA.\n');
  await daemon.see('turn.ended', { name: 'A', state: 'failed', reason: 'budget' });
  await daemon.see('agent.waiting', { agent: 'glutton' });
  expect(await room.json('show', 'aaa1')).toMatchObject({
    paused: false,
    attempts: 0,
    pending: true,
    parked_until: MIDNIGHT(),
    turns: [{ state: 'pending' }, { state: 'failed', reason: 'budget', usage: { input_tokens: 1000 } }],
  });
});

test("a task's own budget pauses it with the reason; resuming grants as much again, but not an agent", async () => {
  agent(room, 'glutton', GLUTTON);
  room.settings(...SETTINGS, 'budgets: { per_task: { turns: 50 } }');
  const daemon = await room.up();
  room.save('tasks/A.md', '---\nid: aaa1\nowner: glutton\nparent: help1\nbudget: { cost: 0.5 }\n---\nA.\n');
  await daemon.see('turn.ended', { name: 'A', state: 'failed', reason: 'budget' });
  await daemon.see('task.paused', { name: 'A', reason: /its budget is used up \(\$0\.50 of \$0\.50\)/ });
  expect(room.read('tasks/A.md')).toMatch(
    /Paused: its budget is used up \(\$0\.50 of \$0\.50\); resuming it grants/,
  );
  expect(await room.json('show', 'aaa1')).toMatchObject({
    paused: true,
    budget: { cost: 0.5 },
    used: { turns: 1, cost_usd: 0.5 },
  });

  // The agent of the task it belongs to may not grant it more.
  agent(room, 'helper', 'taskroom resume aaa1 2> "$AGENT_ROOM/said"\ntaskroom done "$TASKROOM_TASK"\n');
  room.save('tasks/Help.md', '---\nid: help1\nowner: helper\n---\nHelp.\n');
  await daemon.see('turn.ended', { name: 'Help' });
  expect(room.read('said')).toMatch(/budget of A is used up.*only a person/s);

  const resumed = daemon.mark();
  await room.ok('resume', 'aaa1');
  await daemon.see('turn.ended', { name: 'A', reason: 'budget' }, resumed);
  await daemon.see('task.paused', { name: 'A' }, resumed);
  expect((await room.json('turns', 'aaa1')).turns).toHaveLength(2);
});

test('a fallback works on where a budget is used up', async () => {
  agent(room, 'spender', SPENDER, { budget: { turns: 1 }, fallback: 'other' });
  agent(room, 'other', SPENDER);
  const daemon = await room.up();
  room.save('tasks/A.md', '---\nid: aaa1\nowner: spender\n---\nA.\n');
  await daemon.see('turn.ended', { name: 'A' });
  room.save('tasks/B.md', '---\nid: bbb1\nowner: spender\n---\nB.\n');
  await daemon.see('turn.started', { name: 'B', agent: 'other' });
  await daemon.see('turn.ended', { name: 'B', state: 'completed' });
  expect(room.read('tasks/B.md')).toMatch(/budget of agent spender .* agent other takes its turns/);
});

test('tasks that are saved at once take no more turns than their agent has', async () => {
  agent(room, 'spender', SPENDER, { budget: { turns: 2 } });
  const daemon = await room.up();
  for (const name of ['A', 'B', 'C', 'D', 'E', 'F'])
    room.save(`tasks/${name}.md`, `---\nowner: spender\n---\n${name}.\n`);
  for (const name of ['A', 'B', 'C', 'D', 'E', 'F']) await daemon.see('turn.requested', { name });
  await daemon.see('agent.waiting', { agent: 'spender', why: 'budget' });
  room.save('tasks/Other.md', 'Other.\n');
  await daemon.see('turn.ended', { name: 'Other' });
  expect(daemon.all('turn.started').filter(({ name }) => name !== 'Other')).toHaveLength(2);
});
