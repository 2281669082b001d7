import { describe, expect, it } from 'vitest';
import { endOfTurn, type TurnEndInput } from '../../../src/core/rules/turn-end.ts';

const turn: TurnEndInput = {
  ...{ state: 'completed', reason: 'ok', message: '', counts: false, isSilent: false, waiting: false },
  ...{ askedOnceMore: false, taskBudget: null, isFinished: false, revision: 'r2', reasons: ['edited'] },
  ...{ consumed: 'r1', attempted: null, attempts: 0, maxAttempts: 3, notStarted: 1 },
  ...{ now: 1_000, random: 0.5 },
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

  it('a task that is done and whose work was not taken says why', () => {
    const message = 'its branch can’t be handed over';
    const refused = { ...turn, state: 'failed', reason: 'refused', message, isFinished: true } as const;
    expect(endOfTurn(refused)).toMatchObject({ pause: null, note: message, isServed: false });
  });

  it('a completed turn consumes what it started with', () => {
    const end = endOfTurn({ ...turn, attempted: 'r2', attempts: 2 });
    expect(end).toEqual({
      state: 'completed',
      reason: 'ok',
      message: '',
      isServed: true,
      memory: { consumed: 'r2', attempted: null, attempts: 0, retryAt: null },
      pause: null,
      note: null,
      wakesAgain: [],
    });
  });

  it.each(['person', 'done', 'canceled'] as const)('killed with the reason %s consumes too', (reason) => {
    expect(endOfTurn({ ...turn, state: 'killed', reason }).memory.consumed).toBe('r2');
  });

  it('stopped by pausing leaves the revision unconsumed', () => {
    const end = endOfTurn({ ...turn, state: 'killed', reason: 'paused', attempted: 'r2', attempts: 2 });
    expect(end.memory).toEqual({ consumed: 'r1', attempted: null, attempts: 0, retryAt: null });
  });

  it('an interruption is no failure, and the events ask again', () => {
    const end = endOfTurn({ ...turn, state: 'failed', reason: 'interrupted', reasons: ['run', 'edited'] });
    expect(end.memory).toEqual({ consumed: 'r1', attempted: null, attempts: 0, retryAt: null });
    expect(end.wakesAgain).toEqual(['run']);
  });

  it('an interrupted retry is due at once', () => {
    const end = endOfTurn({
      ...turn,
      state: 'killed',
      reason: 'interrupted',
      reasons: ['retry'],
      attempted: 'r2',
      attempts: 2,
    });
    expect(end.memory).toEqual({ consumed: 'r1', attempted: 'r2', attempts: 2, retryAt: 1_000 });
  });

  describe.each(['rate_limited', 'budget'] as const)('%s', (reason) => {
    const stopped: TurnEndInput = { ...turn, state: 'failed', reason, message: 'why' };

    it('is no attempt: what asked for the turn asks again, and nothing is consumed', () => {
      const end = endOfTurn({ ...stopped, reasons: ['comment', 'edited'] });
      expect(end.memory).toEqual({ consumed: 'r1', attempted: null, attempts: 0, retryAt: null });
      expect(end).toMatchObject({ pause: null, note: null, wakesAgain: ['comment'] });
    });

    it('after failed attempts it is due at once, with as many left as before', () => {
      const end = endOfTurn({ ...stopped, reasons: ['retry'], attempted: 'r2', attempts: 2 });
      expect(end.memory).toEqual({ consumed: 'r1', attempted: 'r2', attempts: 2, retryAt: 1_000 });
      expect(end.pause).toBeNull();
    });
  });

  it('a task whose own budget is used up is paused, with what resuming does', () => {
    const end = endOfTurn({ ...turn, state: 'failed', reason: 'budget', taskBudget: '30 of 30 minutes' });
    expect(end.pause).toBe('its budget is used up (30 of 30 minutes); resuming it grants as much again');
    expect(end.memory).toEqual({ consumed: 'r1', attempted: null, attempts: 0, retryAt: null });
    expect(end.wakesAgain).toEqual([]);
  });

  it('an interruption that the runtime lived through is a failure like any other', () => {
    const lost = {
      ...turn,
      state: 'failed',
      reason: 'interrupted',
      message: 'vanished',
      counts: true,
    } as const;
    const first = endOfTurn(lost);
    expect(first.memory).toMatchObject({ consumed: 'r1', attempted: 'r2', attempts: 1 });
    expect(first.memory.retryAt).toBeGreaterThan(1_000);
    expect(first.wakesAgain).toEqual([]);
    const last = endOfTurn({ ...lost, attempted: 'r2', attempts: 2 });
    expect(last.pause).toBe('gave up after 3 failed attempts: vanished');
  });

  it('failures are tried again with growing waits, then the task is paused', () => {
    const failed = { ...turn, state: 'failed', reason: 'exit', message: 'exit code 3' } as const;
    const first = endOfTurn(failed);
    expect(first.memory).toMatchObject({ consumed: 'r1', attempted: 'r2', attempts: 1 });
    expect(first.memory.retryAt).toBeGreaterThan(1_000);
    const second = endOfTurn({ ...failed, attempted: 'r2', attempts: 1 });
    expect(second.memory.retryAt! - 1_000).toBeGreaterThan(first.memory.retryAt! - 1_000);
    const third = endOfTurn({ ...failed, attempted: 'r2', attempts: 2 });
    expect(third.memory).toMatchObject({ attempts: 3, retryAt: null });
    expect(third.pause).toBe('gave up after 3 failed attempts: exit code 3');
  });

  it('an edit starts the count anew', () => {
    const end = endOfTurn({ ...turn, state: 'failed', reason: 'timed_out', attempted: 'r1', attempts: 2 });
    expect(end.memory).toMatchObject({ attempted: 'r2', attempts: 1 });
  });

  it('a turn that asked and then failed is neither tried again nor paused: the answer asks for the next one', () => {
    const failed: TurnEndInput = { ...turn, state: 'failed', reason: 'exit', attempted: 'r2', attempts: 2 };
    const end = endOfTurn({ ...failed, waiting: true });
    expect(end).toMatchObject({ pause: null, isServed: false });
    expect(end.memory).toEqual({ consumed: 'r1', attempted: null, attempts: 0, retryAt: null });
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

  describe('a turn that ended by itself and reported nothing', () => {
    const silent: TurnEndInput = { ...turn, isSilent: true, words: 'Loop detected.' };

    it.each(['new', 'edited', 'run', 'comment', 'subtask_finished', 'unblocked', 'job_ended'] as const)(
      'failed with the last words, and is asked once more, when %s asked for it',
      (wake) => {
        const end = endOfTurn({ ...silent, reasons: ['heartbeat', wake] });
        expect(end).toMatchObject({ state: 'failed', reason: 'nothing_written', pause: null });
        expect(end.message).toMatch(/reported nothing on its task; its last words: Loop detected\.$/);
        expect(end.note).toContain('asked once more');
        expect(end.memory).toMatchObject({ consumed: 'r1', attempted: 'r2', attempts: 1 });
        expect(end.memory.retryAt).toBeGreaterThan(1_000);
      },
    );

    it('is not asked a third time', () => {
      const end = endOfTurn({
        ...silent,
        reasons: ['retry'],
        attempted: 'r2',
        attempts: 1,
        askedOnceMore: true,
      });
      expect(end).toMatchObject({ state: 'failed', reason: 'nothing_written', note: null });
      expect(end.pause).toMatch(/reported nothing .*Loop detected\.$/);
      expect(end.memory).toMatchObject({ consumed: 'r1', attempted: 'r2', retryAt: null });
    });

    it('is asked once more after a failed attempt too, but not beyond the attempts there are', () => {
      const retry: TurnEndInput = { ...silent, reasons: ['retry'], attempted: 'r2', attempts: 1 };
      expect(endOfTurn(retry)).toMatchObject({ pause: null, memory: { consumed: 'r1', attempts: 2 } });
      expect(endOfTurn({ ...retry, attempts: 2 }).pause).toContain('reported nothing');
    });

    it('may have found nothing to do when the heartbeat alone asked for it', () => {
      const end = endOfTurn({ ...silent, reasons: ['heartbeat'], consumed: 'r2' });
      expect(end).toMatchObject({ state: 'completed', reason: 'nothing_written', pause: null, note: null });
      expect(end.memory).toEqual({ consumed: 'r2', attempted: null, attempts: 0, retryAt: null });
    });

    it('is no matter for a turn that failed', () => {
      const end = endOfTurn({ ...silent, state: 'failed', reason: 'exit', message: 'exit code 3' });
      expect(end.reason).toBe('exit');
    });
  });
});
