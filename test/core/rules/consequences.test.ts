import { describe, expect, it } from 'vitest';
import { consequencesOf, type Observed } from '../../../src/core/rules/consequences.ts';

const open: Observed = { status: 'doing', paused: false, present: true };
const told = (before: Observed | null, after: Partial<Observed>) =>
  consequencesOf(before, { ...open, ...after }).map((consequence) =>
    [
      consequence.kind,
      'wake' in consequence ? consequence.wake : '',
      'reason' in consequence ? consequence.reason : '',
    ]
      .filter(Boolean)
      .join(' '),
  );

describe('consequencesOf', () => {
  it('has none for what nobody saw happen', () => {
    expect(told(null, { status: 'done' })).toEqual([]);
    expect(told(open, {})).toEqual([]);
  });

  it('a task became done', () => {
    expect(told(open, { status: 'done' })).toEqual([
      'history',
      'wake_parent',
      'drop_request',
      'wind_down',
      'recheck_dependents',
    ]);
  });

  it('a task became canceled', () => {
    expect(told(open, { status: 'canceled' })).toEqual([
      'history',
      'wake_parent',
      'drop_request',
      'stop_turn canceled',
      'cancel_subtasks',
      'recheck_dependents',
    ]);
  });

  it('done to canceled is another end with a line of its own, and cancels what is open below it', () => {
    expect(told({ ...open, status: 'done' }, { status: 'canceled' })).toEqual([
      'history',
      'cancel_subtasks',
      'recheck_dependents',
    ]);
  });

  it('a task was reopened', () => {
    expect(told({ ...open, status: 'done' }, { status: 'todo' })).toEqual([
      'recheck_dependents',
      'wake reopened',
      'reset_attempts',
    ]);
  });

  it('a task was paused, resumed, put back to draft', () => {
    expect(told(open, { paused: true })).toEqual(['drop_request', 'stop_turn paused']);
    expect(told({ ...open, paused: true }, {})).toEqual(['wake resumed', 'reset_attempts']);
    expect(told(open, { status: 'draft' })).toEqual([
      'recheck_dependents',
      'drop_request',
      'stop_turn paused',
    ]);
  });

  it('a file went away: open tasks stop, finished ones leave no history twice', () => {
    expect(told(open, { present: false })).toEqual([
      'recheck_dependents',
      'drop_request',
      'stop_turn canceled',
    ]);
    expect(told(open, { present: false, status: 'canceled' })).toEqual([
      'history',
      'wake_parent',
      'drop_request',
      'stop_turn canceled',
      'cancel_subtasks',
      'recheck_dependents',
    ]);
  });
});
