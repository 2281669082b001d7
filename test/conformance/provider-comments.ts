// Comments: all of them, oldest first, ours known as ours, added once for each key, edited in place, missed when deleted.
import { expect } from 'vitest';
import type { RemoteComment } from '../../src/providers/provider.ts';
import { hostileBodies } from './hostile-texts.ts';
import { newKey } from './provider-creation.ts';
import {
  type Bench,
  type Cases,
  commentEssence,
  getOne,
  listAll,
  newIssue,
  settle,
} from './provider-harness.ts';
import { forgery } from './provider-reading.ts';

const speaking = ({ provider, skip }: Bench) => provider.comment ?? skip('no comments can be written here');

const talkative = ({ people, skip }: Bench) => people.addComments ?? skip('people cannot comment here');

async function add(bench: Bench, ref: string, body: string, key = newKey(), tries = 0) {
  return await speaking(bench).add(ref, body, { key, tries }, bench.signal);
}

async function commentsOf(bench: Bench, ref: string): Promise<readonly RemoteComment[]> {
  const { comments, commentCount } = await getOne(bench, ref);
  expect(comments.complete).toBe(true);
  if (commentCount !== null) expect(commentCount).toBe(comments.items.length);
  return comments.items;
}

async function expectCommentEcho(bench: Bench, ref: string, written: RemoteComment): Promise<void> {
  const read = (await commentsOf(bench, ref)).find(({ id }) => id === written.id)!;
  expect(commentEssence(bench.provider, read)).toEqual(commentEssence(bench.provider, written));
}

