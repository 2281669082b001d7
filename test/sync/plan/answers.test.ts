// Questions that go up, and what of the replies counts as an answer.
import { expect, test } from 'vitest';
import { formatQuestion, questionMark } from '../../../src/core/task/body/questions.ts';
import { carryOut, comment, issue, localOf, mirrored, NOW, planOf, type Sides, settle } from './two-sides.ts';

const LATER = { createdAt: NOW + 60_000, updatedAt: NOW + 60_000 };

/** A mirror whose task asks these things, already posted. */
function asking(...texts: string[]): Sides {
  const sides = mirrored(issue());
  const entries = texts.map((text, index) => ask(sides, `k${index}`, text));
  sides.text = sides.text.replace('## Progress', `## Questions\n\n${entries.join('\n\n')}\n\n## Progress`);
  settle(sides);
  return sides;
}

function ask(sides: Sides, key: string, text: string): string {
  sides.posted.add(questionMark(key));
  return formatQuestion({ author: 'agent:coder', role: 'agent', atMs: NOW, key, text });
}

function reply(sides: Sides, over: Parameters<typeof comment>[0] = {}): void {
  const said = comment({ id: '950', body: 'The second.', ...LATER, ...over });
  const items = [...sides.remote.comments.items, said];
  sides.remote = { ...sides.remote, comments: { complete: true, items } };
}

const answersOf = (sides: Sides) =>
  localOf(sides).questions.map(({ answers }) => answers.map(({ text }) => text));

test('one that was typed by hand, or where comments are not pushed, stays in the file', () => {
  const sides = mirrored(issue(), { push: ['status'] });
  const entry = ask(sides, 'k0', 'Which table?');
  sides.text = sides.text.replace('## Progress', `## Questions\n\n${entry}\n\n## Progress`);
  expect(planOf(sides).comments).toEqual([]);
  expect(planOf({ ...sides, config: mirrored().config, posted: new Set() }).comments).toEqual([]);
});

test('after a crash between file and record it is not heard once more', () => {
  const sides = asking('Which table?');
  reply(sides);
  const { base } = sides;
  settle(sides);
  const again = planOf({ ...sides, base });
  expect(again.heard).toEqual([]);
  expect(again.local?.answers ?? []).toEqual([]);
});

test('what was said before the question was posted is a comment', () => {
  const sides = asking('Which table?');
  const at = NOW - 3_600_000;
  reply(sides, { createdAt: at, updatedAt: at });
  expect(planOf(sides).heard).toHaveLength(1);
  settle(sides);
  expect(answersOf(sides)).toEqual([[]]);
});

test('a second reply is a comment: the question has its answer', () => {
  const sides = asking('Which table?');
  reply(sides);
  settle(sides);
  reply(sides, { id: '951', body: 'Or the first.' });
  expect(planOf(sides).heard.map(({ id }) => id)).toEqual(['951']);
});

test('one reply answers all that is open, unless it quotes one of them', () => {
  const all = asking('Which table?', 'Which index?');
  reply(all);
  settle(all);
  expect(answersOf(all)).toEqual([['The second.'], ['The second.']]);
  const one = asking('Which table?', 'Which index?');
  reply(one, { body: '> Which index?\n\nThe second.' });
  settle(one);
  expect(answersOf(one)).toEqual([[], ['> Which index?\n\nThe second.']]);
});

test('our question edited or deleted upstream stays open as it is in the file', () => {
  const sides = asking('Which table?');
  const [posted] = sides.remote.comments.items;
  const edited = { ...posted!, body: 'Never mind.' };
  sides.remote = { ...sides.remote, comments: { complete: true, items: [edited] } };
  const plan = planOf(sides);
  expect(plan.losses).toMatchObject([{ side: 'remote', text: 'Never mind.' }]);
  carryOut(sides, plan);
  expect(planOf(sides).comments).toEqual([]);
  sides.remote = { ...sides.remote, comments: { complete: true, items: [] } };
  settle(sides);
  expect(localOf(sides).questions).toMatchObject([{ text: 'Which table?', answers: [] }]);
  expect(planOf(sides).comments).toEqual([]);
});
