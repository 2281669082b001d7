// Waits as time goes by, with the real ledger and a clock that is moved by hand.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { AgentConfig } from '../../../src/core/config/agent-config.ts';
import type { Budget } from '../../../src/core/config/values.ts';
import { createEventBus } from '../../../src/core/events.ts';
import { type TaskId, type ThreadId, threadOfTask } from '../../../src/core/ids.ts';
import { createNodeEffects } from '../../../src/node.ts';
import { createAgentWaits } from '../../../src/pulse/schedule/scheduler.ts';
import { defaultRoomConfig } from '../../../src/store/files/config-files.ts';
import { openLedger } from '../../../src/store/ledger/ledger.ts';
import type { TaskRoom } from '../../../src/tasks/task-room.ts';
import { forEachTest } from '../../support/for-each-test.ts';
import { beginTurn } from '../../support/ledger-queue.ts';
import { createManualClock } from '../../support/manual-clock.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import { createTestLoop } from '../../support/test-loop.ts';

const MINUTE = 60_000;
const NOON = Date.parse('2026-11-22T12:00:00Z');
const NO_BOUND: Budget = { turns: null, minutes: null, tokens: null, cost: null };

function createRig() {
  const dir = tempFolder('taskroom-waiting');
  const effects = createManualClock({ startMs: NOON });
  const ledger = openLedger(join(dir, 'ledger.db'), { effects: createNodeEffects() });
  const config = { ...defaultRoomConfig(), timezone: 'UTC' };
  const agents = new Map<string, AgentConfig>();
  const told: string[] = [];
  const stopped: string[] = [];
  let asked = 0;
  const events = createEventBus((fault) => {
    throw fault;
  });
  events.subscribe((event) => {
    if (event.type === 'agent.waiting')
      told.push(`${event.agent} waits until ${new Date(event.until).toISOString()}`);
    if (event.type === 'agent.ready') told.push(`${event.agent} is ready`);
  });
  const deps = { ledger, effects, events, config: () => config, agents: () => agents } as unknown as TaskRoom;
  const loop = createTestLoop({ deps });
  Object.assign(loop.active, {
    stop: (thread: ThreadId, reason: string) => void stopped.push(`${thread} ${reason}`),
  });
  const waiting = createAgentWaits(loop, () => {
    asked += 1;
  });
  return {
    ...{ effects, ledger, config, told, stopped, waiting },
    asked: () => asked,
    agent(id: string, budget: Partial<Budget>) {
      agents.set(id, { id, budget: { ...NO_BOUND, ...budget }, fallback: null } as AgentConfig);
    },
    begin(name: string, agent: string) {
      const thread = threadOfTask(name as TaskId);
      beginTurn(ledger, { id: `b${name}`, thread, agent, reasons: [], startedAt: effects.now() });
      waiting.look();
    },
    close() {
      loop.timers.close();
      ledger.close();
    },
  };
}

const rig = forEachTest(() => createRig());

test("a day's budget lasts until the zone's midnight", () => {
  rig.config.timezone = 'Europe/Berlin';
  rig.agent('a', { turns: 1 });
  rig.begin('one', 'a');
  expect(rig.told).toEqual(['a waits until 2026-11-22T23:00:00.000Z']);
  rig.effects.advance(11 * 60 * MINUTE - 1);
  expect(rig.told).toHaveLength(1);
  rig.effects.advance(1);
  expect(rig.told.at(-1)).toBe('a is ready');
  expect(rig.stopped).toEqual([]);
});

test('two turns at once use up the minutes of their agent twice as fast; others run on', () => {
  rig.agent('a', { minutes: 10 });
  rig.agent('b', {});
  rig.begin('one', 'a');
  rig.begin('two', 'a');
  rig.begin('other', 'b');
  rig.effects.advance(5 * MINUTE - 100);
  expect(rig.stopped).toEqual([]);
  rig.effects.advance(200);
  expect([...new Set(rig.stopped)].sort()).toEqual(['task:local:one budget', 'task:local:two budget']);
});
