import { describe, expect, it } from 'vitest';
import { endOfTurn, type TurnEndInput } from '../../../src/core/rules/turn-end.ts';

const turn: TurnEndInput = {
  state: 'completed',
  reason: 'ok',
  message: '',
  counts: false,
  isSilent: false,
  askedOnceMore: false,
  taskBudget: null,
  waiting: false,
  isFinished: false,
  revision: 'r2',
  reasons: ['edited'],
  consumed: 'r1',
  attempted: null,
  attempts: 0,
  maxAttempts: 3,
  notStarted: 1,
  now: 1_000,
  random: 0.5,
};

describe('endOfTurn', () => {
  it.each(['exit', 'stalled', 'interrupted', 'rate_limited'] as const)(
    'a task that is done is not tried again, however its turn failed (%s)',
    (reason) => {
      const end = endOfTurn({ ...turn, state: 'failed', reason, counts: true, isFinished: true });
      expect(end.memory).toEqual({ consumed: 'r1', attempted: null, attempts: 0, retryAt: null });
      expect([end.pause, end.note, end.wakesAgain]).toEqual([null, null, []]);
    },
  );

  it.each(['person', 'done', 'canceled'] as const)('killed with the reason %s consumes too', (reason) => {
    expect(endOfTurn({ ...turn, state: 'killed', reason }).memory.consumed).toBe('r2');
  });

  describe.each(['rate_limited', 'budget'] as const)('%s', (reason) => {
    const stopped: TurnEndInput = { ...turn, state: 'failed', reason, message: 'why' };

    it('is no attempt: what asked for the turn asks again, and nothing is consumed', () => {
      const end = endOfTurn({ ...stopped, reasons: ['comment', 'edited'] });
      expect(end.memory).toEqual({ consumed: 'r1', attempted: null, attempts: 0, retryAt: null });
      expect(end).toMatchObject({ pause: null, note: null, wakesAgain: ['comment'] });
    });
  });

  it('a refusal pauses with what to configure and is not tried again', () => {
    const end = endOfTurn({ ...turn, state: 'failed', reason: 'refused', message: 'no run blocks' });
    expect(end).toEqual({
      state: 'failed',
      reason: 'refused',
      message: 'no run blocks',
      isServed: false,
      memory: { consumed: 'r1', attempted: null, attempts: 0, retryAt: null },
      pause: 'no run blocks',
      note: null,
      wakesAgain: [],
    });
  });

  it("an account without money is its agent's matter: the task is not paused, and what asked asks again", () => {
    const unpaid: TurnEndInput = { ...turn, state: 'failed', reason: 'refused', needsPerson: true };
    expect(endOfTurn({ ...unpaid, reasons: ['comment'] })).toMatchObject({
      ...{ state: 'failed', reason: 'refused', pause: null, wakesAgain: ['comment'], isServed: false },
      memory: { consumed: 'r1', attempted: null, attempts: 0 },
    });
  });
});
