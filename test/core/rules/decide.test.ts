import { describe, expect, test } from 'vitest';
import {
  type DecideInput,
  decide,
  isBlocked,
  isMassEdit,
  type NotDue,
} from '../../../src/core/rules/decide.ts';
import { explainWhyNot, type WhyNotFacts, type WhyNotReason } from '../../../src/core/rules/why-not.ts';
import { quiet } from './quiet-task.ts';

const cases: [name: string, input: Partial<DecideInput>, expected: string][] = [
  ['nothing happened', {}, 'nothing_new'],
  ['made by a turn that runs', { consumed: null, inTurn: true }, 'in_turn'],
  ['made by a turn that runs, and asked for', { inTurn: true, wakes: ['run'] }, 'due run outside'],
  [
    'made by a turn that runs, and asked for by an agent',
    { inTurn: true, wakes: ['by_agent'] },
    'due by_agent inside',
  ],
  ['held, and asked for by an agent', { held: true, wakes: ['by_agent'] }, 'held'],
  ['never ran', { consumed: null }, 'due new outside'],
  ['edited', { consumed: 'r0' }, 'due edited outside'],
  ['edited during its own turn', { consumed: 'r0', editedOutside: false }, 'due edited inside'],
  ['done', { consumed: null, status: 'done' }, 'finished'],
  ['canceled although run is asked', { wakes: ['run_forced'], status: 'canceled' }, 'finished'],
  ['draft', { consumed: null, status: 'draft' }, 'draft'],
  ['paused', { consumed: null, paused: true }, 'paused'],
  ['blocked', { consumed: null, blocked: true }, 'blocked'],
  ['waiting for an answer', { consumed: null, waiting: true }, 'waiting'],
  ['paused before waiting', { paused: true, waiting: true }, 'paused'],
  ['a question of the turn that runs', { waiting: true, running: true }, 'waiting'],
  ['edited while it waits', { consumed: 'r0', waiting: true }, 'waiting'],
  ['a failed turn asked', { attempted: 'r1', retryAt: 1, waiting: true }, 'waiting'],
  ['run does not pass waiting', { wakes: ['run'], waiting: true }, 'waiting'],
  ['forced past waiting', { wakes: ['run_forced'], waiting: true }, 'due run_forced forced outside'],
  ['answered', { wakes: ['answered'] }, 'due answered outside'],
  ['answered by nobody knows whom', { wakes: ['own_answer'] }, 'due own_answer inside'],
  ['one of two answered', { wakes: ['answered'], waiting: true }, 'waiting'],
  ['paused before a missing agent', { consumed: null, paused: true, agentProblem: 'no agent' }, 'paused'],
  ['missing agent', { consumed: null, agentProblem: 'no agent' }, 'no_agent'],
  ['missing agent and nothing to do', { agentProblem: 'no agent' }, 'nothing_new'],
  ['forced past draft', { wakes: ['run_forced'], status: 'draft' }, 'due run_forced forced outside'],
  [
    'forced past paused and blocked',
    { wakes: ['run_forced'], paused: true, blocked: true },
    'due run_forced forced outside',
  ],
  ['run does not pass paused', { wakes: ['run'], paused: true }, 'paused'],
  ['run overrides a consumed revision', { wakes: ['run'] }, 'due run outside'],
  ['running', { consumed: null, running: true }, 'running'],
  ['held', { consumed: null, held: true }, 'held'],
  ['held and released', { consumed: null, held: true, wakes: ['released'] }, 'due released new outside'],
  ['somebody waits for it', { wakes: ['run', 'chat'] }, 'due run chat outside'],
  ['held and run by hand', { consumed: null, held: true, wakes: ['run'] }, 'due run new outside'],
  ['doing with a heartbeat', { status: 'doing', wakes: ['heartbeat'] }, 'due heartbeat inside'],
  ['failed, waiting', { consumed: null, attempted: 'r1', retryAt: 1_000_001 }, 'backoff'],
  ['failed, time has come', { consumed: null, attempted: 'r1', retryAt: 1_000_000 }, 'due retry inside'],
  ['failed a run of a consumed revision', { attempted: 'r1', retryAt: 1_000_000 }, 'due retry inside'],
  [
    'failed, heartbeat does not hurry it',
    { consumed: null, attempted: 'r1', retryAt: 1_000_001, wakes: ['heartbeat'] },
    'backoff',
  ],
  ['failed, edited since', { consumed: null, attempted: 'r0', retryAt: 1_000_001 }, 'due new outside'],
  [
    'failed, resumed',
    { consumed: null, attempted: 'r1', retryAt: 1_000_001, wakes: ['resumed'] },
    'due resumed outside',
  ],
  ['exhausted', { consumed: null, attempted: 'r1', retryAt: null }, 'backoff'],
  [
    'exhausted, run by hand',
    { consumed: null, attempted: 'r1', retryAt: null, wakes: ['run'] },
    'due run outside',
  ],
  [
    'the clock went back an hour',
    { consumed: null, attempted: 'r1', retryAt: 1_000_000 + 3_600_000 },
    'due retry inside',
  ],
  ['unblocked', { wakes: ['unblocked'] }, 'due unblocked outside'],
  [
    'several events',
    { wakes: ['heartbeat', 'subtask_finished'], consumed: 'r0' },
    'due heartbeat subtask_finished edited outside',
  ],
];

describe('decide', () => {
  test.each(cases)('%s', (_name, input, expected) => {
    const decision = decide({ ...quiet, ...input });
    const told = decision.due
      ? [
          'due',
          ...decision.reasons,
          ...(decision.forced ? ['forced'] : []),
          decision.outside ? 'outside' : 'inside',
        ].join(' ')
      : decision.why;
    expect(told).toBe(expected);
  });

  test('blocks on anything that is not done, unknown references too', () => {
    expect(isBlocked([])).toBe(false);
    expect(isBlocked([{ status: 'done' }])).toBe(false);
    expect(isBlocked([{ status: 'done' }, { status: 'canceled' }])).toBe(true);
    expect(isBlocked([{ status: null }])).toBe(true);
  });

  test('knows a mass edit by the room’s limit', () => {
    expect(isMassEdit(50, 50)).toBe(false);
    expect(isMassEdit(51, 50)).toBe(true);
    expect(isMassEdit(5_000, 0)).toBe(false);
  });
});

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
