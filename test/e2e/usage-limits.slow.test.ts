// Agents that meet their usage limit: real programs that say so, a real daemon that waits for them.
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { room } from './each-room.ts';
import type { E2eRoom } from './room.ts';
import { SETTINGS, until } from './room.ts';

/**
 * An agent whose limit is reached while its file `limit` holds a moment; what it prints is the convention for programs of
 * one's own. It notes each run.
 */
const LIMITED = `echo "$TASKROOM_TURN" >> "$AGENT_ROOM/NAME.log"
if [ -s "$AGENT_ROOM/NAME.limit" ]; then
  echo "taskroom: rate limited until $(cat "$AGENT_ROOM/NAME.limit")"
  exit 75
fi
taskroom progress "$TASKROOM_TASK" "NAME worked" && taskroom done "$TASKROOM_TASK"
`;

function limitedAgent(room: E2eRoom, name: string, more: object = {}): void {
  room.save(`agents/${name}/agent.sh`, LIMITED.replaceAll('NAME', name));
  room.agent(name, { command: ['/bin/sh', `agents/${name}/agent.sh`], ...more });
}

const runs = (room: E2eRoom, name: string) => room.read(`${name}.log`).trim().split('\n').length;
const inMs = (ms: number) => new Date(Date.now() + ms).toISOString();
const HOUR = 3_600_000;

test('turns of an agent at its limit wait and are shown with the time; other agents go on', async () => {
  limitedAgent(room, 'scarce');
  limitedAgent(room, 'free');
  const limit = inMs(HOUR);
  room.save('scarce.limit', limit);
  const daemon = await room.up();
  room.save('tasks/First.md', '---\nid: first1\nowner: scarce\n---\nFirst.\n');
  await daemon.see('agent.waiting', { agent: 'scarce', why: 'usage_limit', until: Date.parse(limit) });
  room.save('tasks/Second.md', '---\nid: second1\nowner: scarce\n---\nSecond.\n');
  await daemon.see('turn.requested', { name: 'Second' });
  room.save('tasks/Other.md', '---\nid: other1\nowner: free\n---\nOther.\n');
  await daemon.see('turn.ended', { name: 'Other', state: 'completed' });
  expect(runs(room, 'scarce')).toBe(1);

  const { tasks } = await room.json('list');
  const parked = tasks.map((task: Record<string, unknown>) => [task.id, task.parked_until]);
  expect(Object.fromEntries(parked)).toEqual({ first1: limit, second1: limit, other1: null });
  expect(await room.json('show', 'first1')).toMatchObject({
    status: 'doing',
    attempts: 0,
    parked_until: limit,
    why_not: { reason: 'usage_limit', text: expect.stringContaining(limit) },
    turns: [
      { state: 'pending', attempt: 1 },
      { state: 'failed', reason: 'rate_limited', limited_until: limit, attempt: 1 },
    ],
  });
  expect(await room.json('status')).toMatchObject({
    waiting: [{ agent: 'scarce', until: limit, why: 'usage_limit', taken_by: null, tasks: 2 }],
  });
  const said = /agent scarce is at its usage limit/;
  expect(await room.ok('status')).toMatch(said);
  expect(await room.ok('show', 'first1')).toMatch(said);
  expect(await room.ok('list')).toMatch(/First.*waits for its agent until/);
  expect(await room.ok('turns', 'first1')).toMatch(/rate limited until/);
  expect(room.read('tasks/First.md')).not.toContain('Paused');
});

test('they run when the limit is over, as the same attempt', async () => {
  limitedAgent(room, 'scarce');
  const daemon = await room.up();
  room.save('scarce.limit', inMs(6_000));
  room.save('tasks/First.md', '---\nid: first1\nowner: scarce\n---\nFirst.\n');
  const { index } = await daemon.see('agent.waiting', { agent: 'scarce' });
  room.save('scarce.limit', '');
  await daemon.see('agent.ready', { agent: 'scarce' });
  await daemon.see('turn.started', { name: 'First', attempt: 1 }, index);
  await daemon.see('turn.ended', { name: 'First', state: 'completed' });
  expect((await room.json('status')).waiting).toEqual([]);
  expect(room.sql('SELECT * FROM limit_waits')).toEqual([]);
});

test('a wait outlives the daemon; run asks anew for that task alone, and a limit that is over ends it', async () => {
  limitedAgent(room, 'scarce');
  room.save('scarce.limit', inMs(HOUR));
  const first = await room.up();
  room.save('tasks/First.md', '---\nid: first1\nowner: scarce\n---\nFirst.\n');
  await first.see('agent.waiting');
  room.save('tasks/Second.md', '---\nid: second1\nowner: scarce\n---\nSecond.\n');
  await first.see('turn.requested', { name: 'Second' });
  await first.kill();

  const daemon = await room.up();
  await daemon.see('agent.waiting', { agent: 'scarce' });
  room.save('tasks/Other.md', '---\nid: other1\n---\nOther.\n');
  await daemon.see('turn.ended', { name: 'Other', state: 'completed' });
  expect(runs(room, 'scarce')).toBe(1);
  // Still at its limit: asked anew, once.
  await room.ok('run', 'first1');
  await daemon.see('turn.ended', { name: 'First', reason: 'rate_limited' });
  await until('it ran twice', () => runs(room, 'scarce') === 2);
  expect(daemon.all('turn.started', { name: 'Second' })).toEqual([]);
  // Not any more: its success ends the wait for all.
  room.save('scarce.limit', '');
  await room.ok('resume', 'first1');
  await daemon.see('turn.ended', { name: 'First', state: 'completed' });
  await daemon.see('agent.ready', { agent: 'scarce' });
  await daemon.see('turn.ended', { name: 'Second', state: 'completed' });
});

