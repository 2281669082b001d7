import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createGithubFactory } from '../../../src/providers/github/github.ts';
import type { Provider, SourceConfig } from '../../../src/providers/provider.ts';
import { listAll } from '../../conformance/provider-harness.ts';
import {
  closeIssue,
  deleteComment,
  editComment,
  editIssue,
  openIssue,
  sayComment,
} from '../../support/github-server/people.ts';
import type { Features } from '../../support/github-server/state.ts';
import { effectsWith, type GithubRig, SOURCE, sourceConfig, startRig, TEST_PACE } from './harness.ts';

const { signal } = new AbortController();
let rig: GithubRig;
beforeEach(async () => {
  rig = await startRig();
});
afterEach(() => rig.close());

function open(change: Partial<SourceConfig> = {}, token = 'good-token'): Promise<Provider> {
  const effects = effectsWith({ GITHUB_TOKEN: token });
  return createGithubFactory(TEST_PACE).open(sourceConfig(rig.server.url, change), effects);
}

async function restart(features: Partial<Features>): Promise<void> {
  await rig.close();
  rig = await startRig(features);
}

const later = (seconds = 120) => {
  rig.server.state.nowMs += seconds * 1_000;
};
const issue = (words: Parameters<typeof openIssue>[2] = {}) => openIssue(rig.server.state, rig.repo, words);
const say = (to: ReturnType<typeof issue>, body: string) => sayComment(rig.server.state, to, body);
/** Paths asked since the mark was taken, without their queries. */
function asked(from = 0): string[] {
  return rig.server.served.slice(from).map(({ method, path }) => `${method} ${path.split('?')[0]}`);
}

