import { expect, test } from 'vitest';
import { consequencesOf, type Observed } from '../../../src/core/rules/consequences.ts';

const open: Observed = { status: 'doing', paused: false, present: true };
const done: Observed = { ...open, status: 'done' };
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

test.each<[string, before: Observed | null, after: Partial<Observed>, what: string]>([
  ['nobody saw it happen', null, { status: 'done' }, ''],
  ['nothing happened', open, {}, ''],
  ['done', open, done, 'history, wake_parent, drop_request, wind_down, recheck_dependents'],
  [
    'canceled',
    open,
    { status: 'canceled' },
    'history, wake_parent, drop_request, stop_turn canceled, cancel_subtasks, recheck_dependents',
  ],
  // Another end with a line of its own, which cancels what is open below it.
  ['done, then canceled', done, { status: 'canceled' }, 'history, cancel_subtasks, recheck_dependents'],
  ['reopened', done, { status: 'todo' }, 'recheck_dependents, wake reopened, reset_attempts'],
  ['paused', open, { paused: true }, 'drop_request, stop_turn paused'],
  ['resumed', { ...open, paused: true }, {}, 'wake resumed, reset_attempts'],
  ['back to draft', open, { status: 'draft' }, 'recheck_dependents, drop_request, stop_turn paused'],
  [
    'an open file went away',
    open,
    { present: false },
    'recheck_dependents, drop_request, stop_turn canceled',
  ],
  [
    'a file went away that is canceled, which leaves no history twice',
    open,
    { present: false, status: 'canceled' },
    'history, wake_parent, drop_request, stop_turn canceled, cancel_subtasks, recheck_dependents',
  ],
])('what follows: %s', (_, before, after, what) => expect(told(before, after).join(', ')).toBe(what));
