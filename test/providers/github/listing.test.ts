import { describe, expect, it, onTestFinished } from 'vitest';
import { createGithubFactory } from '../../../src/providers/github/github.ts';
import { listAll } from '../../conformance/provider-harness.ts';
import { forEachTest } from '../../support/for-each-test.ts';
import { closeIssue, deleteComment, editComment, editIssue } from '../../support/github-server/people.ts';
import { effectsWith, githubSource, SOURCE, startGithub, TEST_PACE } from './harness.ts';

const { signal } = new AbortController();
const github = forEachTest(() => startGithub());

/** A server that counts pages. */
async function startCounting() {
  const counting = await startGithub({ cursorLinks: false });
  onTestFinished(() => counting.close());
  return counting;
}

describe('listing', () => {
  it('costs two requests when nothing happened, both answered 304 and free', async () => {
    for (let n = 0; n < 130; n += 1) github.issue({ title: `Issue ${n}` });
    github.say(github.repo.issues[3]!, 'hello');
    github.later();
    const provider = await github.open();
    const first = await listAll(provider, null);
    const fresh = await github.open();
    const left = github.server.state.rate.remaining;
    const from = github.server.served.length;
    const quiet = await listAll(fresh, first.next);
    expect(quiet).toEqual({ items: [], next: first.next, pages: 1 });
    expect(github.server.served.slice(from).map(({ status }) => status)).toEqual([304, 304]);
    expect(fresh.usage()).toMatchObject({ requests: 2, notModified: 2 });
    expect(github.server.state.rate.remaining).toBe(left);
  });

  it('reads a first mirror in ⌈issues/100⌉ + ⌈comments/100⌉ + 2 requests', async () => {
    for (let n = 0; n < 1_000; n += 1) {
      const one = github.issue({ title: `Issue ${n}` });
      if (n % 2 === 0) for (let c = 0; c < 4; c += 1) github.say(one, `comment ${c}`);
      github.later(1);
    }
    const provider = await github.open({ filter: { labels: [], assignee: null, state: 'open' } });
    const { items } = await listAll(provider, null);
    expect(provider.usage().requests).toBeLessThanOrEqual(10 + 20 + 2);
    expect(items).toHaveLength(1_000);
    expect(items.every(({ comments }) => comments.complete)).toBe(true);
    expect(items.reduce((sum, { comments }) => sum + comments.items.length, 0)).toBe(2_000);
  });

  it('asks for single issues when few of many comments are wanted', async () => {
    for (let n = 0; n < 100; n += 1)
      for (let c = 0; c < 4; c += 1) github.say(github.repo.issues[n] ?? github.issue(), 'noise');
    const wanted = github.issue({ labels: ['agent'] });
    github.say(wanted, 'to the point');
    github.later();
    const provider = await github.open({ filter: { labels: ['agent'], assignee: null, state: 'open' } });
    const { items } = await listAll(provider, null);
    expect(items.map(({ comments }) => comments.items.map(({ body }) => body))).toEqual([['to the point']]);
    expect(github.asked().filter((path) => path.endsWith('/issues/comments'))).toHaveLength(1);
    expect(github.asked()).toContain(`GET /repos/${SOURCE}/issues/${wanted.number}/comments`);
  });

  it('misses no comment that a deletion pushed over the edge of a page', async () => {
    for (let n = 0; n < 230; n += 1) github.say(github.repo.issues[n] ?? github.issue(), `on ${n}`);
    const provider = await createGithubFactory(TEST_PACE).open(
      githubSource(github.proxy.url),
      effectsWith({ GITHUB_TOKEN: 'good-token' }),
    );
    const isSecond = ({ path }: { path: string }) =>
      path.includes('/issues/comments') && path.includes('page=2');
    github.proxy.once(
      {
        kind: 'before',
        run: () => deleteComment(github.repo.issues[50]!, github.repo.issues[50]!.comments[0]!),
      },
      isSecond,
    );
    const { items } = await listAll(provider, null);
    expect(github.proxy.waiting()).toBe(0);
    const missing = items.filter(({ comments }) => comments.items.length === 0).map(({ ref }) => ref);
    expect(missing.filter((ref) => ref !== `${SOURCE}#51`)).toEqual([]);
    expect(github.asked().some((path) => /issues\/\d+\/comments$/.test(path))).toBe(true);
  });

  it('loses no issue that moves while a server counts pages', async () => {
    const github = await startCounting();
    for (let n = 0; n < 250; n += 1) {
      github.issue({ title: `Issue ${n}` });
      github.later(1);
    }
    const provider = await github.open();
    const seen = new Set<string>();
    let cursor: string | null = null;
    for await (const page of provider.list(null, signal)) {
      for (const { ref } of page.items) seen.add(ref);
      // Everything after it moves one place forward.
      editIssue(github.server.state, github.repo.issues[seen.size % 90]!, { title: 'Moved' });
      github.later(1);
      cursor = page.next;
    }
    expect(seen.size).toBe(250);
    const titles = new Map((await listAll(provider, cursor)).items.map(({ ref, title }) => [ref, title]));
    for (const { number, title } of github.repo.issues) {
      if (title === 'Moved') expect(titles.get(`${SOURCE}#${number}`)).toBe('Moved');
    }
  });

  it('passes more than a page of one second where a server counts pages', async () => {
    const github = await startCounting();
    for (let n = 0; n < 320; n += 1) github.issue();
    const { items } = await listAll(await github.open(), null);
    expect(new Set(items.map(({ ref }) => ref)).size).toBe(320);
    expect(items).toHaveLength(320);
  });

  it('catches up with more changes than a page holds, with their comments', async () => {
    for (let n = 0; n < 150; n += 1) github.issue();
    const provider = await github.open();
    const { next } = await listAll(provider, null);
    github.later();
    for (const one of github.repo.issues) github.say(one, `on ${one.number}`);
    const { items, pages } = await listAll(provider, next);
    expect(pages).toBe(2);
    expect(items).toHaveLength(150);
    expect(items.every(({ comments }) => comments.complete && comments.items.length === 1)).toBe(true);
  });

  it('takes up a catching-up that was cut off, with the comments of the rest', async () => {
    for (let n = 0; n < 150; n += 1) github.say(github.issue(), 'old');
    const { next } = await listAll(await github.open(), null);
    github.later();
    for (const one of github.repo.issues) github.say(one, 'new');
    github.later();
    let cut = next;
    for await (const page of (await github.open()).list(next, signal)) {
      cut = page.next;
      break;
    }
    const rest = await listAll(await github.open(), cut);
    expect(rest.items).toHaveLength(50);
    expect(rest.items.every(({ comments }) => comments.items.some(({ body }) => body === 'new'))).toBe(true);
    expect((await listAll(await github.open(), rest.next)).items).toEqual([]);
  });

  it('shows an edit of a comment though its issue did not change, and none of a pull request', async () => {
    const [one, pull] = [github.issue(), github.issue({ pull: { mergedAt: null } })];
    const [old, other] = [github.say(one, 'before'), github.say(pull, 'before')];
    const provider = await github.open();
    const { next } = await listAll(provider, null);
    github.later();
    editComment(github.server.state, old, 'after');
    editComment(github.server.state, other, 'after');
    const { items } = await listAll(provider, next);
    expect(items.map(({ ref, comments }) => [ref, comments.items.map(({ body }) => body)])).toEqual([
      [`${SOURCE}#1`, ['after']],
    ]);
  });

  it('leaves pull requests out unless they are asked for', async () => {
    github.issue({ pull: { mergedAt: null } });
    const merged = github.issue({ pull: { mergedAt: github.server.state.nowMs } });
    closeIssue(github.server.state, merged);
    expect((await listAll(await github.open(), null)).items).toEqual([]);
    const { items } = await listAll(await github.open({ options: { pull_requests: true } }), null);
    expect(items.map(({ state, status }) => [state, status]).sort()).toEqual([
      ['merged', 'done'],
      ['open', 'todo'],
    ]);
  });

  it('finds a label with a comma, which the server can not be asked for', async () => {
    github.issue({ labels: ['a, b: [c]'] });
    github.issue({ labels: ['a'] });
    for (let n = 0; n < 100; n += 1) github.issue();
    const filter = { labels: ['a, b: [c]'], assignee: null, state: 'open' } as const;
    const { items } = await listAll(await github.open({ filter }), null);
    expect(items.map(({ ref }) => ref)).toEqual([`${SOURCE}#1`]);
  });

  it('starts afresh for another filter, and asks who it is again for another token', async () => {
    github.issue();
    const { next } = await listAll(await github.open(), null);
    const narrow = await github.open({ filter: { labels: ['x'], assignee: null, state: 'all' } });
    expect((await listAll(narrow, next)).items).toEqual([]);
    github.server.state.tokens.set('second', { login: 'me', access: 'write' });
    const from = github.server.served.length;
    expect((await listAll(await github.open({}, 'second'), next)).items).toHaveLength(1);
    expect(github.asked(from)).toContain('GET /user');
  });

  it('asks only for the fields wanted', async () => {
    const one = github.issue({ labels: ['x'], body: 'words' });
    github.say(one, 'hello');
    const provider = await github.open({ fields: ['title', 'status'] });
    const [task] = (await listAll(provider, null)).items;
    expect(task).toMatchObject({ title: 'An issue', body: '', labels: [], commentCount: null });
    expect(task!.silent).toEqual(
      expect.arrayContaining(['body', 'labels', 'assignees', 'comments', 'parent', 'blocked_by']),
    );
    expect(provider.comment).toBeUndefined();
    expect(github.asked().some((path) => path.includes('comments'))).toBe(false);
  });
});