describe('listing', () => {
  it('costs two requests when nothing happened, both answered 304 and free', async () => {
    for (let n = 0; n < 130; n += 1) issue({ title: `Issue ${n}` });
    say(rig.repo.issues[3]!, 'hello');
    later();
    const provider = await open();
    const first = await listAll(provider, null);
    const fresh = await open();
    const left = rig.server.state.rate.remaining;
    const from = rig.server.served.length;
    const quiet = await listAll(fresh, first.next);
    expect(quiet).toEqual({ items: [], next: first.next, pages: 1 });
    expect(rig.server.served.slice(from).map(({ status }) => status)).toEqual([304, 304]);
    expect(fresh.usage()).toMatchObject({ requests: 2, notModified: 2 });
    expect(rig.server.state.rate.remaining).toBe(left);
  });

  it('reads a first mirror in ⌈issues/100⌉ + ⌈comments/100⌉ + 2 requests', async () => {
    for (let n = 0; n < 1_000; n += 1) {
      const one = issue({ title: `Issue ${n}` });
      if (n % 2 === 0) for (let c = 0; c < 4; c += 1) say(one, `comment ${c}`);
      later(1);
    }
    const provider = await open({ filter: { labels: [], assignee: null, state: 'open' } });
    const { items } = await listAll(provider, null);
    expect(provider.usage().requests).toBeLessThanOrEqual(10 + 20 + 2);
    expect(items).toHaveLength(1_000);
    expect(items.every(({ comments }) => comments.complete)).toBe(true);
    expect(items.reduce((sum, { comments }) => sum + comments.items.length, 0)).toBe(2_000);
  });

  it('asks for single issues when few of many comments are wanted', async () => {
    for (let n = 0; n < 100; n += 1)
      for (let c = 0; c < 4; c += 1) say(rig.repo.issues[n] ?? issue(), 'noise');
    const wanted = issue({ labels: ['agent'] });
    say(wanted, 'to the point');
    later();
    const provider = await open({ filter: { labels: ['agent'], assignee: null, state: 'open' } });
    const { items } = await listAll(provider, null);
    expect(items.map(({ comments }) => comments.items.map(({ body }) => body))).toEqual([['to the point']]);
    expect(asked().filter((path) => path.endsWith('/issues/comments'))).toHaveLength(1);
    expect(asked()).toContain(`GET /repos/${SOURCE}/issues/${wanted.number}/comments`);
  });

  it('misses no comment that a deletion pushed over the edge of a page', async () => {
    for (let n = 0; n < 130; n += 1) say(rig.repo.issues[n] ?? issue(), `on ${n}`);
    const provider = await createGithubFactory(TEST_PACE).open(
      sourceConfig(rig.proxy.url),
      effectsWith({ GITHUB_TOKEN: 'good-token' }),
    );
    const isSecond = ({ path }: { path: string }) =>
      path.includes('/issues/comments') && path.includes('page=2');
    rig.proxy.once(
      { kind: 'before', run: () => deleteComment(rig.repo.issues[129]!, rig.repo.issues[129]!.comments[0]!) },
      isSecond,
    );
    const { items } = await listAll(provider, null);
    expect(rig.proxy.waiting()).toBe(0);
    const missing = items.filter(({ comments }) => comments.items.length === 0).map(({ ref }) => ref);
    expect(missing.filter((ref) => ref !== `${SOURCE}#130`)).toEqual([]);
    expect(asked().some((path) => /issues\/\d+\/comments$/.test(path))).toBe(true);
  });

  it('loses no issue that moves while a server counts pages', async () => {
    await restart({ cursorLinks: false });
    for (let n = 0; n < 250; n += 1) {
      issue({ title: `Issue ${n}` });
      later(1);
    }
    const provider = await open();
    const seen = new Set<string>();
    let cursor: string | null = null;
    for await (const page of provider.list(null, signal)) {
      for (const { ref } of page.items) seen.add(ref);
      // Everything after it moves one place forward.
      editIssue(rig.server.state, rig.repo.issues[seen.size % 90]!, { title: 'Moved' });
      later(1);
      cursor = page.next;
    }
    expect(seen.size).toBe(250);
    const titles = new Map((await listAll(provider, cursor)).items.map(({ ref, title }) => [ref, title]));
    for (const { number, title } of rig.repo.issues) {
      if (title === 'Moved') expect(titles.get(`${SOURCE}#${number}`)).toBe('Moved');
    }
  });

  it('passes more than a page of one second where a server counts pages', async () => {
    await restart({ cursorLinks: false });
    for (let n = 0; n < 320; n += 1) issue();
    const { items } = await listAll(await open(), null);
    expect(new Set(items.map(({ ref }) => ref)).size).toBe(320);
    expect(items).toHaveLength(320);
  });

  it('catches up with more changes than a page holds, with their comments', async () => {
    for (let n = 0; n < 150; n += 1) issue();
    const provider = await open();
    const { next } = await listAll(provider, null);
    later();
    for (const one of rig.repo.issues) say(one, `on ${one.number}`);
    const { items, pages } = await listAll(provider, next);
    expect(pages).toBe(2);
    expect(items).toHaveLength(150);
    expect(items.every(({ comments }) => comments.complete && comments.items.length === 1)).toBe(true);
  });

  it('takes up a catching-up that was cut off, with the comments of the rest', async () => {
    for (let n = 0; n < 150; n += 1) say(issue(), 'old');
    const { next } = await listAll(await open(), null);
    later();
    for (const one of rig.repo.issues) say(one, 'new');
    later();
    let cut = next;
    for await (const page of (await open()).list(next, signal)) {
      cut = page.next;
      break;
    }
    const rest = await listAll(await open(), cut);
    expect(rest.items).toHaveLength(50);
    expect(rest.items.every(({ comments }) => comments.items.some(({ body }) => body === 'new'))).toBe(true);
    expect((await listAll(await open(), rest.next)).items).toEqual([]);
  });

  it('shows an edit of a comment though its issue did not change, and none of a pull request', async () => {
    const [one, pull] = [issue(), issue({ pull: { mergedAt: null } })];
    const [old, other] = [say(one, 'before'), say(pull, 'before')];
    const provider = await open();
    const { next } = await listAll(provider, null);
    later();
    editComment(rig.server.state, old, 'after');
    editComment(rig.server.state, other, 'after');
    const { items } = await listAll(provider, next);
    expect(items.map(({ ref, comments }) => [ref, comments.items.map(({ body }) => body)])).toEqual([
      [`${SOURCE}#1`, ['after']],
    ]);
  });

  it('knows a deleted comment by the count', async () => {
    const one = issue();
    const comments = [say(one, 'a'), say(one, 'b')];
    later();
    say(issue(), 'newer');
    const provider = await open();
    const { next } = await listAll(provider, null);
    later();
    deleteComment(one, comments[0]!);
    editIssue(rig.server.state, one, { title: 'Edited' });
    const { items } = await listAll(provider, next);
    const task = items.find(({ title }) => title === 'Edited');
    expect(task).toMatchObject({ commentCount: 1, comments: { complete: false } });
  });

  it('leaves pull requests out unless they are asked for', async () => {
    issue({ pull: { mergedAt: null } });
    const merged = issue({ pull: { mergedAt: rig.server.state.nowMs } });
    closeIssue(rig.server.state, merged);
    expect((await listAll(await open(), null)).items).toEqual([]);
    const { items } = await listAll(await open({ options: { pull_requests: true } }), null);
    expect(items.map(({ state, status }) => [state, status]).sort()).toEqual([
      ['merged', 'done'],
      ['open', 'todo'],
    ]);
  });

  it('finds a label with a comma, which the server can not be asked for', async () => {
    issue({ labels: ['a, b: [c]'] });
    issue({ labels: ['a'] });
    for (let n = 0; n < 100; n += 1) issue();
    const filter = { labels: ['a, b: [c]'], assignee: null, state: 'open' } as const;
    const { items } = await listAll(await open({ filter }), null);
    expect(items.map(({ ref }) => ref)).toEqual([`${SOURCE}#1`]);
  });

  it('starts afresh for another filter, and asks who it is again for another token', async () => {
    issue();
    const { next } = await listAll(await open(), null);
    const narrow = await open({ filter: { labels: ['x'], assignee: null, state: 'all' } });
    expect((await listAll(narrow, next)).items).toEqual([]);
    rig.server.state.tokens.set('second', { login: 'me', access: 'write' });
    const from = rig.server.served.length;
    expect((await listAll(await open({}, 'second'), next)).items).toHaveLength(1);
    expect(asked(from)).toContain('GET /user');
  });

  it('asks only for the fields wanted', async () => {
    const one = issue({ labels: ['x'], body: 'words' });
    say(one, 'hello');
    const provider = await open({ fields: ['title', 'status'] });
    const [task] = (await listAll(provider, null)).items;
    expect(task).toMatchObject({ title: 'An issue', body: '', labels: [], commentCount: null });
    expect(task!.silent).toEqual(
      expect.arrayContaining(['body', 'labels', 'assignees', 'comments', 'parent', 'blocked_by']),
    );
    expect(provider.comment).toBeUndefined();
    expect(asked().some((path) => path.includes('comments'))).toBe(false);
  });
});
