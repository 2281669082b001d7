import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { setKey } from '../../../src/core/document/document.ts';
import { readComments } from '../../../src/core/task/body/entries.ts';
import { carryOut, comment, isQuiet, issue, localOf, mirrored, NOW, planOf, settle } from './two-sides.ts';

describe('fields', () => {
  test.each([
    ['remote', 0, 'theirs', 'local'],
    ['local', 0, 'ours', 'remote'],
    ['newest', NOW, 'ours', 'remote'],
    ['newest', 0, 'theirs', 'local'],
  ] as const)('a true conflict with prefer %s, file saved at %d: %s', (prefer, savedAt, winner, loser) => {
    const sides = mirrored(issue({ body: 'one' }), { prefer });
    sides.text = sides.text.replace('\none\n', '\nours\n');
    sides.remote = { ...sides.remote, body: 'theirs' };
    const plan = planOf(sides, { savedAt });
    expect(plan.losses).toEqual([
      { field: 'body', side: loser, text: winner === 'ours' ? 'theirs' : 'ours' },
    ]);
    carryOut(sides, plan);
    expect(localOf(sides).body).toBe(winner);
    expect(sides.remote.body).toBe(winner);
    expect(isQuiet(planOf(sides))).toBe(true);
  });

  test('without its markers the body goes nowhere, and nothing replaces it', () => {
    const sides = mirrored();
    sides.text = sides.text.replace(/<!-- \/?body \w+ -->\n/g, '');
    sides.remote = { ...sides.remote, body: 'Changed' };
    const before = sides.text;
    settle(sides);
    expect(sides.text).toBe(before);
    expect(planOf(sides).skipped).toMatchObject([
      { field: 'body', why: expect.stringContaining('markers are gone') },
    ]);
  });

  test('a field the server is silent about stays as it is', () => {
    const sides = mirrored(issue({ parent: 'acme/web#1' }));
    sides.remote = { ...sides.remote, parent: null, silent: ['parent'] };
    expect(isQuiet(planOf(sides))).toBe(true);
    sides.remote = { ...sides.remote, parent: 'acme/web#1', silent: [] };
    expect(isQuiet(planOf(sides))).toBe(true);
  });
});

describe('whatever both sides do', () => {
  const words = fc.constantFrom(
    'alpha',
    '## Outcome',
    '```',
    '<!-- body qqqqqqqqqq -->',
    '<!-- /body qqqqqqqqqq -->',
    '> q',
    '',
    'é🎉',
    '\tx',
    '- a',
  );
  const body = fc.array(words, { maxLength: 6 }).map((lines) => lines.join('\n'));
  const labels = fc.uniqueArray(fc.constantFrom('bug', 'ux', 'a, b: [c]', '- x', "it's"), { maxLength: 3 });
  const states = fc.constantFrom(
    ['open', 'todo'],
    ['closed', 'done'],
    ['closed/not_planned', 'canceled'],
  ) as fc.Arbitrary<[string, 'todo' | 'done' | 'canceled']>;
  const there = fc.record({
    title: fc.constantFrom('A', 'B', 'a: "b" #c'),
    body,
    labels,
    state: states,
    comments: fc.array(body, { maxLength: 3 }),
  });
  const here = fc.record({
    title: fc.constantFrom('A', 'C', '[x]'),
    labels,
    status: fc.constantFrom('todo', 'doing', 'done', 'canceled'),
  });

  test('one round makes them agree, nothing comes back, and no foreign line becomes structure', () => {
    fc.assert(
      fc.property(
        there,
        there,
        here,
        fc.constantFrom('remote', 'local', 'newest'),
        (first, second, mine, prefer) => {
          const of = ({ title, body: text, labels: tags, state: [state, status], comments }: typeof first) =>
            issue({
              title,
              body: text,
              labels: tags,
              state,
              status,
              comments: {
                complete: true,
                items: comments.map((said, index) => comment({ id: String(index), body: said })),
              },
            });
          const sides = mirrored(of(first), { prefer });
          expect(isQuiet(planOf(sides))).toBe(true);
          sides.text = setKey(sides.text, 'title', mine.title, sides.path);
          sides.text = setKey(sides.text, 'labels', mine.labels, sides.path);
          sides.text = setKey(sides.text, 'status', mine.status, sides.path);
          sides.remote = of(second);
          settle(sides);
          const local = localOf(sides);
          expect(isQuiet(planOf(sides))).toBe(true);
          expect(local.title).toBe(sides.remote.title);
          expect(local.body).toBe(second.body);
          expect([...local.labels].sort()).toEqual([...sides.remote.labels].sort());
          expect(local.outcome).toEqual([]);
          expect(readComments(sides.text.slice(sides.text.indexOf('\n---\n') + 5)).length).toBe(
            Math.max(first.comments.length, second.comments.length),
          );
        },
      ),
      { numRuns: Number(process.env.FC_RUNS ?? 300) },
    );
  });
});
