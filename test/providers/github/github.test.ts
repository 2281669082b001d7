import { describe, expect, it, test } from 'vitest';
import { createGithubFactory, githubFactory } from '../../../src/providers/github/github.ts';
import { splitMarker, withMarker } from '../../../src/providers/github/to-remote-task.ts';
import type { Cursor, Page, Provider } from '../../../src/providers/provider.ts';
import { listAll } from '../../conformance/provider-harness.ts';
import { forEachTest } from '../../support/for-each-test.ts';
import {
  closeIssue,
  convertToDiscussion,
  editIssue,
  openIssue,
  renameRepo,
  transferIssue,
} from '../../support/github-server/people.ts';
import { addProject, setField } from '../../support/github-server/projects.ts';
import { addRepo, type StoredIssue } from '../../support/github-server/state.ts';
import { effectsWith, githubSource, PROJECT, SOURCE, startGithub, TEST_PACE } from './harness.ts';

const { signal } = new AbortController();
const github = forEachTest(() => startGithub());

describe('what an issue is', () => {
  it('spells relations as the chore does, also of a renamed repository and of others', async () => {
    const api = addRepo(github.server.state, 'acme/api');
    const elsewhere = openIssue(github.server.state, api);
    const [parent, blocker] = [github.issue(), github.issue()];
    const child = github.issue({ parent: parent.id, blockedBy: [blocker.id, elsewhere.id] });
    closeIssue(github.server.state, blocker);
    renameRepo(github.server.state, github.repo, 'acme/site');
    const ref = `Acme/Web#${child.number}`;
    const provider = await github.open({ source: 'Acme/Web' });
    const task = (await provider.get([ref], signal)).get(ref)!;
    expect(task).toMatchObject({ parent: 'Acme/Web#1' });
    expect(task.blockedBy).toEqual([
      { ref: 'Acme/Web#2', finished: true },
      { ref: 'acme/api#1', finished: false },
    ]);
    const { items } = await listAll(provider, null);
    expect(items.find((item) => item.ref === ref)).toEqual(task);
  });

  it('is gone when it was transferred or made a discussion, and the source is not', async () => {
    const [moved, talked, stays] = [github.issue(), github.issue(), github.issue()];
    const api = addRepo(github.server.state, 'acme/api');
    const provider = await github.open();
    const [expected] = (await listAll(provider, null)).items;
    openIssue(github.server.state, api);
    transferIssue(github.server.state, github.repo, moved, api);
    convertToDiscussion(github.server.state, talked);
    const refs = [moved, talked, stays].map(({ number }) => `${SOURCE}#${number}`);
    expect([...(await provider.get(refs, signal)).keys()]).toEqual([refs[2]]);
    const write = provider.write!;
    await expect(write.update(refs[0]!, { title: 'x' }, expected!, signal)).rejects.toMatchObject({
      code: 'gone',
    });
    const attempt = { key: 'aaaaaaaa', tries: 0 };
    await expect(provider.comment!.add(refs[0]!, 'x', attempt, signal)).rejects.toMatchObject({
      code: 'gone',
    });
    expect(github.server.state.repos.get('acme/api')!.issues.flatMap(({ comments }) => comments)).toEqual([]);
  });

  it('is not taken for gone when the repository can not be seen', async () => {
    const provider = await github.open({ source: 'acme/secret' });
    await expect(provider.get(['acme/secret#1'], signal)).rejects.toMatchObject({
      code: 'not_found',
      hint: expect.stringMatching(/GITHUB_TOKEN.*`repo`.*Issues: read and write/),
    });
    await expect(listAll(provider, null)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('has an author without an account, and roles', async () => {
    github.issue({ user: null });
    github.issue({ user: 'bob', association: 'CONTRIBUTOR', milestone: 1, locked: true });
    github.repo.milestones.push({ id: 9, number: 1, title: 'v1', state: 'open', createdAt: 0 });
    const { items } = await listAll(await github.open(), null);
    expect(items.map(({ author, role, milestone, locked }) => [author, role, milestone, locked])).toEqual([
      ['ghost', 'none', null, false],
      ['bob', 'contributor', 'v1', true],
    ]);
  });
});

describe('writing', () => {
  it('writes through a rename of the repository', async () => {
    const one = github.issue({ user: 'alice' });
    renameRepo(github.server.state, github.repo, 'acme/site');
    const effects = effectsWith({ GITHUB_TOKEN: 'good-token' });
    const provider = await createGithubFactory(TEST_PACE).open(githubSource(github.proxy.url), effects);
    const [task] = (await listAll(provider, null)).items;
    await provider.write!.update(task!.ref, { title: 'New', status: 'done' }, task!, signal);
    await provider.comment!.add(task!.ref, 'done', { key: 'aaaaaaaa', tries: 0 }, signal);
    expect(one).toMatchObject({ title: 'New', stateReason: 'completed' });
    const sent = github.proxy.asked.filter(
      ({ path, method }) => method !== 'GET' && path.startsWith('/repositories/'),
    );
    expect(sent.map(({ body }) => Object.keys(JSON.parse(body)))).toEqual([
      ['title'],
      ['state', 'state_reason'],
      ['body'],
    ]);
    expect(one.comments).toHaveLength(1);
  });

  it('refuses what GitHub would refuse, before asking', async () => {
    const provider = await github.open();
    const { limits } = provider.profile;
    const draft = { title: 'x', body: '', status: 'todo', labels: [], priority: null, due: null } as const;
    const attempt = { key: 'k'.repeat(40), tries: 0 };
    const longest = 'x'.repeat(limits.body);
    const from = github.server.served.length;
    await expect(
      provider.write!.create({ ...draft, body: `${longest}x` }, attempt, signal),
    ).rejects.toMatchObject({ code: 'bad_input' });
    expect(github.asked(from)).toEqual([]);
    expect((await provider.write!.create({ ...draft, body: longest }, attempt, signal)).body).toBe(longest);
  });

  it('says which scope is missing when a write is not allowed', async () => {
    github.server.state.tokens.set('reader', { login: 'bob', access: 'read' });
    github.issue({ user: 'alice' });
    const provider = await github.open({}, 'reader');
    const { items } = await listAll(provider, null).catch(() => ({ items: [] }));
    expect(items).toEqual([]);
    github.server.state.users.set('bob', { id: 5, login: 'bob', type: 'User' });
    const [task] = (await listAll(provider, null)).items;
    const late = provider.write!.update(task!.ref, { title: 'x' }, task!, signal);
    await expect(late).rejects.toMatchObject({
      code: 'refused',
      hint: expect.stringContaining('GITHUB_TOKEN'),
    });
  });

  it('takes a write that is not let through for refused, and a lost repository for that, not for gone', async () => {
    github.issue({ user: 'alice' });
    const effects = effectsWith({ GITHUB_TOKEN: 'good-token' });
    const provider = await createGithubFactory(TEST_PACE).open(githubSource(github.proxy.url), effects);
    const [task] = (await listAll(provider, null)).items;
    const hide = (_asked: unknown, answered: { status: number; body: string }) => {
      Object.assign(answered, { status: 404, body: '{"message":"Not Found"}' });
    };
    const calls = [
      () => provider.comment!.add(task!.ref, 'x', { key: 'aaaaaaaa', tries: 0 }, signal),
      () => provider.write!.update(task!.ref, { title: 'x' }, task!, signal),
    ];
    for (const call of calls) {
      const stop = github.proxy.always({ kind: 'after', run: hide }, ({ method }) => method !== 'GET');
      await expect(call()).rejects.toMatchObject({
        code: 'refused',
        hint: expect.stringContaining('`repo`'),
      });
      stop();
      const lose = github.proxy.always({ kind: 'after', run: hide });
      await expect(call()).rejects.toMatchObject({ code: 'not_found' });
      lose();
    }
  });

  it('edits only comments of its own', async () => {
    const one = github.issue();
    const foreign = github.say(one, 'theirs');
    const provider = await github.open();
    const edit = provider.comment!.edit(`${SOURCE}#1`, String(foreign.id), 'ours', signal);
    await expect(edit).rejects.toMatchObject({ code: 'refused' });
    expect(foreign.body).toBe('theirs');
  });

  it('keeps to GitHub’s pace in production', async () => {
    const one = github.issue();
    const provider = await githubFactory.open(
      githubSource(github.server.url),
      effectsWith({ GITHUB_TOKEN: 'good-token' }),
    );
    const [task] = (await listAll(provider, null)).items;
    const startedAt = performance.now();
    await provider.write!.update(task!.ref, { title: 'One' }, task!, signal);
    await provider.write!.update(task!.ref, { title: 'Two' }, { ...task!, title: 'One' }, signal);
    expect(performance.now() - startedAt).toBeGreaterThan(900);
    expect(one.title).toBe('Two');
  });
});

it('the marker comes off as it went on, whatever the body ends with', () => {
  for (const body of [
    ...['', 'x', 'x\n', 'x\n\n', '```\nopen fence', '<!-- open'],
    withMarker('y', 'forgedforged'),
  ])
    expect(splitMarker(withMarker(body, 'abcdefgh1'))).toEqual({ body, key: 'abcdefgh1' });
  expect(splitMarker(withMarker('x', 'abcdefgh').replaceAll('\n', '\r\n'))).toEqual({
    body: 'x',
    key: 'abcdefgh',
  });
  expect(splitMarker(`${withMarker('x', 'abcdefgh')}\nand more`).key).toBeNull();
  expect(splitMarker('x <!-- taskroom:short -->').key).toBeNull();
});

// Cards of a project as the provider reads them, beside issues that change themselves.
const { options } = PROJECT;
const project = forEachTest(() =>
  addProject(github.server.state, 'acme/4', PROJECT.columns, { Size: 'TEXT' }),
);

const move = (issue: StoredIssue, column: string) =>
  setField(github.server.state, project, issue, 'Status', column);

test('a card is the same by itself and in a listing, of a renamed repository and of pull requests too', async () => {
  const issue = github.issue();
  const pull = github.issue({ pull: { mergedAt: null } });
  for (const one of [issue, pull]) move(one, 'In progress');
  setField(github.server.state, project, issue, 'Size', 'M');
  renameRepo(github.server.state, github.repo, 'acme/site');
  const provider = await github.open({ options: { ...options, pull_requests: true } });
  const refs = [`${SOURCE}#1`, `${SOURCE}#2`];
  const found = await provider.get(refs, signal);
  expect([...found.values()]).toMatchObject([
    { state: 'In progress', status: 'doing', project: ['Size: M'] },
    { state: 'In progress', status: 'doing' },
  ]);
  const { items } = await listAll(provider, null);
  expect(items).toEqual([...found.values()]);
});

async function firstPage(provider: Provider, cursor: Cursor | null): Promise<Page> {
  for await (const page of provider.list(cursor, signal)) return page;
  throw new Error('a listing has a page');
}

test.each([null, 'a later one'])(
  'what moves while a listing is cut off is in one that follows: %s',
  async (which) => {
    const issues = Array.from({ length: 130 }, () => github.issue());
    move(issues[0]!, 'Todo');
    const provider = await github.open({ options });
    let cursor: Cursor | null = null;
    if (which !== null) {
      cursor = (await listAll(provider, null)).next;
      github.later();
      for (const issue of issues) editIssue(github.server.state, issue, { title: 'New' });
      move(issues[1]!, 'Todo');
    }
    const page = await firstPage(provider, cursor);
    expect(page.items[0]!.ref).toBe(`${SOURCE}#1`);
    github.later();
    move(issues[0]!, 'In progress');
    const rest = await listAll(provider, page.next);
    const then = await listAll(provider, rest.next);
    const seen = [...rest.items, ...then.items].filter(({ ref }) => ref === `${SOURCE}#1`);
    expect(seen.at(-1)).toMatchObject({ status: 'doing' });
    expect((await listAll(provider, then.next)).items).toEqual([]);
  },
);

test('a cursor stays small, however many cards move at once', async () => {
  const issues = Array.from({ length: 130 }, () => github.issue());
  const provider = await github.open({ options });
  const first = await listAll(provider, null);
  github.later();
  for (const issue of issues) move(issue, 'Done');
  const second = await listAll(provider, first.next);
  expect(second.items.map(({ status }) => status)).toEqual(issues.map(() => 'done'));
  expect(second.next!.length).toBeLessThan(1_000);
});

describe('the words of a source', () => {
  test.each([
    { project: 'acme' },
    { project: 'acme/0' },
    { project: 4 },
    { project_statuses: { todo: 'Todo' } },
    { ...options, project_statuses: { review: 'In review' } },
    { ...options, project_statuses: { todo: ' ' } },
    { type: '' },
  ])('%j is a fault', (wrong) => {
    expect(githubFactory.check(githubSource('https://x.example', { options: wrong }))).toHaveLength(1);
  });

  test('a project with columns is none', () => {
    const statuses = { review: 'doing' } as const;
    const columns = { ...options.project_statuses, review: 'In review' };
    const right = { ...options, project_statuses: columns, type: 'Bug' };
    expect(githubFactory.check(githubSource('https://x.example', { options: right, statuses }))).toEqual([]);
  });
});

test('an issue that is made has the type that the chore names', async () => {
  const draft = { title: 'One', body: '', status: 'todo', labels: [], priority: null, due: null } as const;
  const create = async (type: string) =>
    (await github.open({ options: { type } })).write!.create(draft, { key: 'aaaaaaaa', tries: 0 }, signal);
  expect(await create('Bug')).toMatchObject({ type: 'Bug' });
  await expect(create('Story')).rejects.toMatchObject({ code: 'bad_input' });
});
