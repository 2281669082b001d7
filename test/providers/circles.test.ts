// Servers whose pages never end: a listing stops with what it saw.
import { afterEach, expect, test } from 'vitest';
import { createNodeEffects } from '../../src/node.ts';
import { createGithubFactory } from '../../src/providers/github/github.ts';
import { openIssue, sayComment } from '../support/github-server/people.ts';
import { type GithubServer, startGithubServer } from '../support/github-server/server.ts';
import { addRepo } from '../support/github-server/state.ts';
import { TEST_PACE } from './github/harness.ts';

let server: GithubServer | null = null;
afterEach(async () => {
  await server?.close();
  server = null;
});

const MOST = 30;

/** A server on which every listing leads on: without `since`, and with a `next` link on every page. */
async function openCircle(link: (url: URL) => string) {
  server = await startGithubServer();
  const repo = addRepo(server.state, 'acme/web');
  for (let at = 0; at < 120; at += 1) {
    server.state.nowMs += 1000;
    sayComment(server.state, openIssue(server.state, repo, { title: `Issue ${at}` }), 'words');
  }
  let requests = 0;
  const circling: typeof fetch = async (input, init) => {
    requests += 1;
    if (requests > MOST) throw new Error('requests without end');
    const url = new URL(String(input));
    for (const ignored of ['since', 'after']) url.searchParams.delete(ignored);
    const answer = await fetch(url, init);
    const headers = new Headers(answer.headers);
    if (url.pathname.endsWith('/issues') || url.pathname.endsWith('/comments'))
      headers.set('link', link(url));
    return new Response(await answer.text(), { status: answer.status, headers });
  };
  const base = createNodeEffects();
  const effects = { ...base, env: { GITHUB_TOKEN: 'good-token' }, fetch: circling };
  const filter = { labels: [], assignee: null, state: 'all' } as const;
  const source = { source: 'acme/web', filter, url: server.url, fields: null, options: {} };
  return createGithubFactory(TEST_PACE).open(source, effects);
}

for (const [what, link] of [
  ['that ignores `since`', (url: URL) => `<${url.origin}${url.pathname}?page=2>; rel="next"`],
  ['whose `next` is the page itself', (url: URL) => `<${url.href}>; rel="next"`],
  ['whose cursor repeats', (url: URL) => `<${url.origin}${url.pathname}?after=abc>; rel="next"`],
] as const)
  test(`M9: a server ${what} is read to the end of what it shows`, async () => {
    const provider = await openCircle(link);
    const seen = new Set<string>();
    for await (const { items } of provider.list(null, new AbortController().signal))
      for (const { uid } of items) seen.add(uid);
    expect(seen.size).toBeGreaterThan(0);
  });
