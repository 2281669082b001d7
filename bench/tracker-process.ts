// The strict GitHub server in a process of its own, so that its work is not counted as ours. What it answered once it
// answers again from memory, headers and all, until somebody upstream changes something: its pages come prepared.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { editIssue, openIssue, sayComment } from '../test/support/github-server/people.ts';
import { startGithubServer } from '../test/support/github-server/server.ts';
import { addRepo } from '../test/support/github-server/state.ts';
import { createRandom } from '../test/support/random.ts';
import { paragraph, sentence } from './words.ts';

/** What the bench asks for; each is answered with `Answered`. */
export type Asked =
  | { what: 'fill'; repo: string; issues: number }
  | { what: 'edit'; repo: string; number: number }
  | { what: 'served' };

export interface Answered {
  url: string;
  /** Path and status of every request since the last time this was asked. */
  served: { path: string; status: number }[];
  comments: number;
}

interface Page {
  status: number;
  headers: Record<string, string>;
  text: string;
}

// Comments an issue has, in turn: two on average.
const COMMENTS = [0, 1, 2, 3, 4];
const LABELS = ['api', 'docs', 'web', 'infra', 'release', 'research'];
const KEPT_HEADERS = ['content-type', 'date', 'etag', 'link'];

const strict = await startGithubServer();
strict.state.rate = { limit: 1_000_000, remaining: 1_000_000, resetAtMs: strict.state.nowMs + 86_400_000 };
const pages = new Map<string, Page>();
let served: Answered['served'] = [];

const front = createServer((request, response) => {
  void answer(request)
    .catch((error: unknown): Page => ({ status: 500, headers: {}, text: String(error) }))
    .then((page) => send(request, response, page));
});
// The bare program is deaf while it writes its files.
front.keepAliveTimeout = 0;
front.listen(0, '127.0.0.1', () => process.send!({ ready: true }));

async function answer(request: IncomingMessage): Promise<Page> {
  const { method = 'GET', url, headers } = request;
  const body = method === 'GET' ? null : await textOf(request);
  // GraphQL reads by POST, too.
  const isRead = body === null || (url === '/graphql' && !/"query":"\s*mutation/.test(body));
  if (!isRead) throw new Error(`a bench that writes upstream: ${method} ${url}`);
  const key = `${headers.authorization ?? ''} ${url} ${body ?? ''}`;
  const known = pages.get(key);
  if (known) return known;
  const sent = { authorization: headers.authorization ?? '', 'content-type': 'application/json' };
  const given = await fetch(strict.url + url, { method, headers: sent, body });
  const kept = KEPT_HEADERS.flatMap((name) =>
    given.headers.has(name) ? [[name, given.headers.get(name)!]] : [],
  );
  const page = { status: given.status, headers: Object.fromEntries(kept), text: await given.text() };
  strict.served.length = 0;
  pages.set(key, page);
  return page;
}

function send(request: IncomingMessage, response: ServerResponse, { status, headers, text }: Page): void {
  const { etag } = headers;
  const unchanged = etag !== undefined && request.headers['if-none-match'] === etag;
  served.push({ path: request.url ?? '', status: unchanged ? 304 : status });
  response.writeHead(unchanged ? 304 : status, headers);
  response.end(unchanged ? undefined : text);
}

process.on('message', (asked: Asked) => process.send!(obey(asked)));
process.on('disconnect', () => process.exit(0));

function obey(asked: Asked): Answered {
  const comments = asked.what === 'fill' ? fill(asked.repo, asked.issues) : 0;
  if (asked.what === 'edit') edit(asked.repo, asked.number);
  const answered = { url: `http://127.0.0.1:${(front.address() as AddressInfo).port}`, served, comments };
  served = [];
  return answered;
}

/** @returns how many comments were made */
function fill(name: string, count: number): number {
  const { state } = strict;
  const repo = addRepo(state, name);
  const random = createRandom(count);
  let comments = 0;
  for (let at = 0; at < count; at += 1) {
    state.nowMs += 1_000;
    const labels = [LABELS[at % LABELS.length]!, LABELS[(at + 1) % LABELS.length]!];
    const body = [0, 1, 2].map(() => paragraph(random, 4)).join('\n\n');
    const words = { number: at + 1, title: sentence(random, 5), body, user: 'alice', labels };
    const issue = openIssue(state, repo, { ...words, association: 'MEMBER' });
    for (let said = 0; said < COMMENTS[at % COMMENTS.length]!; said += 1) {
      sayComment(state, issue, paragraph(random, 3), said % 2 === 0 ? 'bob' : 'alice');
      comments += 1;
    }
  }
  // A day of quiet, so that nothing counts as being under way.
  state.nowMs += 86_400_000;
  pages.clear();
  return comments;
}

function edit(name: string, number: number): void {
  const issue = strict.state.repos.get(name)!.issues.find((one) => one.number === number)!;
  strict.state.nowMs += 60_000;
  editIssue(strict.state, issue, { body: `${issue.body}\n\nChanged at ${strict.state.nowMs}.` });
  pages.clear();
}
