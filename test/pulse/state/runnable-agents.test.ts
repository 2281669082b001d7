// What is known of agents is what was found last, whichever of two looks takes longer.
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Runner } from '../../../src/agents/runner.ts';
import type { AgentConfig } from '../../../src/core/config/agent-config.ts';
import type { Problem } from '../../../src/core/errors.ts';
import { createAgents } from '../../../src/pulse/state/runnable-agents.ts';
import { openTestRoom, type TestRoom } from '../../tasks/test-room.ts';

let room: TestRoom;
beforeEach(() => {
  room = openTestRoom();
});
afterEach(() => room.close());

test('a look that began earlier does not outlast one that began later', async () => {
  const checks: PromiseWithResolvers<Problem[]>[] = [];
  const check = () => {
    const checked = Promise.withResolvers<Problem[]>();
    checks.push(checked);
    return checked.promise;
  };
  const agent = { id: 'coder', runner: 'command' } as AgentConfig;
  const deps = { ...room.deps, agents: () => new Map([['coder', agent]]) };
  const agents = createAgents(deps, new Map([['command', { check } as unknown as Runner]]));
  const problem = { path: 'agents/coder/agent.json', line: 1, col: 1, message: 'it waits' };

  const first = agents.look();
  await expect.poll(() => checks.length).toBe(1);
  const second = agents.look();
  const third = agents.look();
  // Where both look at once, the second is answered first.
  checks[1]?.resolve([]);
  checks[0]!.resolve([problem]);
  expect(await first).toBe(true);
  await expect.poll(() => checks.length).toBe(2);
  checks[1]!.resolve([]);
  expect(await second).toBe(true);
  expect(agents.problem('coder', { forRunbook: false })).toBeNull();
  expect(third).toBe(second);
});

test('a look that fails keeps nobody from the next', async () => {
  let isBroken = true;
  const check = async () => {
    if (isBroken) throw new Error('broken');
    return [];
  };
  const agent = { id: 'coder', runner: 'command' } as AgentConfig;
  const deps = { ...room.deps, agents: () => new Map([['coder', agent]]) };
  const agents = createAgents(deps, new Map([['command', { check } as unknown as Runner]]));
  await expect(agents.look()).rejects.toThrow('broken');
  isBroken = false;
  expect(await agents.look()).toBe(true);
});
