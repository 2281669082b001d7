// An agent in the protocol and its person, through a whole room: leave that is asked for, answered and used; a turn that is
// stopped.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import type { AcpScript, Move } from '../fixtures/agents/acp-agent.ts';
import { room } from './each-room.ts';
import { processesOf, until } from './room.ts';

const AGENT = resolve(import.meta.dirname, '../fixtures/agents/acp-agent.ts');
const HEARD = 'agents/talker/heard.jsonl';
const ASK: Move = {
  ask: { toolCallId: 'c1', kind: 'execute', title: 'npm publish', rawInput: { command: 'npm publish' } },
};

function talker(script: AcpScript, more: object = {}): void {
  const command = [process.execPath, AGENT, JSON.stringify(script)];
  room.agent('talker', { runner: 'acp', command, cwd: 'agents/talker', writes: false, ...more });
}

function heard(what: string): Record<string, unknown>[] {
  // What is being written has no line end yet.
  const lines = existsSync(room.at(HEARD)) ? room.read(HEARD).split('\n').slice(0, -1) : [];
  return lines.map((line) => JSON.parse(line)).filter((entry) => entry.what === what);
}

test.each([
  ['Yes, please.', 'yes'],
  ['no, thanks', 'no'],
])('leave is asked for in the task, and "%s" goes to the same session', async (words, option) => {
  talker({ sessions: 'resume', moves: [ASK, { say: 'Went on.' }] }, { approve: { execute: 'ask' } });
  room.save('tasks/One.md', '---\nid: one1\nowner: talker\n---\nOne.\n');
  const daemon = await room.up();
  const first = await daemon.see('turn.ended', { state: 'completed', reason: 'ok' });
  expect(room.read('tasks/One.md')).toMatch(/May I do this \(execute\)\?[\s\S]*npm publish/);
  expect(heard('leave')).toMatchObject([{ params: { outcome: { outcome: 'cancelled' } } }]);
  expect(heard('cancel')).toHaveLength(1);
  expect(await room.ok('inbox')).toMatch(/One/);
  expect(await room.ok('list')).toMatch(/waits for your answer/);

  await room.ok('answer', 'One', words);
  const again = await daemon.see('turn.started', { name: 'One' }, first.index);
  await daemon.see('turn.ended', { turn: again.turn });
  expect(heard('take up')).toMatchObject([{ params: { sessionId: 'session-1' } }]);
  expect(heard('leave').at(-1)).toMatchObject({
    params: { outcome: { outcome: 'selected', optionId: option } },
  });
  expect(await room.ok('log', 'One')).toMatch(/Went on\./);
});

test('kill cancels by the protocol, and leaves no process', async () => {
  talker({ sessions: 'load', moves: [{ say: 'At work.' }, { wait: true }] });
  room.save('tasks/One.md', '---\nid: one1\nowner: talker\n---\nOne.\n');
  const daemon = await room.up();
  const { turn } = await daemon.see('turn.started', { name: 'One' });
  await until('the agent works', () => heard('waits').length === 1);
  await room.ok('kill', 'One');
  await daemon.see('turn.ended', { turn, state: 'killed', reason: 'person' });
  expect(heard('cancel')).toMatchObject([{ params: { sessionId: 'session-1' } }]);
  expect(processesOf(room.dir)).toEqual([daemon.pid]);
  expect(room.read(`.taskroom/turns/${turn}/output.log`)).toContain('"stopReason":"cancelled"');
});