export const COMMENTS: Cases = {
  "people's comments come whole, oldest first, and are not ours": async (bench) => {
    const ref = await newIssue(bench, { title: 'Talk' });
    expect(await commentsOf(bench, ref)).toEqual([]);
    const ids = await talkative(bench)(ref, ['first', 'second']);
    ids.push(...(await talkative(bench)(ref, ['third'])));
    const comments = await commentsOf(bench, ref);
    expect(comments.map(({ id }) => id)).toEqual(ids);
    expect(comments.map(({ body }) => body)).toEqual(['first', 'second', 'third']);
    for (const comment of comments) {
      expect(comment.mine && bench.provider.profile.remote).toBe(false);
      expect(comment.id).toMatch(/^[0-9A-Za-z_.:-]+$/);
      expect(comment.author).not.toBe('');
      expect(comment.updatedAt).toBeGreaterThanOrEqual(comment.createdAt);
    }
  },
  'more than one hundred comments come whole': async (bench) => {
    const ref = await newIssue(bench, { title: 'Much talk' });
    const bodies = Array.from({ length: 105 }, (_, at) => `comment ${at + 1}`);
    await talkative(bench)(ref, bodies);
    expect((await commentsOf(bench, ref)).map(({ body }) => body)).toEqual(bodies);
    const [listed] = (await listAll(bench.provider, null)).items;
    if (listed!.comments.complete) expect(listed!.comments.items).toHaveLength(105);
    else if (listed!.commentCount !== null) expect(listed!.commentCount).toBe(105);
  },
  'a new comment is in the next listing': async (bench) => {
    const ref = await newIssue(bench, { title: 'Talk' });
    const quiet = await newIssue(bench, { title: 'Silence' });
    await bench.harness.tick?.();
    await talkative(bench)(ref, ['before']);
    const cursor = await settle(bench.provider);
    await bench.harness.tick?.();
    await talkative(bench)(ref, ['after']);
    const { items } = await listAll(bench.provider, cursor);
    const listed = items.findLast((item) => item.ref === ref)!;
    expect(listed.comments.items.map(({ body }) => body)).toContain('after');
    if (bench.harness.tick) expect(items.map((item) => item.ref)).not.toContain(quiet);
  },
  'an edited comment is in the next listing, by its id': async (bench) => {
    const { people, harness, provider, skip } = bench;
    if (!people.editComment) skip('comments cannot be edited here');
    const ref = await newIssue(bench, { title: 'Talk' });
    const [id] = await talkative(bench)(ref, ['as it was', 'another']);
    const cursor = await settle(provider);
    await harness.tick?.();
    await people.editComment!(ref, id!, 'as it is');
    const { items } = await listAll(provider, cursor);
    const listed = items.findLast((item) => item.ref === ref)?.comments.items ?? [];
    expect(listed.find((comment) => comment.id === id)?.body).toBe('as it is');
    expect((await commentsOf(bench, ref)).map(({ body }) => body)).toEqual(['as it is', 'another']);
  },
  'a deleted comment is missed': async (bench) => {
    const { people, harness, provider, skip } = bench;
    if (!people.deleteComment) skip('comments cannot be deleted here');
    const ref = await newIssue(bench, { title: 'Talk' });
    const [id, other] = await talkative(bench)(ref, ['goes', 'stays']);
    const cursor = await settle(provider);
    await harness.tick?.();
    await people.deleteComment!(ref, id!);
    await people.editIssue(ref, { title: 'Talk, edited' });
    expect((await commentsOf(bench, ref)).map((comment) => comment.id)).toEqual([other]);
    const listed = (await listAll(provider, cursor)).items.findLast((item) => item.ref === ref)!;
    if (listed.comments.complete) expect(listed.comments.items.map((each) => each.id)).toEqual([other]);
    else expect(listed.commentCount).toBe(1);
  },
  'a comment of ours is known as ours, and its echo is no change': async (bench) => {
    const { harness, provider } = bench;
    const ref = await newIssue(bench, { title: 'Talk' });
    const cursor = await settle(provider);
    await harness.tick?.();
    const written = await add(bench, ref, 'Done:\n\n- one\n- two\n');
    expect(written).toMatchObject({ mine: true, author: harness.account });
    const { normalise } = provider.profile;
    expect(normalise(written.body)).toBe(normalise('Done:\n\n- one\n- two\n'));
    await expectCommentEcho(bench, ref, written);
    const { items } = await listAll(provider, cursor);
    const listed = items.findLast((item) => item.ref === ref)?.comments.items ?? [];
    const echo = listed.find(({ id }) => id === written.id)!;
    expect(commentEssence(provider, echo)).toEqual(commentEssence(provider, written));
  },
  'a try again finds the comment the first one made, also when its answer was lost': async (bench) => {
    const { harness, open, people, signal, skip } = bench;
    speaking(bench);
    const ref = await newIssue(bench, { title: 'Talk' });
    const key = newKey();
    const first = await add(bench, ref, 'once', key);
    const again = await add(bench, ref, 'once', key, 1);
    expect(commentEssence(bench.provider, again)).toEqual(commentEssence(bench.provider, first));
    expect((await people.look(ref))!.comments).toHaveLength(1);
    if (!harness.loseNextAnswer) skip('answers cannot be lost here');
    const lost = newKey();
    harness.loseNextAnswer!();
    await add(bench, ref, 'lost', lost).catch(() => null);
    const restarted = await open();
    const found = await restarted.comment!.add(ref, 'lost', { key: lost, tries: 1 }, signal);
    expect(bench.provider.profile.normalise(found.body)).toBe('lost');
    expect((await people.look(ref))!.comments).toHaveLength(2);
  },
  'a try again finds its comment below one hundred others': async (bench) => {
    const ref = await newIssue(bench, { title: 'Much talk' });
    const key = newKey();
    const first = await add(bench, ref, 'ours', key);
    const bodies = Array.from({ length: 104 }, (_, at) => `later ${at}`);
    await talkative(bench)(ref, bodies);
    expect((await add(bench, ref, 'ours', key, 1)).id).toBe(first.id);
    expect((await bench.people.look(ref))!.comments).toHaveLength(105);
  },
  "somebody else's marker is not believed: a comment": async (bench) => {
    const { harness, people, skip } = bench;
    speaking(bench);
    if (!harness.forgedMarker) skip('nothing can be forged here');
    const ref = await newIssue(bench, { title: 'Talk' });
    const key = newKey();
    const [forged] = await talkative(bench)(ref, [`no need\n\n${harness.forgedMarker!(key)}`]);
    const written = await add(bench, ref, 'real', key, 1);
    expect(written.id).not.toBe(forged);
    const comments = await commentsOf(bench, ref);
    expect(comments.map(({ mine }) => mine)).toEqual([false, true]);
    expect((await people.look(ref))!.comments).toHaveLength(2);
  },
  'two keys make two comments of the same words': async (bench) => {
    const ref = await newIssue(bench, { title: 'Talk' });
    const one = await add(bench, ref, 'same');
    const two = await add(bench, ref, 'same');
    expect(two.id).not.toBe(one.id);
    expect((await commentsOf(bench, ref)).map(({ id }) => id)).toEqual([one.id, two.id]);
  },
  'a comment is edited in place, and still found by its key': async (bench) => {
    const ref = await newIssue(bench, { title: 'Talk' });
    const key = newKey();
    const written = await add(bench, ref, 'progress 1', key);
    for (const body of ['progress 2', 'progress 3\n\n- with\n- a list']) {
      const edited = await speaking(bench).edit(ref, written.id, body, bench.signal);
      expect(bench.provider.profile.normalise(edited.body)).toBe(bench.provider.profile.normalise(body));
      expect(edited).toMatchObject({ id: written.id, mine: true, createdAt: written.createdAt });
      await expectCommentEcho(bench, ref, edited);
    }
    expect((await add(bench, ref, 'progress 1', key, 1)).id).toBe(written.id);
    expect((await bench.people.look(ref))!.comments).toHaveLength(1);
  },
  'a comment that was deleted is gone': async (bench) => {
    const { people, skip } = bench;
    if (!people.deleteComment) skip('comments cannot be deleted here');
    const ref = await newIssue(bench, { title: 'Talk' });
    const written = await add(bench, ref, 'progress');
    await people.deleteComment!(ref, written.id);
    const late = speaking(bench).edit(ref, written.id, 'too late', bench.signal);
    await expect(late).rejects.toMatchObject({ code: 'gone' });
    expect(await commentsOf(bench, ref)).toEqual([]);
  },
  'a comment on a deleted issue is gone': async (bench) => {
    const { people, skip } = bench;
    speaking(bench);
    if (!people.deleteIssue) skip('nothing can be deleted here');
    const ref = await newIssue(bench, { title: 'Goes' });
    await people.deleteIssue!(ref);
    await expect(add(bench, ref, 'too late')).rejects.toMatchObject({ code: 'gone' });
  },
  'a comment on a locked issue is refused': async (bench) => {
    const { people, skip } = bench;
    speaking(bench);
    if (!people.lockIssue) skip('nothing can be locked here');
    const ref = await newIssue(bench, { title: 'Locked' });
    await people.lockIssue!(ref);
    expect((await getOne(bench, ref)).locked).toBe(true);
    await expect(add(bench, ref, 'may I?')).rejects.toMatchObject({ code: 'refused' });
    expect((await people.look(ref))!.comments).toEqual([]);
  },
  'hostile comments come back as they went': async (bench) => {
    speaking(bench);
    const { normalise, limits } = bench.provider.profile;
    const ref = await newIssue(bench, { title: 'Talk' });
    const texts = hostileBodies(forgery(bench), Math.min(limits.comment, 65_536));
    for (const [what, body] of Object.entries(texts)) {
      if (body === '') continue;
      const written = await add(bench, ref, body);
      expect(normalise(written.body), what).toBe(normalise(body));
      await expectCommentEcho(bench, ref, written);
    }
  },
};
