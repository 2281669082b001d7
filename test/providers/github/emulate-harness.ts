// GitHub for the conformance suite on `emulate`, which nobody here wrote. It lacks what a lesser server lacks: ETags,
// the list of all comments, dependencies, sub-issues.
import { createEmulator } from 'emulate';
import { createGithubFactory } from '../../../src/providers/github/github.ts';
import { withMarker } from '../../../src/providers/github/to-remote-task.ts';
import type { RemoteRef } from '../../../src/providers/provider.ts';
import type { People, PersonEdit, ProviderHarness } from '../../conformance/provider-harness.ts';
import { effectsWith, githubSource, PLAIN_FIELDS, SOURCE, TEST_PACE } from './harness.ts';

interface Said {
  number: number;
  title: string;
  body: string | null;
  id: number;
  user: { login: string };
}

const SEED = {
  tokens: {
    'good-token': { login: 'acme', scopes: ['repo'] },
    'alices-token': { login: 'alice', scopes: ['repo'] },
  },
  github: { users: [{ login: 'acme' }, { login: 'alice' }], repos: [{ owner: 'acme', name: 'web' }] },
};

function peopleOn(url: string): People {
  const issues = `/repos/${SOURCE}/issues`;
  const pathOf = (ref: RemoteRef) => `${issues}/${ref.split('#')[1]}`;

  async function call<T>(method: string, path: string, body?: unknown): Promise<T> {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { authorization: 'token alices-token', 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status}`);
    return (response.status === 204 ? null : await response.json()) as T;
  }

  async function all<T>(path: string): Promise<T[]> {
    const found: T[] = [];
    for (let page = 1; ; page += 1) {
      const items = await call<T[]>(
        'GET',
        `${path}${path.includes('?') ? '&' : '?'}per_page=100&page=${page}`,
      );
      found.push(...items);
      if (items.length < 100) return found;
    }
  }

  async function edit(ref: RemoteRef, { title, body, labels, assignees, state }: PersonEdit): Promise<void> {
    const [word, reason] = (state ?? '').split('/');
    const change = {
      ...(title === undefined ? {} : { title }),
      ...(body === undefined ? {} : { body }),
      ...(labels === undefined ? {} : { labels }),
      ...(assignees === undefined ? {} : { assignees }),
      ...(word ? { state: word } : {}),
      ...(reason ? { state_reason: reason } : {}),
    };
    await call('PATCH', pathOf(ref), change);
  }

  return {
    async createIssues(drafts) {
      const refs: RemoteRef[] = [];
      for (const { title, body, labels = [], assignees = [] } of drafts) {
        const made = await call<Said>('POST', issues, { title, body, labels, assignees });
        refs.push(`${SOURCE}#${made.number}`);
      }
      return refs;
    },
    editIssue: edit,
    async look(ref) {
      const { title, body } = await call<Said>('GET', pathOf(ref));
      const comments = await all<Said>(`${pathOf(ref)}/comments`);
      return {
        title,
        body: body ?? '',
        comments: comments.map((one) => ({
          id: String(one.id),
          author: one.user.login,
          body: one.body ?? '',
        })),
      };
    },
    async titles() {
      const found = await all<Said>(`${issues}?state=all&sort=created&direction=asc`);
      return found.map(({ title }) => title);
    },
    async addComments(ref, bodies) {
      const ids: string[] = [];
      for (const body of bodies) {
        ids.push(String((await call<Said>('POST', `${pathOf(ref)}/comments`, { body })).id));
      }
      return ids;
    },
    editComment: async (_ref, id, body) => call('PATCH', `${issues}/comments/${id}`, { body }),
    deleteComment: async (_ref, id) => call('DELETE', `${issues}/comments/${id}`),
  };
}

export async function openEmulateHarness(): Promise<ProviderHarness> {
  const emulator = await createEmulator({ service: 'github', port: 0, seed: SEED });
  return {
    factory: createGithubFactory(TEST_PACE),
    config: (change) => githubSource(emulator.url, { fields: [...PLAIN_FIELDS], ...change }),
    effects: effectsWith({ GITHUB_TOKEN: 'good-token' }),
    people: peopleOn(emulator.url),
    fields: PLAIN_FIELDS,
    states: [
      { name: 'open', status: 'todo' },
      { name: 'closed/completed', status: 'done' },
      { name: 'closed/not_planned', status: 'canceled' },
    ],
    account: 'acme',
    absentRef: `${SOURCE}#4096`,
    noCredentials: effectsWith({}),
    forgedMarker: (key) => withMarker('', key),
    close: () => emulator.close(),
  };
}
