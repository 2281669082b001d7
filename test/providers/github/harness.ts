// GitHub for tests: the strict server of this process as the conformance suite wants it, and with the fault proxy before
// it for the provider's own.
import type { Effects } from '../../../src/effects.ts';
import { createNodeEffects } from '../../../src/node.ts';
import { createGithubFactory } from '../../../src/providers/github/github.ts';
import { withMarker } from '../../../src/providers/github/to-remote-task.ts';
import type { Provider, SourceConfig } from '../../../src/providers/provider.ts';
import type { People, PersonEdit, ProviderHarness } from '../../conformance/provider-harness.ts';
import { startFaultProxy } from '../../support/fault-proxy.ts';
import { schemaFaults } from '../../support/github-schema.ts';
import {
  closeIssue,
  deleteComment,
  deleteIssue,
  editComment,
  editIssue,
  openIssue,
  reopenIssue,
  sayComment,
  touch,
  transferIssue,
  useLabel,
} from '../../support/github-server/people.ts';
import { addProject, setField } from '../../support/github-server/projects.ts';
import { type GithubServer, startGithubServer } from '../../support/github-server/server.ts';
import {
  addRepo,
  type Features,
  type StateReason,
  type StoredComment,
  type StoredIssue,
  type StoredProject,
  type StoredRepo,
} from '../../support/github-server/state.ts';
import { sourceConfig } from '../../support/mirror-config.ts';

export const SOURCE = 'acme/web';
/** Those every server has. */
export const PLAIN_FIELDS = ['title', 'body', 'status', 'labels', 'assignees', 'comments'] as const;

/** No pacing and quick retries: GitHub's own pace is not what is tested. */
export const TEST_PACE = { paced: false, retryBaseMs: 1 } as const;

/** The process's effects with nothing but this in its environment. */
export const effectsWith = (env: Record<string, string>): Effects => ({ ...createNodeEffects({}), env });

export function githubSource(url: string, change: Partial<SourceConfig> = {}): SourceConfig {
  return sourceConfig(SOURCE, { url, ...change });
}

export type GithubSetup = Awaited<ReturnType<typeof startGithub>>;

export type GithubPlace = { server: GithubServer; repo: StoredRepo; project?: StoredProject };

/** What a chore says of a project, and the columns that are there. */
export const PROJECT = {
  columns: ['Todo', 'In progress', 'Blocked', 'Done'],
  options: { project: 'Acme/4', project_statuses: { todo: 'Todo', doing: ' in progress', done: 'Done' } },
};

async function startServer(features: Partial<Features>): Promise<GithubPlace> {
  const server = await startGithubServer(features);
  const repo = addRepo(server.state, SOURCE);
  repo.people.set('alice', 'MEMBER');
  return { server, repo };
}

/** The strict server with `acme/web` on it, the fault proxy before it, and what people there do. */
export async function startGithub(features: Partial<Features> = {}) {
  const { server, repo } = await startServer(features);
  const proxy = await startFaultProxy(server.url);
  return {
    server,
    proxy,
    repo,
    /** A provider of the server itself, past the proxy. */
    open: (change?: Partial<SourceConfig>, token = 'good-token'): Promise<Provider> =>
      createGithubFactory(TEST_PACE).open(
        githubSource(server.url, change),
        effectsWith({ GITHUB_TOKEN: token }),
      ),
    issue: (words?: Parameters<typeof openIssue>[2]): StoredIssue => openIssue(server.state, repo, words),
    say: (issue: StoredIssue, body: string): StoredComment => sayComment(server.state, issue, body),
    /** The server's time goes on. */
    later(seconds = 120): void {
      server.state.nowMs += seconds * 1_000;
    },
    /** Methods and paths, without queries, that the server was asked from that request on. */
    asked: (from = 0): string[] =>
      server.served.slice(from).map(({ method, path }) => `${method} ${path.split('?')[0]}`),
    async close(): Promise<void> {
      await proxy.close();
      await server.close();
    },
  };
}

const refOf = (issue: StoredIssue) => `${SOURCE}#${issue.number}`;

