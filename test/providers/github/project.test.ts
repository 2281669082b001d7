// Cards of a project as the provider reads them, beside issues that change themselves.
import { describe, expect, test } from 'vitest';
import { githubFactory } from '../../../src/providers/github/github.ts';
import type { Cursor, Page, Provider } from '../../../src/providers/provider.ts';
import { listAll } from '../../conformance/provider-harness.ts';
import { forEachTest } from '../../support/for-each-test.ts';
import { editIssue, renameRepo } from '../../support/github-server/people.ts';
import { addProject, setField } from '../../support/github-server/projects.ts';
import type { StoredIssue } from '../../support/github-server/state.ts';
import { githubSource, PROJECT, SOURCE, startGithub } from './harness.ts';

const { signal } = new AbortController();
const { options } = PROJECT;
const github = forEachTest(() => startGithub());
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
