import { describe, expect, it } from 'vitest';
import { endOfTurn, type TurnEndInput } from '../../../src/core/rules/turn-end.ts';

const turn: TurnEndInput = {
  ...{ state: 'completed', reason: 'ok', message: '', counts: false, isSilent: false, waiting: false },
  ...{ askedOnceMore: false, taskBudget: null, isFinished: false, revision: 'r2', reasons: ['edited'] },
  ...{ consumed: 'r1', attempted: null, attempts: 0, maxAttempts: 3, notStarted: 1 },
  ...{ now: 1_000, random: 0.5 },
};

/** What the ledger keeps where no attempt counts: the words that were consumed before, and none that failed. */
const NONE = { consumed: 'r1', attempted: null, attempts: 0, retryAt: null };
const DONE = { ...NONE, consumed: 'r2' };
const ENDED = { state: 'completed', reason: 'ok', message: '', isServed: true } as const;
const QUIET = { pause: null, note: null, wakesAgain: [] };
const failed = { state: 'failed', reason: 'exit', message: 'exit code 3' } as const;
const lost = { state: 'failed', reason: 'interrupted', message: 'vanished', counts: true } as const;
const twice = { attempted: 'r2', attempts: 2 };
const spent = 'its budget is used up (30 of 30 minutes); resuming it grants as much again';

type Row = [title: string, given: Partial<TurnEndInput>, end: Partial<ReturnType<typeof endOfTurn>>];

describe('endOfTurn', () => {
  it.each<Row>([
    ...(['exit', 'stalled', 'interrupted', 'rate_limited'] as const).map(
      (reason): Row => [
        `a task that is done is not tried again, however its turn failed (${reason})`,
        { state: 'failed', reason, counts: true, isFinished: true },
        { memory: NONE, ...QUIET },
      ],
    ),
    [
      'a task that is done and whose work was not taken says why',
      { ...failed, reason: 'refused', isFinished: true },
      { pause: null, note: failed.message, isServed: false },
    ],
    ['a completed turn consumes what it started with', twice, { ...ENDED, ...QUIET, memory: DONE }],
    ...(['person', 'done', 'canceled'] as const).map(
      (reason): Row => [
        `killed with the reason ${reason} consumes too`,
        { state: 'killed', reason },
        { memory: DONE },
      ],
    ),
    [
      'stopped by pausing leaves the revision unconsumed',
      { state: 'killed', reason: 'paused', ...twice },
      { memory: NONE },
    ],
    [
      'an interruption is no failure, and the events ask again',
      { state: 'failed', reason: 'interrupted', reasons: ['run', 'edited'] },
      { memory: NONE, wakesAgain: ['run'] },
    ],
    ...(['interrupted', 'rate_limited', 'budget'] as const).map(
      (reason): Row => [
        `a retry that ended with ${reason} is due at once, with as many attempts left as before`,
        { state: reason === 'interrupted' ? 'killed' : 'failed', reason, reasons: ['retry'], ...twice },
        { memory: { ...NONE, ...twice, retryAt: 1_000 }, pause: null },
      ],
    ),
    ...(['rate_limited', 'budget'] as const).map(
      (reason): Row => [
        `${reason} is no attempt: what asked for the turn asks again, and nothing is consumed`,
        { state: 'failed', reason, message: 'why', reasons: ['comment', 'edited'] },
        { memory: NONE, pause: null, note: null, wakesAgain: ['comment'] },
      ],
    ),
    [
      'a task whose own budget is used up is paused, with what resuming does',
      { state: 'failed', reason: 'budget', taskBudget: '30 of 30 minutes' },
      { memory: NONE, pause: spent, wakesAgain: [] },
    ],
    [
      'an interruption that the runtime lived through is a failure like any other, and is tried again',
      lost,
      { memory: { ...NONE, attempted: 'r2', attempts: 1, retryAt: 11_000 }, wakesAgain: [] },
    ],
    [
      'the last of them pauses the task',
      { ...lost, ...twice },
      { pause: 'gave up after 3 failed attempts: vanished' },
    ],
    [
      'a failure is tried again',
      failed,
      { memory: { ...NONE, attempted: 'r2', attempts: 1, retryAt: 11_000 }, pause: null },
    ],
    [
      'a second one after a longer wait',
      { ...failed, attempted: 'r2', attempts: 1 },
      { memory: { ...NONE, ...twice, retryAt: 21_000 }, pause: null },
    ],
    [
      'after the last one the task is paused',
      { ...failed, ...twice },
      {
        memory: { ...NONE, attempted: 'r2', attempts: 3 },
        pause: 'gave up after 3 failed attempts: exit code 3',
      },
    ],
    [
      'an edit starts the count anew',
      { state: 'failed', reason: 'timed_out', attempted: 'r1', attempts: 2 },
      { memory: { ...NONE, attempted: 'r2', attempts: 1, retryAt: 11_000 } },
    ],
    [
      'a turn that asked and then failed is neither tried again nor paused: the answer asks for the next one',
      { ...failed, ...twice, waiting: true },
      { memory: NONE, pause: null, isServed: false },
    ],
    [
      'a refusal pauses with what to configure and is not tried again',
      { state: 'failed', reason: 'refused', message: 'no run blocks' },
      {
        ...{ state: 'failed', reason: 'refused', message: 'no run blocks', isServed: false },
        ...{ ...QUIET, memory: NONE, pause: 'no run blocks' },
      },
    ],
  ])('%s', (_title, given, expected) => {
    const end = endOfTurn({ ...turn, ...given });
    expect(end).toMatchObject(expected);
    // All of it, not a part.
    if (expected.memory) expect(end.memory).toEqual(expected.memory);
    if (expected.wakesAgain) expect(end.wakesAgain).toEqual(expected.wakesAgain);
    if (expected.message !== undefined) expect(end).toEqual(expected);
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
      const retry = { reasons: ['retry' as const], attempted: 'r2', attempts: 1 };
      const end = endOfTurn({ ...silent, ...retry, askedOnceMore: true });
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
      expect(end.memory).toEqual(DONE);
    });

    it('is no matter for a turn that failed', () => {
      const end = endOfTurn({ ...silent, state: 'failed', reason: 'exit', message: 'exit code 3' });
      expect(end.reason).toBe('exit');
    });
  });
});
