import { describe, expect, test } from 'vitest';
import { type DecideInput, decide, type NotDue } from '../../../src/core/rules/decide.ts';
import { explainWhyNot, type WhyNotFacts, type WhyNotReason } from '../../../src/core/rules/why-not.ts';
import { quiet } from './quiet-task.ts';

const due: DecideInput = { ...quiet, consumed: null, now: 1_000 };
const facts: WhyNotFacts = {
  status: 'done',
  blockers: ['First (todo)'],
  circle: null,
  agentProblem: 'no agent "x" in agents/',
  retryAt: '2026-11-22T05:00:00.000Z',
  wait: { text: 'agent a is at its usage limit', until: '2026-11-22T15:00:00.000Z' },
  trouble: { message: 'the disk is full', hint: 'free space' },
};

// A state for every answer of `decide`; the types see to it that none is left out.
const STATES: Record<NotDue, [Partial<DecideInput>, text: RegExp, hint: RegExp | null]> = {
  finished: [{ status: 'done' }, /it is done/, /reopen/],
  draft: [{ status: 'draft' }, /a draft/, /status=todo/],
  paused: [{ paused: true }, /paused/, /taskroom resume/],
  blocked: [{ blocked: true }, /waits for First \(todo\)/, /blocked_by/],
  waiting: [{ waiting: true }, /waits for your answer/, /taskroom answer <task>/],
  no_agent: [{ agentProblem: 'no agent' }, /no agent "x"/, /owner/],
  held: [{ held: true }, /held/, /run --all/],
  backoff: [{ attempted: 'r1', retryAt: 2_000 }, /tried again at 2026-11-22/, /taskroom run/],
  running: [{ running: true }, /its turn runs/, null],
  in_turn: [{ inTurn: true }, /turn that made it/, /when that turn is over/],
  nothing_new: [{ consumed: 'r1' }, /nothing is new/, /edit it/],
};

describe('D12: why a task has no turn', () => {
  test.each(Object.entries(STATES))('%s: said with what would change it', (reason, [state, text, hint]) => {
    expect(decide({ ...due, ...state })).toEqual({ due: false, why: reason });
    const why = explainWhyNot(reason as NotDue, facts);
    expect(why.reason).toBe(reason);
    expect(why.text).toMatch(text);
    if (hint === null) expect(why.hint).toBeNull();
    else expect(why.hint).toMatch(hint);
  });

  test.each([
    ['usage_limit', /agent a is at its usage limit; .* until 2026-11-22T15/, /taskroom run <task>$/],
    ['budget', /until 2026-11-22T15/, /--force; or raise the budget/],
    ['limit', /as many turns run as may/, /limits/],
    ['no_daemon', /nothing runs/, /taskroom up/],
    ['trouble', /the disk is full/, /free space/],
  ] as [WhyNotReason, RegExp, RegExp][])('%s: what keeps a due one from starting', (reason, text, hint) => {
    expect(decide(due)).toMatchObject({ due: true });
    const why = explainWhyNot(reason, facts);
    expect(why.text).toMatch(text);
    expect(why.hint).toMatch(hint);
  });

  test('a circle of blockers is named', () => {
    expect(explainWhyNot('blocked', { ...facts, circle: ['A', 'B', 'A'] }).text).toContain('A → B → A');
  });
});
