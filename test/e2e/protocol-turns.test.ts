// Turns of agents that talk to the runtime over its pipes, whose end is therefore the runtime's too.
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import type { AcpScript } from '../fixtures/agents/acp-agent.ts';
import { room } from './each-room.ts';
import { PROGRAM, processesOf, until } from './room.ts';

const AGENT = resolve(import.meta.dirname, '../fixtures/agents/acp-agent.ts');
const HEARD = 'agents/talker/heard.jsonl';

function talker(script: AcpScript): void {
  const command = [process.execPath, AGENT, JSON.stringify(script)];
  room.agent('talker', { runner: 'acp', command, cwd: 'agents/talker', writes: false });
}

function heard(what: string): Record<string, unknown>[] {
  const lines = existsSync(room.at(HEARD)) ? room.read(HEARD).split('\n').slice(0, -1) : [];
  return lines.map((line) => JSON.parse(line)).filter((entry) => entry.what === what);
}

test('outlive no daemon: the next one ends what is left, and the session goes on', async () => {
  talker({ sessions: 'load', clings: true, moves: [{ say: 'At work.' }, { wait: true }] });
  room.save('tasks/One.md', '---\nid: one1\nowner: talker\n---\nOne.\n');
  const dead = await room.up();
  const turn = String((await dead.see('turn.started', { name: 'One' })).turn);
  expect(turn).toMatch(/^a/);
  await until('the agent works', () => heard('waits').length === 1);
  await until('its session is on record', () => room.sql('SELECT * FROM sessions').length === 1);
  await dead.kill();
  const left = processesOf(room.dir);
  expect(left.length).toBeGreaterThan(0);

  talker({ sessions: 'load', moves: [{ say: 'Done.' }] });
  // Its turn is not over yet: what is changed meanwhile counts when its person says so.
  await room.ok('accept', 'agents/talker/agent.json');
  const daemon = await room.up();
  await daemon.see('turn.ended', { turn, state: 'failed', reason: 'interrupted' });
  expect(processesOf(room.dir).filter((pid) => left.includes(pid))).toEqual([]);
  const again = await daemon.see('turn.started', { name: 'One', adopted: false, attempt: 1 });
  await daemon.see('turn.ended', { turn: again.turn, state: 'completed' });
  expect(heard('take up')).toMatchObject([
    { params: { sessionId: 'session-1', cwd: room.at('agents/talker') } },
  ]);
  const bridge = join(room.dir, '.taskroom/turns', String(again.turn), 'bridge');
  const args = [PROGRAM.replace('bin.cjs', 'bin-turn.cjs'), '--bridge', bridge, 'mcp'];
  expect(heard('take up')).toMatchObject([{ params: { mcpServers: [{ name: 'taskroom', args }] } }]);
  expect(await room.ok('log', 'One')).toMatch(/Done\./);
  expect(await room.ok('log', 'One')).not.toMatch(/an old story|jsonrpc/);
});