export function githubPeople({ server, repo, project }: GithubPlace): People {
  const { state } = server;
  const find = (ref: string) => {
    const issue = repo.issues.find((one) => refOf(one) === ref && one.gone === null);
    if (!issue) throw new Error(`${ref} is not there`);
    return issue;
  };
  const comment = (ref: string, id: string) => find(ref).comments.find((one) => String(one.id) === id)!;

  function edit(issue: StoredIssue, words: PersonEdit): void {
    const { title, body, labels, assignees, state: name, parent, blockedBy } = words;
    if (title?.trim() === '' || (title ?? '').length > 256) throw new Error('GitHub takes no such title');
    editIssue(state, issue, {
      ...(title === undefined ? {} : { title: title.replace(/\s+/g, ' ') }),
      ...(body === undefined ? {} : { body }),
      ...(labels === undefined ? {} : { labels: labels.map((label) => useLabel(state, repo, label)) }),
      ...(assignees === undefined ? {} : { assignees: [...assignees] }),
    });
    const [word, reason] = (name ?? '').split('/');
    if (word !== '' && word !== 'closed' && issue.state === 'closed') reopenIssue(state, issue);
    if (word === 'closed') closeIssue(state, issue, reason as StateReason);
    if (project && name !== undefined && word !== 'closed')
      setField(state, project, issue, 'Status', word === 'open' ? null : name);
    if (parent !== undefined) issue.parent = parent === null ? null : find(parent).id;
    if (blockedBy !== undefined) issue.blockedBy = blockedBy.map((ref) => find(ref).id);
  }

  return {
    async createIssues(drafts) {
      return drafts.map((draft) => {
        if (draft.title.trim() === '' || draft.title.length > 256)
          throw new Error('GitHub takes no such title');
        const issue = openIssue(state, repo, { user: 'alice' });
        edit(issue, draft);
        return refOf(issue);
      });
    },
    editIssue: async (ref, words) => edit(find(ref), words),
    async look(ref) {
      const issue = repo.issues.find((one) => refOf(one) === ref && one.gone === null);
      if (!issue) return null;
      const comments = issue.comments.map(({ id, user, body }) => ({ id: String(id), author: user, body }));
      return { title: issue.title, body: issue.body ?? '', comments };
    },
    titles: async () => repo.issues.filter(({ gone }) => gone === null).map(({ title }) => title),
    deleteIssue: async (ref) => deleteIssue(state, find(ref)),
    async transferIssue(ref) {
      const other = state.repos.get('acme/api') ?? addRepo(state, 'acme/api');
      transferIssue(state, repo, find(ref), other);
    },
    async lockIssue(ref) {
      find(ref).locked = true;
      touch(state, find(ref));
      state.tokens.set('good-token', { login: 'me', access: 'comment' });
    },
    addComments: async (ref, bodies) => bodies.map((body) => String(sayComment(state, find(ref), body).id)),
    editComment: async (ref, id, body) => editComment(state, comment(ref, id), body),
    deleteComment: async (ref, id) => deleteComment(find(ref), comment(ref, id)),
  };
}

/** @param withProject its issues may have cards in a project */
export async function openStrictHarness(
  features: Partial<Features> = {},
  withProject = false,
): Promise<ProviderHarness> {
  const rig: GithubPlace = await startServer(features);
  const { server } = rig;
  if (withProject) rig.project = addProject(server.state, 'acme/4', PROJECT.columns);
  const options = withProject ? PROJECT.options : {};
  const relations = [
    ...(features.subIssues === false ? [] : (['parent'] as const)),
    ...(features.dependencies === false ? [] : (['blocked_by'] as const)),
  ];
  return {
    factory: createGithubFactory(TEST_PACE),
    config: (change) =>
      githubSource(server.url, { fields: relations.length < 2 ? PLAIN_FIELDS : null, options, ...change }),
    effects: effectsWith({ GITHUB_TOKEN: 'good-token' }),
    people: githubPeople(rig),
    fields: [...PLAIN_FIELDS, ...relations],
    states: [
      { name: 'open', status: 'todo' },
      ...(withProject
        ? ([
            { name: 'In progress', status: 'doing' },
            { name: 'Todo', status: 'todo' },
          ] as const)
        : []),
      { name: 'closed/completed', status: 'done' },
      { name: 'closed/not_planned', status: 'canceled' },
      { name: 'closed/duplicate', status: 'canceled' },
    ],
    account: 'me',
    absentRef: `${SOURCE}#4096`,
    async tick() {
      server.state.nowMs += 120_000;
    },
    badCredentials: effectsWith({ GITHUB_TOKEN: 'bad-token' }),
    noCredentials: effectsWith({}),
    forgedMarker: (key) => withMarker('', key),
    loseNextAnswer() {
      server.state.lostAnswers += 1;
    },
    async close() {
      await server.close();
      // Each answer that the suite got is one that GitHub could give.
      const faults = server.served.flatMap(({ route, status, body }) => {
        // The schema of GraphQL holds its answers itself; an error without a type is about the query.
        const { errors = [] } = (body ?? {}) as { errors?: { type?: string; message: string }[] };
        if (route === 'POST /graphql')
          return errors.filter(({ type }) => !type).map(({ message }) => message);
        return route === '' ? [] : schemaFaults(route, status, body);
      });
      if (faults.length > 0) throw new Error(faults.join('\n'));
    },
  };
}
