// What a running turn holds back: nobody upstream is told of an end before the turn is over.
import { expect, test } from 'vitest';
import { setKey } from '../../src/core/document/document.ts';
import { carryOut, isQuiet, localOf, mirrored, NOW, planOf, type Sides } from './plan/two-sides.ts';

/** The agent says done with an Outcome and a Progress entry. */
function finished(): Sides {
  const sides = mirrored();
  sides.text = setKey(sides.text, 'status', 'done', sides.path)
    .replace('## Progress\n', '## Progress\n\n- 2026-11-20 09:58 · Looked\n')
    .replace('## Outcome\n', '## Outcome\n\n**2026-11-20 09:59** · agent:coder\n\nMended.\n');
  expect(localOf(sides)).toMatchObject({ status: 'done', outcome: [{ text: 'Mended.' }] });
  return sides;
}

test('a done and its Outcome wait for the end of the turn, Progress does not', () => {
  const sides = finished();
  const during = planOf(sides, { running: true });
  expect(during).toMatchObject({ held: true, push: null, local: null });
  expect(during.comments.map(({ kind }) => kind)).toEqual(['progress']);
  carryOut(sides, during);

  const after = planOf(sides);
  expect(after).toMatchObject({ held: false, push: { status: 'done' } });
  expect(after.comments.map(({ kind }) => kind)).toEqual(['outcome']);
  carryOut(sides, after);
  expect(sides.remote.status).toBe('done');
  sides.now = NOW + 120_000;
  expect(isQuiet(planOf(sides))).toBe(true);
});

test('what checks sent back to doing was never closed upstream', () => {
  const sides = finished();
  carryOut(sides, planOf(sides, { running: true }));
  sides.text = setKey(sides.text, 'status', 'doing', sides.path);
  expect(planOf(sides, { running: true }).push).toBeNull();
  expect(sides.remote.state).toBe('open');
});

test('a word of the tracker on the status does not wait', () => {
  const sides = finished();
  sides.remote = { ...sides.remote, state: 'closed', status: 'canceled' };
  const plan = planOf(sides, { running: true });
  expect(plan.losses).toMatchObject([{ field: 'status', side: 'local', text: 'done' }]);
  expect(plan.local).toMatchObject({ status: 'canceled' });
});

test('a task that was finished before, and a turn without an end, hold nothing', () => {
  const sides = finished();
  carryOut(sides, planOf(sides));
  sides.text = setKey(sides.text, 'status', 'todo', sides.path);
  expect(planOf(sides, { running: true }).push).toEqual({ status: 'todo' });
  expect(planOf(mirrored(), { running: true })).toMatchObject({ held: false, push: null });
});
