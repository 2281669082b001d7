import { describe, expect, test } from 'vitest';
import { formatComment } from '../../../src/core/task/body/entries.ts';
import { commentKey } from '../../../src/sync/plan/base.ts';
import { DELETED_TEXT } from '../../../src/sync/plan/plan-comments.ts';
import { comment, isQuiet, issue, localOf, mirrored, NOW, planOf, type Sides, settle } from './two-sides.ts';

describe('comments', () => {
  function withComments(...items: ReturnType<typeof comment>[]): Sides {
    return mirrored(issue({ comments: { complete: true, items } }));
  }

  test('an upstream edit and a deletion show', () => {
    const sides = withComments(comment(), comment({ id: '901', body: 'Gone soon' }));
    sides.remote = {
      ...sides.remote,
      comments: { complete: true, items: [comment({ body: 'Not any more\n\nreally' })] },
    };
    settle(sides);
    expect(localOf(sides).comments.map(({ text }) => text)).toEqual(['Not any more\n\nreally', DELETED_TEXT]);
    expect(isQuiet(planOf(sides))).toBe(true);
  });

  test('an entry deleted by hand comes back only when it changes upstream', () => {
    const sides = withComments(comment());
    const [entry] = localOf(sides).comments;
    sides.text = sides.text.replace(entry!.raw, '');
    expect(isQuiet(planOf(sides))).toBe(true);
    sides.remote = { ...sides.remote, comments: { complete: true, items: [comment({ body: 'Changed' })] } };
    settle(sides);
    expect(localOf(sides).comments.map(({ text }) => text)).toEqual(['Changed']);
  });

  test.each([
    ['says that it was deleted upstream', DELETED_TEXT],
    ['says the same', 'On it'],
  ])('after a lost ledger a comment of ours whose entry %s is no news on either side', (_, text) => {
    const sides = withComments(comment());
    const entry = formatComment({ author: 'owner', role: null, atMs: NOW, id: 'mine1', text });
    sides.text = sides.text.replace('## Progress', `${entry}\n\n## Progress`);
    const key = commentKey('room000000', sides.remote.uid, 'mine1');
    const items = [comment(), comment({ id: '901', mine: true, key, body: 'On it' })];
    sides.remote = { ...sides.remote, comments: { complete: true, items } };
    const plan = planOf(sides, { base: null });
    expect(plan.local?.newComments ?? []).toEqual([]);
    expect([plan.comments, plan.losses, plan.heard]).toEqual([[], [], []]);
    expect(plan.base.comments).toMatchObject({ 901: { local: 'mine1' } });
  });

  test('one that was sent and never recorded is known by account and key together', () => {
    const sides = withComments();
    sides.text = sides.text.replace(
      '## Progress',
      `## Comments\n\n${formatComment({ author: 'owner', role: null, atMs: NOW, id: 'mine1', text: 'On it' })}\n\n## Progress`,
    );
    sides.posted.add('mine1');
    const [push] = planOf(sides).comments;
    const sent = comment({ id: '950', author: 'me', mine: true, body: 'On it', key: push!.key });
    sides.remote = { ...sides.remote, comments: { complete: true, items: [sent] } };
    expect(isQuiet(planOf(sides))).toBe(true);
    sides.remote = { ...sides.remote, comments: { complete: true, items: [{ ...sent, mine: false }] } };
    const forged = planOf(sides);
    expect(forged.comments).toHaveLength(1);
    expect(forged.local?.newComments).toHaveLength(1);
  });

  test('an Outcome typed by hand goes up; after a reopening the next one is another comment', () => {
    const sides = withComments();
    sides.text = sides.text.replace('## Outcome\n', '## Outcome\n\nAll good.\n');
    expect(planOf(sides, { running: true }).comments).toEqual([]);
    sides.text = sides.text.replace('status: todo', 'status: done');
    settle(sides);
    expect(sides.remote.comments.items.map(({ body }) => body)).toEqual(['**Outcome**\n\nAll good.']);
    expect(sides.remote.status).toBe('done');
    expect(isQuiet(planOf(sides))).toBe(true);
    sides.text = sides.text
      .replace('status: done', 'status: todo')
      .replace('All good.\n', 'All good.\n\n**2026-11-20 11:00** · agent:coder\n\nReally now.\n');
    settle(sides);
    expect(sides.remote.comments.items.map(({ body }) => body)).toEqual([
      '**Outcome**\n\nAll good.',
      '**Outcome**\n\n*2026-11-20 11:00 · agent:coder*\n\nReally now.',
    ]);
    expect(isQuiet(planOf(sides))).toBe(true);
  });

  test('Notes and Steps are local, and go up as a comment each where `push:` names them', () => {
    const sides = withComments();
    const own = '- Both sides changed the body: … kept in `.taskroom/attic/x.md`. <!-- note -->';
    sides.text = sides.text.replace('## Notes\n', `## Notes\n\nMind the cache.\n${own}\n`);
    expect(isQuiet(planOf(sides))).toBe(true);
    sides.config = { ...sides.config, push: [...sides.config.push, 'notes', 'steps'] };
    settle(sides);
    expect(sides.remote.comments.items.map(({ body }) => body)).toEqual(['**Notes**\n\nMind the cache.']);
    expect(isQuiet(planOf(sides))).toBe(true);
    sides.text = sides.text.replace('Mind the cache.', 'Mind the cache, and the proxy.');
    sides.now += 60_000;
    settle(sides);
    expect(sides.remote.comments.items.map(({ body }) => body)).toEqual([
      '**Notes**\n\nMind the cache, and the proxy.',
    ]);
    expect(isQuiet(planOf(sides))).toBe(true);
  });
});

test('M12: after a lost ledger an entry that is not upstream is said, not passed over', () => {
  const sides = mirrored();
  const header = '**@owner** · 2026-11-20 10:00 <!-- c:abcdefghij -->';
  sides.text = sides.text.replace('## Progress', `## Comments\n\n${header}\n> Which version?\n\n## Progress`);
  const plan = planOf(sides, { base: null });
  expect(plan.comments).toEqual([]);
  expect(plan.skipped).toContainEqual({
    field: 'comments',
    why: expect.stringContaining('@owner 2026-11-20 10:00'),
  });
  expect(planOf(sides).skipped).toEqual([]);
});
