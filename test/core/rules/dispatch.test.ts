import { describe, expect, test } from 'vitest';
import type { ThreadId, TurnId } from '../../../src/core/ids.ts';
import {
  capacityOf,
  type DispatchEvent,
  type DispatchState,
  dispatch,
  initialDispatch,
  nextCheckAt,
  type RunningTurn,
  takerOf,
} from '../../../src/core/rules/dispatch.ts';

const A = 'task:local:a' as ThreadId;
const B = 'task:local:b' as ThreadId;
const empty = initialDispatch({ total: 4, chat: 4, task: 2, chore: 1 }, { coder: 1 }, 1_000);

function running(change: Partial<RunningTurn> = {}): RunningTurn {
  const base = {
    turn: 'b0' as TurnId,
    origin: 'task',
    agent: 'runbook',
    deadline: 60_000,
    woundDown: false,
  } as const;
  return { ...base, stallMs: null, lastOutput: 0, outputBytes: 0, stopping: null, ...change };
}

const started = (change: Partial<RunningTurn> = {}, thread = A): [DispatchEvent, number] => [
  { type: 'started', thread, turn: running(change) },
  0,
];
const tick = (now: number): [DispatchEvent, number] => [{ type: 'tick' }, now];
const printed = (bytes: number, now: number): [DispatchEvent, number] => [
  { type: 'output', thread: A, bytes },
  now,
];
const stopped = (now: number): [DispatchEvent, number] => [
  { type: 'stop', thread: A, reason: 'person' },
  now,
];

function play(state: DispatchState, ...steps: [DispatchEvent, number][]) {
  const orders: string[] = [];
  let next = state;
  for (const [event, now] of steps) {
    const result = dispatch(next, event, now);
    next = result.state;
    orders.push(...result.commands.map((command) => `${now} stop ${command.thread} ${command.reason}`));
  }
  return { state: next, orders };
}

describe('dispatch', () => {
  test('counts origins and agents against their limits', () => {
    const { state } = play(empty, started({ agent: 'coder' }), started({ origin: 'chore' }, B));
    expect(capacityOf(empty)).toEqual({ limit: 4, fullOrigins: [], fullAgents: [] });
    expect(capacityOf(state)).toEqual({ limit: 2, fullOrigins: ['chore'], fullAgents: ['coder'] });
    expect(capacityOf(dispatch(state, { type: 'ended', thread: A }, 1).state).fullAgents).toEqual([]);
    expect(capacityOf(dispatch(state, { type: 'drain' }, 1).state).limit).toBe(0);
  });

  test('starts nothing when every origin is full', () => {
    const narrow = initialDispatch({ total: 9, chat: 0, task: 0, chore: 0 }, {}, 1);
    expect(capacityOf(narrow).limit).toBe(0);
  });

  test('gives a turn whose task is done its grace, and calls the end done', () => {
    const { orders } = play(
      empty,
      started(),
      [{ type: 'wind_down', thread: A, graceMs: 50 }, 10],
      tick(59),
      tick(60),
    );
    expect(orders).toEqual([`60 stop ${A} done`]);
  });

  test('a stop by a person wins over a later limit', () => {
    const { orders } = play(empty, started(), stopped(10), tick(60_000));
    expect(orders).toEqual([`10 stop ${A} person`]);
  });

  test('says when to look again', () => {
    expect(nextCheckAt(empty)).toBeNull();
    const { state } = play(empty, started({ stallMs: 100 }), started({}, B));
    expect(nextCheckAt(state)).toBe(100);
    expect(nextCheckAt(play(state, stopped(1)).state)).toBe(60_000);
  });

  test('ignores events of threads it does not know', () => {
    const { state, orders } = play(empty, printed(9, 1), stopped(1), [{ type: 'ended', thread: A }, 1]);
    expect(orders).toEqual([]);
    expect(state.running.size).toBe(0);
  });
});

describe('who takes the turn of an agent that waits', () => {
  test.each<[string, waiting: string[], fallbacks: Record<string, string>, taker: string | null]>([
    ['one that can', [], { a: 'b' }, 'a'],
    ['nobody stands in', ['a'], {}, null],
    ['its fallback', ['a'], { a: 'b' }, 'b'],
    ['the fallback of its fallback', ['a', 'b'], { a: 'b', b: 'c' }, 'c'],
    ['all wait', ['a', 'b'], { a: 'b' }, null],
    ['a circle ends the search', ['a', 'b'], { a: 'b', b: 'a' }, null],
  ])('%s', (_, waiting, fallbacks, taker) => {
    const facts = {
      waits: (agent: string) => waiting.includes(agent),
      fallbackOf: (agent: string) => fallbacks[agent] ?? null,
    };
    expect(takerOf('a', facts)).toBe(taker);
  });
});