test('a fallback takes the work over and says so in the file once', async () => {
  limitedAgent(room, 'scarce', { fallback: 'free' });
  limitedAgent(room, 'free');
  room.save('scarce.limit', inMs(HOUR));
  const daemon = await room.up();
  room.save('tasks/First.md', '---\nid: first1\nowner: scarce\n---\nFirst.\n');
  await daemon.see('agent.waiting', { agent: 'scarce', fallback: 'free' });
  await daemon.see('turn.ended', { name: 'First', state: 'completed' });
  const again = daemon.mark();
  await room.ok('reopen', 'first1');
  await daemon.see('turn.ended', { name: 'First', state: 'completed' }, again);
  expect(room.read('tasks/First.md').match(/agent free takes its turns/g)).toHaveLength(1);
  expect(runs(room, 'scarce')).toBe(1);
  const { turns } = await room.json('turns', 'first1');
  expect(turns.map(({ agent }: { agent: string }) => agent)).toEqual(['free', 'free', 'scarce']);
  expect((await room.json('status')).waiting).toMatchObject([
    { agent: 'scarce', taken_by: 'free', tasks: 0 },
  ]);
});

test('fallbacks in a circle are refused where they are read', async () => {
  limitedAgent(room, 'a', { fallback: 'b' });
  limitedAgent(room, 'b', { fallback: 'a' });
  const { stdout } = await room.run(['status', '--json']);
  const problems = JSON.parse(stdout).problems.map(({ text }: { text: string }) => text);
  expect(problems).toEqual([
    expect.stringMatching(/^agents\/a\/agent\.json:1:\d+ fallback: goes in a circle: a → b → a/),
    expect.stringMatching(/^agents\/b\/agent\.json:1:\d+ fallback: goes in a circle: b → a → b/),
  ]);
});

test('once leaves waiting turns for later and does not fail for them; a clock set back ends the wait', async () => {
  limitedAgent(room, 'scarce');
  room.save('scarce.limit', inMs(HOUR));
  room.save('tasks/First.md', '---\nid: first1\nowner: scarce\n---\nFirst.\n');
  expect((await room.run(['once'])).code).toBe(0);
  expect((await room.run(['once'])).code).toBe(0);
  expect(runs(room, 'scarce')).toBe(1);
  // As if the wait had been written by a clock a day ahead.
  room.sql('UPDATE limit_waits SET since = since + 86400000, until = until + 86400000');
  room.save('scarce.limit', '');
  expect((await room.run(['once'])).code).toBe(0);
  expect((await room.json('show', 'first1')).status).toBe('done');
});

test('a chore waits like a task', async () => {
  room.settings(...SETTINGS);
  limitedAgent(room, 'scarce');
  room.save('scarce.limit', inMs(HOUR));
  room.save('chores/Look.md', '---\nschedule: every 1h\nowner: scarce\n---\nLook around.\n');
  const daemon = await room.up();
  await daemon.see('agent.waiting', { agent: 'scarce' });
  expect(daemon.all('chore.failed')).toEqual([]);
  const [chore] = (await room.json('chores')).chores;
  expect(chore).toMatchObject({ name: 'Look', failures: 0, pending: true });
});

/** Says what the real program said when its limit was met, with the time from a file; works when that is empty. */
const CLAUDE = `#!/bin/sh
cat > /dev/null
echo "$*" >> "$AGENT_ROOM/claude.log"
if [ -s "$AGENT_ROOM/claude.limit" ]; then
  sed "s/1795339552/$(cat "$AGENT_ROOM/claude.limit")/" "FIXTURE"
  exit 1
fi
taskroom done "$TASKROOM_TASK" > /dev/null
cat "$(dirname "FIXTURE")/claude-works.txt"
`;

test("a preset's program: its own words name the time, and its session is resumed after it, not by a stand-in", async () => {
  const fixture = join(import.meta.dirname, '../fixtures/agents/output/claude-usage-limit-oauth.txt');
  room.save('programs/claude', CLAUDE.replaceAll('FIXTURE', fixture));
  chmodSync(room.at('programs/claude'), 0o755);
  room.daemonEnv.PATH = `${room.at('programs')}:${process.env.PATH}`;
  room.agent('claude', { preset: 'claude', writes: false, fallback: 'free' });
  limitedAgent(room, 'free');
  // The stand-in is at its limit too, so that the work comes back.
  room.save('free.limit', inMs(HOUR));
  const resetsAt = Math.ceil(Date.now() / 1000) + 4;
  room.save('claude.limit', String(resetsAt));
  const daemon = await room.up();
  room.save('tasks/First.md', '---\nid: first1\nowner: claude\n---\nFirst.\n');
  await daemon.see('agent.waiting', { agent: 'claude', until: resetsAt * 1000, fallback: 'free' });
  await daemon.see('agent.waiting', { agent: 'free' });
  room.save('claude.limit', '');
  await daemon.see('turn.ended', { name: 'First', state: 'completed' });
  const { turns } = await room.json('turns', 'first1');
  expect(turns.map((turn: Record<string, unknown>) => [turn.agent, turn.reason])).toEqual([
    ['claude', 'ok'],
    ['free', 'rate_limited'],
    ['claude', 'rate_limited'],
  ]);
  const [first, second] = room.read('claude.log').trim().split('\n');
  expect(first).not.toContain('--resume');
  expect(second).toContain('--resume 6dcc042a-763b-4be7-b331-0a69d01346e5');
});
