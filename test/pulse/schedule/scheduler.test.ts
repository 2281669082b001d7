// Which turns run, with the real queue and ledger, turns that a test ends, and a clock that is moved by hand.
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { StopTurn } from '../../../src/agents/runner.ts';
import type { AgentConfig } from '../../../src/core/config/agent-config.ts';
import type { Budget } from '../../../src/core/config/values.ts';
import { createEventBus } from '../../../src/core/events.ts';
import { type TaskId, type ThreadId, type TurnId, threadOfTask } from '../../../src/core/ids.ts';
import { createNodeEffects } from '../../../src/node.ts';
import { createAgentWaits, createScheduler } from '../../../src/pulse/schedule/scheduler.ts';
import type { Turns } from '../../../src/pulse/turn/turns.ts';
import { defaultRoomConfig } from '../../../src/store/files/config-files.ts';
import { openLedger } from '../../../src/store/ledger/ledger.ts';
import type { TurnRequest } from '../../../src/store/ledger/turns/requests.ts';
import type { TurnRecord } from '../../../src/store/ledger/turns/turns.ts';
import type { TaskRoom } from '../../../src/tasks/task-room.ts';
import { forEachTest } from '../../support/for-each-test.ts';
import { beginTurn, ENDED_WELL, queueOf } from '../../support/ledger-queue.ts';
import { createManualClock } from '../../support/manual-clock.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import { createTestLoop } from '../../support/test-loop.ts';

const MINUTE = 60_000;
const thread = (name: string) => threadOfTask(name as TaskId);

function createRig() {
  const dir = tempFolder('taskroom-scheduler');
  const effects = createManualClock();
  const ledger = openLedger(join(dir, 'ledger.db'), { effects: createNodeEffects() });
  const queue = queueOf(ledger);
  const limits = { limits: { total: 2, chat: 2, task: 2, chore: 1 }, agentLimits: {}, maxOutputBytes: 1_000 };
  const agents = new Map<string, AgentConfig>();
  const config = () => ({ ...defaultRoomConfig(), ...limits });
  const loop = createTestLoop({ deps: { ledger, effects, config, agents: () => agents } });
  Object.assign(loop.agents, { patience: () => ({ timeoutMs: 10 * MINUTE, stallMs: MINUTE }) });
  const { active: running, firstScan } = loop;
  const began: string[] = [];
  const over: string[] = [];
  const stopped: string[] = [];
  const ends = new Map<ThreadId, () => void>();
  const follow = (of: ThreadId, signal: AbortSignal, output: (bytes: number) => void) => {
    began.push(of);
    outputs.set(of, output);
    signal.addEventListener('abort', () => {
      stopped.push(`${of} ${signal.reason instanceof StopTurn ? signal.reason.reason : signal.reason}`);
    });
    return new Promise<{ ran: boolean }>((resolve) => ends.set(of, () => resolve({ ran: true })));
  };
  const outputs = new Map<ThreadId, (bytes: number) => void>();
  const turns: Pick<Turns, 'run' | 'adopt'> = {
    run(request, { signal, output }) {
      queue.begin({ ...request, ...FACTS, startedAt: effects.now() });
      return follow(request.thread, signal, output);
    },
    adopt: (turn, { signal, output }) => follow(turn.thread, signal, output),
  };
  const scheduler = createScheduler(loop, { turns, spends() {}, turnOver: (of) => void over.push(of) });
  return {
    ...{ agents, effects, queue, ledger, firstScan, running, scheduler, began, over, stopped, outputs },
    ask(...names: string[]) {
      for (const name of names) queue.ask(requestOf(name));
    },
    async end(name: string) {
      const record = ledger.turns.runningOn(thread(name));
      if (record) queue.end(record.id, { ...ENDED_WELL, endedAt: effects.now() }, () => {});
      ends.get(thread(name))!();
      await new Promise((resolve) => setImmediate(resolve));
    },
    close: () => ledger.close(),
  };
}

const FACTS = { runner: 'command', attempt: 1, revision: 'r', description: '' };

function requestOf(name: string): TurnRequest {
  const asked = { agent: 'runbook', reasons: ['new' as const], priority: 1, askedAt: 0 };
  return { thread: thread(name), origin: 'task', ...asked, forced: false, outside: true };
}

const rig = forEachTest(() => createRig());

test('requests start nothing before the first look is over', () => {
  rig.firstScan.isOver = false;
  rig.ask('a');
  rig.scheduler.startTurns();
  expect(rig.began).toEqual([]);
  rig.firstScan.isOver = true;
  rig.scheduler.startTurns();
  expect(rig.began).toEqual([thread('a')]);
});

test('a turn of before counts against the limits, and its timeout from its real start', async () => {
  rig.ask('b', 'c');
  const startedAt = rig.effects.now() - 8 * MINUTE;
  const left = {
    id: 'b00000000' as TurnId,
    thread: thread('a'),
    origin: 'task',
    agent: 'runbook',
    startedAt,
  };
  rig.scheduler.adopt(left as TurnRecord);
  rig.scheduler.startTurns();
  expect(rig.began).toEqual([thread('a'), thread('b')]);
  for (let minute = 0; minute < 2; minute += 1) {
    expect(rig.stopped).toEqual([]);
    for (const output of rig.outputs.values()) output(1);
    rig.effects.advance(MINUTE - 1);
    for (const output of rig.outputs.values()) output(2);
    rig.effects.advance(1);
  }
  expect(rig.stopped).toEqual([`${thread('a')} timed_out`]);
});

test('what says nothing for long, or too much, is stopped, once', () => {
  rig.ask('a', 'b');
  rig.scheduler.startTurns();
  rig.outputs.get(thread('b'))!(1_001);
  expect(rig.stopped).toEqual([`${thread('b')} output_limit`]);
  rig.effects.advance(MINUTE);
  expect(rig.stopped).toEqual([`${thread('b')} output_limit`, `${thread('a')} stalled`]);
  rig.running.stopAll('interrupted');
  expect(rig.stopped).toHaveLength(2);
});

test('a draining scheduler starts nothing, and has settled when the last turn is over', async () => {
  rig.ask('a');
  rig.scheduler.startTurns();
  rig.running.drain();
  rig.ask('b');
  let settled = false;
  const done = rig.scheduler.settled().then(() => {
    settled = true;
  });
  rig.scheduler.startTurns();
  await new Promise((resolve) => setImmediate(resolve));
  expect(settled).toBe(false);
  await rig.end('a');
  await done;
  expect(rig.began).toEqual([thread('a')]);
  expect(rig.queue.countPending()).toBe(1);
});

// Waits as time goes by, with the real ledger and a clock that is moved by hand.
describe('waits of agents', () => {
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
    const deps = {
      ledger,
      effects,
      events,
      config: () => config,
      agents: () => agents,
    } as unknown as TaskRoom;
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
});
