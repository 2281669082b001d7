import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { schemaFaults } from './github-schema.ts';
import {
  closeIssue,
  convertToDiscussion,
  deleteIssue,
  editIssue,
  openIssue,
  renameRepo,
  sayComment,
  transferIssue,
} from './github-server/people.ts';
import { type GithubServer, startGithubServer } from './github-server/server.ts';
import { addRepo, type StoredRepo } from './github-server/state.ts';

let server: GithubServer;
let repo: StoredRepo;
beforeEach(async () => {
  server = await startGithubServer();
  repo = addRepo(server.state, 'acme/web');
});
afterEach(async () => {
  const faults = server.served
    .filter(({ route }) => route !== '')
    .flatMap(({ route, status, body }) => schemaFaults(route, status, body));
  await server.close();
  expect(faults).toEqual([]);
});

interface Got {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: an answer is looked at freely here
  body: any;
}

async function call(what: string, body?: unknown, headers: Record<string, string> = {}): Promise<Got> {
  const [method, path] = what.split(' ') as [string, string];
  const response = await fetch(path.startsWith('http') ? path : `${server.url}/repos/acme/web${path}`, {
    method,
    headers: { authorization: 'token good-token', ...headers },
    redirect: 'manual',
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === '' ? null : JSON.parse(text) };
}

const numbers = (got: Got): number[] => got.body.map(({ number }: { number: number }) => number);
const later = (seconds = 60) => {
  server.state.nowMs += seconds * 1_000;
};

function nextOf(got: Got): string | null {
  return /<([^>]+)>; rel="next"/.exec(got.headers.get('link') ?? '')?.[1] ?? null;
}

describe('the GitHub-shaped server', () => {
  it('refuses a bad token and one that is missing', async () => {
    const bad = await call('GET /issues', undefined, { authorization: 'Bearer wrong' });
    expect([bad.status, bad.body.message]).toEqual([401, 'Bad credentials']);
    expect((await call('GET /issues', undefined, { authorization: '' })).status).toBe(401);
  });

  it('says whose the token is, and shows the repository', async () => {
    expect((await call(`GET ${server.url}/user`)).body.login).toBe('me');
    expect((await call('GET ')).body.full_name).toBe('acme/web');
  });

  it('creates, reads, changes and closes an issue', async () => {
    const made = await call('POST /issues', {
      title: ' A  b\n',
      body: 'words',
      labels: ['bug'],
      assignees: ['me', 'x'],
    });
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({ number: 1, title: 'A b', state_reason: null, comments: 0 });
    expect(made.body.assignees.map(({ login }: { login: string }) => login)).toEqual(['me']);
    later(90.7);
    const done = await call('PATCH /issues/1', { state: 'closed', state_reason: 'not_planned' });
    expect(done.body).toMatchObject({ state: 'closed', state_reason: 'not_planned' });
    expect(done.body.closed_at).toBe('2026-11-20T10:01:30Z');
    const again = await call('PATCH /issues/1', { state: 'closed', state_reason: 'completed' });
    expect(again.body.state_reason).toBe('not_planned');
    expect((await call('PATCH /issues/1', { state: 'open' })).body.state_reason).toBe('reopened');
  });

  it('knows its limits of length', async () => {
    expect((await call('POST /issues', { title: 'x'.repeat(257) })).status).toBe(422);
    expect((await call('POST /issues', { title: ' ' })).status).toBe(422);
    expect((await call('POST /issues', { title: 'x', body: 'y'.repeat(65_537) })).status).toBe(422);
    expect((await call('POST /issues', { title: 'x'.repeat(256), body: '👍'.repeat(65_536) })).status).toBe(
      201,
    );
    expect((await call('POST /issues/1/comments', { body: 'y'.repeat(65_537) })).status).toBe(422);
    expect((await call('POST /issues/1/comments', { body: ' \n' })).status).toBe(422);
  });

  it('lists by state, labels, assignee, creator and time', async () => {
    const [one, two] = [{ labels: ['agent', 'b'] }, { labels: ['Agent'], assignees: ['me'], user: 'bob' }];
    openIssue(server.state, repo, one);
    openIssue(server.state, repo, two);
    const third = openIssue(server.state, repo, { pull: { mergedAt: null } });
    later();
    closeIssue(server.state, third);
    expect(numbers(await call('GET /issues'))).toEqual([2, 1]);
    expect(numbers(await call('GET /issues?state=all&sort=created&direction=asc'))).toEqual([1, 2, 3]);
    expect(numbers(await call('GET /issues?labels=agent'))).toEqual([2, 1]);
    expect(numbers(await call('GET /issues?labels=agent,b'))).toEqual([1]);
    expect(numbers(await call('GET /issues?assignee=me'))).toEqual([2]);
    expect(numbers(await call('GET /issues?assignee=none'))).toEqual([1]);
    expect(numbers(await call('GET /issues?creator=bob'))).toEqual([2]);
    expect(numbers(await call('GET /issues?state=all&since=2026-11-20T10:01:00Z'))).toEqual([3]);
    expect((await call('GET /issues?since=yesterday')).status).toBe(422);
  });

  it('pages issues by a cursor that stays right while items move', async () => {
    for (let n = 0; n < 5; n += 1) openIssue(server.state, repo);
    const query = 'per_page=2&state=all&sort=updated&direction=asc';
    const first = await call(`GET /issues?${query}`);
    later();
    editIssue(server.state, repo.issues[0]!, { title: 'Moved' });
    const second = await call(`GET ${nextOf(first)}`);
    const third = await call(`GET ${nextOf(second)}`);
    expect([first, second, third].map(numbers)).toEqual([
      [1, 2],
      [3, 4],
      [5, 1],
    ]);
    expect(nextOf(third)).toBeNull();
    expect(first.headers.get('link')).not.toContain('rel="last"');
    expect((await call('GET /issues?per_page=100&page=101')).status).toBe(422);
  });

  it('pages by number where it has no cursors, and an item slips through', async () => {
    server.state.features.cursorLinks = false;
    for (let n = 0; n < 5; n += 1) openIssue(server.state, repo);
    const query = 'per_page=2&state=all&sort=updated&direction=asc';
    const first = await call(`GET /issues?${query}`);
    expect(first.headers.get('link')).toContain('page=3>; rel="last"');
    later();
    editIssue(server.state, repo.issues[0]!, { title: 'Moved' });
    expect(numbers(await call(`GET ${nextOf(first)}`))).toEqual([4, 5]);
  });

  it('answers 304 for what did not change, free of budget, and anew for another token', async () => {
    openIssue(server.state, repo);
    server.state.tokens.set('other', { login: 'me', access: 'read' });
    const first = await call('GET /issues');
    const etag = first.headers.get('etag')!;
    const left = server.state.rate.remaining;
    expect((await call('GET /issues', undefined, { 'if-none-match': etag })).status).toBe(304);
    expect(server.state.rate.remaining).toBe(left);
    const other = { authorization: 'token other', 'if-none-match': etag };
    expect((await call('GET /issues', undefined, other)).status).toBe(200);
    sayComment(server.state, repo.issues[0]!, 'hi');
    expect((await call('GET /issues', undefined, { 'if-none-match': etag })).status).toBe(200);
  });

  it('counts down a budget, refuses when it is spent, and renews it', async () => {
    server.state.rate.remaining = 1;
    expect((await call('GET /issues')).headers.get('x-ratelimit-remaining')).toBe('0');
    const spent = await call('GET /issues');
    expect([spent.status, spent.headers.get('x-ratelimit-reset')]).toEqual([403, '1795172400']);
    later(3_600);
    expect((await call('GET /issues')).headers.get('x-ratelimit-remaining')).toBe('4999');
  });

  it('has secondary limits and 429', async () => {
    server.state.refusals.push('secondary', 'too_many');
    const secondary = await call('GET /issues');
    expect([secondary.status, secondary.headers.get('retry-after')]).toEqual([403, '60']);
    expect(secondary.body.message).toMatch(/secondary rate limit/);
    expect((await call('GET /issues')).status).toBe(429);
    expect((await call('GET /issues')).status).toBe(200);
  });

  it('has comments of an issue and of the repository', async () => {
    openIssue(server.state, repo);
    openIssue(server.state, repo);
    const { body } = await call('POST /issues/1/comments', { body: 'one' });
    later();
    sayComment(server.state, repo.issues[1]!, 'two');
    later();
    await call(`PATCH /issues/comments/${body.id}`, { body: 'one, edited' });
    const words = (got: Got) => got.body.map((comment: { body: string }) => comment.body);
    expect(words(await call('GET /issues/comments?sort=updated&direction=desc'))).toEqual([
      'one, edited',
      'two',
    ]);
    expect(words(await call('GET /issues/comments?since=2026-11-20T10:02:00Z'))).toEqual(['one, edited']);
    expect(words(await call('GET /issues/2/comments?since=2026-11-20T10:02:00Z'))).toEqual([]);
    expect((await call(`DELETE /issues/comments/${body.id}`)).status).toBe(204);
    expect((await call(`GET /issues/comments/${body.id}`)).status).toBe(404);
    server.state.features.repoComments = false;
    expect((await call('GET /issues/comments')).status).toBe(404);
  });

  it('changes labels and assignees, and lists milestones', async () => {
    openIssue(server.state, repo, { labels: ['a, b: [c]'], milestone: 1 });
    repo.milestones.push({ id: 7, number: 1, title: 'v1', state: 'open', createdAt: server.state.nowMs });
    await call('POST /issues/1/labels', { labels: ['new'] });
    expect((await call('GET /issues/1/labels')).body).toHaveLength(2);
    expect((await call(`DELETE /issues/1/labels/${encodeURIComponent('a, b: [c]')}`)).body).toHaveLength(1);
    expect((await call('DELETE /issues/1/labels/absent')).status).toBe(404);
    expect(
      (await call('POST /issues/1/assignees', { assignees: ['me', 'stranger'] })).body.assignees,
    ).toHaveLength(1);
    expect((await call('DELETE /issues/1/assignees', { assignees: ['me'] })).body.assignees).toHaveLength(0);
    expect((await call('GET /issues/1')).body.milestone.title).toBe('v1');
    expect((await call('GET /milestones')).body).toHaveLength(1);
  });

  it('locks out those who may only comment', async () => {
    server.state.tokens.set('stranger', { login: 'bob', access: 'comment' });
    server.state.tokens.set('reader', { login: 'bob', access: 'read' });
    openIssue(server.state, repo, { user: 'bob' });
    const as = (token: string) => ({ authorization: `token ${token}` });
    const speak = (token: string) => call('POST /issues/1/comments', { body: 'x' }, as(token));
    expect((await speak('stranger')).status).toBe(201);
    expect((await speak('reader')).status).toBe(403);
    expect((await call('PUT /issues/1/lock')).status).toBe(204);
    expect((await speak('stranger')).status).toBe(403);
    expect((await speak('good-token')).status).toBe(201);
    expect((await call('DELETE /issues/1/lock')).status).toBe(204);
    const labelled = await call('POST /issues', { title: 't', labels: ['bug'] }, as('stranger'));
    expect(labelled.body.labels).toEqual([]);
  });

  it('sends on to where an issue was transferred, and says when one is gone', async () => {
    const api = addRepo(server.state, 'acme/api');
    const [moved, deleted, talked] = [1, 2, 3].map(() => openIssue(server.state, repo));
    sayComment(server.state, moved!, 'kept');
    transferIssue(server.state, repo, moved!, api);
    deleteIssue(server.state, deleted!);
    convertToDiscussion(server.state, talked!);
    const redirect = await call('GET /issues/1');
    expect(redirect.status).toBe(301);
    const there = await call(`GET ${redirect.headers.get('location')}`);
    expect([there.body.repository_url, there.body.comments]).toEqual([`${server.url}/repos/acme/api`, 1]);
    expect([(await call('GET /issues/2')).status, (await call('GET /issues/3')).status]).toEqual([410, 410]);
    expect(numbers(await call('GET /issues?state=all'))).toEqual([]);
    renameRepo(server.state, repo, 'acme/site');
    const renamed = await call('GET /issues?state=all');
    expect(renamed.status).toBe(301);
    expect((await call(`GET ${renamed.headers.get('location')}`)).status).toBe(200);
    expect((await call('POST /issues', { title: 't' })).status).toBe(307);
  });

  it('has dependencies and sub-issues', async () => {
    const [a, b, c] = [1, 2, 3].map(() => openIssue(server.state, repo));
    await call('POST /issues/1/dependencies/blocked_by', { issue_id: b!.id });
    expect((await call('POST /issues/1/dependencies/blocked_by', { issue_id: b!.id })).status).toBe(422);
    await call('POST /issues/3/sub_issues', { sub_issue_id: a!.id });
    const shown = (await call('GET /issues/1')).body;
    expect(shown.issue_dependencies_summary).toMatchObject({ blocked_by: 1, total_blocked_by: 1 });
    expect(shown.parent_issue_url).toBe(`${server.url}/repos/acme/web/issues/3`);
    expect(numbers(await call('GET /issues/1/dependencies/blocked_by'))).toEqual([2]);
    expect(numbers(await call('GET /issues/3/sub_issues'))).toEqual([1]);
    expect((await call('GET /issues/1/parent')).body.number).toBe(c!.number);
    expect((await call('GET /issues/3')).body.sub_issues_summary.total).toBe(1);
    await call(`DELETE /issues/1/dependencies/blocked_by/${b!.id}`);
    await call('DELETE /issues/3/sub_issue', { sub_issue_id: a!.id });
    expect((await call('GET /issues/1/parent')).status).toBe(404);
    server.state.features.dependencies = false;
    server.state.features.subIssues = false;
    expect((await call('GET /issues/1/dependencies/blocked_by')).status).toBe(404);
    expect((await call('GET /issues/1')).body.sub_issues_summary).toBeUndefined();
  });

  it('is held against GitHub’s description by a check that fails', () => {
    const route = 'GET /repos/{owner}/{repo}/issues/{issue_number}';
    expect(schemaFaults(route, 200, { number: 'x' })).not.toEqual([]);
    expect(schemaFaults(route, 418, {})).toEqual([`${route} never answers 418`]);
    expect(schemaFaults('GET /nowhere', 200, {})).toHaveLength(1);
    expect(
      schemaFaults('GET /repos/{owner}/{repo}/labels', 200, [{ color: '', default: true, own: 1 }]),
    ).not.toEqual([]);
  });
});
