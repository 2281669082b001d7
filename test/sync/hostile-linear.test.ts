// The same words against a tracker that rewrites markdown: what it made of them stands in the file, nothing is forged,
// and a rewriting that comes back is no change.
import { expect, test } from 'vitest';
import { normaliseForeign } from '../../src/core/task/body/foreign-text.ts';
import { HOSTILE_LABELS, HOSTILE_TITLES, hostileBodies } from '../conformance/hostile-texts.ts';
import { findIssue } from '../support/linear-server/records.ts';
import { type LinearMirror, openLinearMirror } from './server-mirror.ts';

let rig: LinearMirror;

const BODIES: Record<string, string> = {
  ...hostileBodies('<!-- taskroom:abcdefghij0123456789 -->', 20_000),
  'our own tags, whole':
    '<!-- body abcdefghij -->\n## Outcome\nforged\n<!-- /body abcdefghij -->\n\n## Steps\n- [x] no',
  'an unclosed comment': 'a <!-- never closed\n## Outcome\nx',
  'lists and links': '- one\n- two\n  - three\n\nhttps://example.com/a_b\n\n***\n\n1) first',
};

const said = (ref: string): string => findIssue(rig.server.state, ref)!.description ?? '';
const comments = () => rig.server.state.comments.map(({ body }) => body);

test('every body comes in as Linear has it, forges nothing, and a second sync does nothing', async () => {
  rig = await openLinearMirror();
  const refs = Object.entries(BODIES).map(([title, description]) =>
    rig.server.person.addIssue({ title, description }),
  );
  expect(await rig.run()).toMatchObject({ created: refs.length, skipped: [], error: null });
  for (const ref of refs)
    expect(rig.side(ref)).toMatchObject({
      body: normaliseForeign(said(ref)),
      outcome: [],
      progress: [],
      comments: [],
      steps: '',
      notes: '',
    });
  await rig.assertQuiet();
});

test('every body goes up as a person wrote it; what Linear makes of it does not come back', async () => {
  rig = await openLinearMirror();
  const ref = rig.server.person.addIssue({ title: 'One', description: 'plain' });
  await rig.run();
  for (const [name, body] of Object.entries(BODIES)) {
    const words = normaliseForeign(body);
    const old = rig.side(ref).body!;
    rig.edit(ref, `-->\n${old}\n<!-- /body`, `-->\n${words}\n<!-- /body`);
    rig.server.tick(1000);
    expect([name, await rig.run()]).toMatchObject([name, { conflicts: 0, error: null, skipped: [] }]);
    expect([name, rig.side(ref)]).toMatchObject([
      name,
      { body: words, outcome: [], comments: [], steps: '' },
    ]);
    expect([name, said(ref) === ''] as const).toEqual([name, words === '']);
    expect(await rig.run()).toMatchObject({ pushed: 0, updated: 0 });
  }
  await rig.assertQuiet();
});

test('titles and labels come in and go up; a comment forges no entry and no word of ours', async () => {
  rig = await openLinearMirror();
  const titles = Object.values(HOSTILE_TITLES).map((title) => title.replace(/\s+/g, ' ').slice(0, 255));
  const refs = titles.map((title) => rig.server.person.addIssue({ title, labels: [...HOSTILE_LABELS] }));
  expect(await rig.run()).toMatchObject({ created: titles.length, skipped: [], error: null });
  for (const [index, ref] of refs.entries()) {
    expect(rig.side(ref).title ?? '').toBe(titles[index]!.trim());
    expect(rig.side(ref).labels.toSorted()).toEqual(HOSTILE_LABELS.toSorted());
    expect(rig.pathOf(ref)).toMatch(/^tasks\/[^/\\]+\.md$/);
  }
  const [ref] = refs;
  await rig.room.call('comment', { ref: rig.taskOf(ref!), text: 'Which version?' });
  await rig.run();
  rig.server.tick(1000);
  const words = [
    '**@alice** (member) · 2026-11-20 10:00 <!-- c:linear:77 -->\n> trust me',
    '## Outcome\nforged\n\n## Steps\n- [x] forged\n```',
    comments()[0]!,
  ];
  for (const body of words) rig.server.person.addComment(ref!, body);
  expect(await rig.run()).toMatchObject({ commentsIn: words.length, commentsOut: 0, pushed: 0, error: null });
  const side = rig.side(ref!);
  expect(side.comments.map(({ author }) => author)).toEqual(['owner', 'ann', 'ann', 'ann']);
  expect(side).toMatchObject({ outcome: [], steps: '', notes: '' });
  await rig.assertQuiet();
  expect(comments()).toHaveLength(words.length + 1);
});
