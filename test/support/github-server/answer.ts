// What a handler is given and gives back, and the refusals GitHub words the same everywhere.
import type { Json, Shapes } from './shapes.ts';
import {
  type Access,
  type ProjectScope,
  repoNamed,
  type ServerState,
  type StoredIssue,
  type StoredRepo,
  type StoredUser,
} from './state.ts';

export interface Call {
  state: ServerState;
  shapes: Shapes;
  method: string;
  /** Path and query as asked, on the server's own base. */
  url: URL;
  /** The groups of the route's pattern, decoded. */
  parts: string[];
  body: Json;
  viewer: StoredUser;
  access: Access;
  projects: ProjectScope;
}

export type Answer = { status: number; body?: unknown; headers?: Record<string, string> };

export type Handler = (call: Call) => Answer;

/** By method and path, as GitHub's description names them. */
export type Routes = Readonly<Record<string, Handler>>;

const DOCS = 'https://docs.github.com/rest';

/** Thrown by handlers, answered as it is. */
export class Refused extends Error {
  readonly answer: Answer;

  constructor(status: number, message: string, more: Json = {}, headers: Record<string, string> = {}) {
    super(message);
    const body = { message, documentation_url: DOCS, status: String(status), ...more };
    this.answer = { status, body, headers };
  }
}

export const notFound = (): Refused => new Refused(404, 'Not Found');

export function invalid(field: string, message: string, resource = 'Issue'): Refused {
  return new Refused(422, 'Validation Failed', { errors: [{ resource, field, code: 'custom', message }] });
}

function movedTo(location: string): Refused {
  return new Refused(301, 'Moved Permanently', { url: location }, { location });
}

/** The repository a call speaks of; a renamed one redirects, as GitHub does for reading and writing alike. */
export function repoOf(call: Call): StoredRepo {
  const asked = `${call.parts[0]}/${call.parts[1]}`;
  const repo = repoNamed(call.state, asked);
  if (repo === null) throw notFound();
  if (repo.fullName.toLowerCase() !== asked.toLowerCase()) {
    const path = call.url.pathname.replace(/^\/repos\/[^/]+\/[^/]+/, `/repositories/${repo.id}`);
    const location = `${call.shapes.base}${path}${call.url.search}`;
    if (call.method === 'GET') throw movedTo(location);
    throw new Refused(307, 'Temporary Redirect', { url: location }, { location });
  }
  return repo;
}

/** The issue a call speaks of, in a repository that has issues. */
export function issueOf(call: Call, part = call.parts[2]): { repo: StoredRepo; issue: StoredIssue } {
  const repo = repoOf(call);
  const issue = repo.issues.find(({ number }) => number === Number(part));
  if (!issue) throw notFound();
  if (issue.gone?.kind === 'transferred') {
    const to = repoNamed(call.state, issue.gone.repo);
    if (!to) throw notFound();
    const rest = call.url.pathname.split(`/issues/${part}`)[1] ?? '';
    throw movedTo(`${call.shapes.base}/repositories/${to.id}/issues/${issue.gone.number}${rest}`);
  }
  if (issue.gone) throw new Refused(410, 'This issue was deleted');
  return { repo, issue };
}

export function needWrite(call: Call): void {
  if (call.access !== 'write') throw new Refused(403, 'Must have admin rights to Repository.');
}

/** A token that may only look is told so in these words. */
export function needSpeech(call: Call): void {
  if (call.access === 'read') throw new Refused(403, 'Resource not accessible by personal access token');
}
