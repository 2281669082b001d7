// Servers whose pages never end: a listing stops with what it saw.
import { afterEach, expect, onTestFinished, test } from 'vitest';
import { createNodeEffects } from '../../src/node.ts';
import { createGithubFactory } from '../../src/providers/github/github.ts';
import { linearFactory } from '../../src/providers/linear/linear.ts';
import type { Provider } from '../../src/providers/provider.ts';
import { openIssue, sayComment } from '../support/github-server/people.ts';
import { type GithubServer, startGithubServer } from '../support/github-server/server.ts';
import { addRepo } from '../support/github-server/state.ts';
import { createLinearServer } from '../support/linear-server/server.ts';
import { githubSource, TEST_PACE } from './github/harness.ts';
import { sourceOn } from './linear/harness.ts';

let server: GithubServer | null = null;
afterEach(async () => {
  await server?.close();
  server = null;
});

const MOST = 30;

/** Answers as `inner` asks for them; more than `MOST` requests fail. */
function counted(inner: (input: string, init: RequestInit | undefined) => Promise<Response>): typeof fetch {
  let requests = 0;
  return (input, init) => {
    requests += 1;
    if (requests > MOST) return Promise.reject(new Error('requests without end'));
    return inner(String(input), init);
  };
}

async function countIssues(provider: Provider): Promise<number> {
  const seen = new Set<string>();
  for await (const { items } of provider.list(null, new AbortController().signal))
    for (const { uid } of items) seen.add(uid);
  return seen.size;
}

/** A server on which every listing leads on: without `since`, and with a `next` link on every page. */
async function openCircle(link: (url: URL) => string) {
  server = await startGithubServer();
  const repo = addRepo(server.state, 'acme/web');
  for (let at = 0; at < 120; at += 1) {
    server.state.nowMs += 1000;
    sayComment(server.state, openIssue(server.state, repo, { title: `Issue ${at}` }), 'words');
  }
  const circling = counted(async (input, init) => {
    const url = new URL(input);
    for (const ignored of ['since', 'after']) url.searchParams.delete(ignored);
    const answer = await fetch(url, init);
    const headers = new Headers(answer.headers);
    if (url.pathname.endsWith('/issues') || url.pathname.endsWith('/comments'))
      headers.set('link', link(url));
    return new Response(await answer.text(), { status: answer.status, headers });
  });
  const base = createNodeEffects();
  const effects = { ...base, env: { GITHUB_TOKEN: 'good-token' }, fetch: circling };
  return createGithubFactory(TEST_PACE).open(githubSource(server.url), effects);
}

for (const [what, link] of [
  ['that ignores `since`', (url: URL) => `<${url.origin}${url.pathname}?page=2>; rel="next"`],
  ['whose `next` is the page itself', (url: URL) => `<${url.href}>; rel="next"`],
  ['whose cursor repeats', (url: URL) => `<${url.origin}${url.pathname}?after=abc>; rel="next"`],
] as const)
  test(`M9: a server ${what} is read to the end of what it shows`, async () => {
    const provider = await openCircle(link);
    expect(await countIssues(provider)).toBeGreaterThan(0);
  });

/** A Linear on which what narrows a question is passed over, and every page says that there is more. */
async function openLinearCircle() {
  const linear = await createLinearServer();
  onTestFinished(() => linear.close());
  for (let at = 0; at < 120; at += 1) {
    linear.tick(1000);
    linear.person.addComment(linear.person.addIssue(), 'words');
  }
  const circling = counted(async (input, init) => {
    const asked = JSON.parse(String(init?.body)) as { variables?: Record<string, unknown> };
    if (asked.variables && 'filter' in asked.variables) asked.variables.filter = {};
    const answer = await fetch(input, { ...init, body: JSON.stringify(asked) });
    const text = (await answer.text()).replaceAll('"hasPreviousPage":false', '"hasPreviousPage":true');
    const headers = new Headers(answer.headers);
    headers.delete('content-length');
    return new Response(text, { status: answer.status, headers });
  });
  const effects = { ...createNodeEffects(), env: { LINEAR_API_KEY: 'lin_api_good' }, fetch: circling };
  return { linear, provider: await linearFactory.open(sourceOn(linear.url), effects) };
}

test('a Linear that ignores filters and always has another page is read to the end of what it shows', async () => {
  const { provider } = await openLinearCircle();
  expect(await countIssues(provider)).toBeGreaterThan(0);
});
