// Who asks: accounts, and a GitHub App's way to a token of its installation.
import { verify } from 'node:crypto';
import { type Handler, Refused, repoOf } from './answer.ts';
import { repositoryJson } from './repository-shape.ts';
import { addUser, repoNamed, type ServerState, type StoredIssue } from './state.ts';

const readUser: Handler = (call) => {
  if (call.viewer.type === 'Bot') throw new Refused(403, 'Resource not accessible by integration');
  return { status: 200, body: call.shapes.ownUser(call.viewer.login) };
};

// Of GraphQL there is only what tells a workflow's token whose it is, and who did what to an issue.
const askGraphql: Handler = (call) => {
  const { query } = call.body;
  if (query === '{ viewer { login } }')
    return { status: 200, body: { data: { viewer: { login: call.viewer.login } } } };
  if (!/userContentEdits.*timelineItems\(since: \$since/s.test(String(query)))
    throw new Refused(400, 'Problems parsing the query');
  const { owner, repo, number, since } = call.body.variables as Record<string, string>;
  const issue = repoNamed(call.state, `${owner}/${repo}`)?.issues.find(
    (one) => one.number === Number(number) && one.gone === null,
  );
  const acts = issue ? historyOf(call.state, issue, Date.parse(since!)) : null;
  return { status: 200, body: { data: { repository: { issueOrPullRequest: acts } } } };
};

function historyOf(state: ServerState, { acts = [] }: StoredIssue, since: number) {
  const actor = (login: string | null) =>
    login === null
      ? null
      : {
          __typename: state.users.get(login.toLowerCase())?.type ?? 'User',
          login: login.replace('[bot]', ''),
        };
  const time = (at: number) => new Date(at).toISOString();
  const edits = acts
    .filter(({ what }) => what === 'body')
    .map(({ by, at }) => ({ editedAt: time(at), editor: actor(by) }))
    .reverse();
  const items = acts
    .filter(({ what, at }) => what !== 'body' && at >= since)
    .map(({ what, by, at }) => ({
      __typename: what === 'title' ? 'RenamedTitleEvent' : 'ReopenedEvent',
      createdAt: time(at),
      actor: actor(by),
    }));
  return {
    lastEditedAt: edits[0]?.editedAt ?? null,
    editor: edits[0]?.editor ?? null,
    userContentEdits: { nodes: edits.slice(0, 100) },
    timelineItems: { nodes: items.slice(-100) },
  };
}

const readRepo: Handler = (call) => ({ status: 200, body: repositoryJson(call.shapes, repoOf(call)) });

const readApp: Handler = (call) => {
  const { id, slug } = call.state.app!;
  return { status: 200, body: { id: Number(id), slug, name: slug } };
};

const readInstallation: Handler = (call) => {
  repoOf(call);
  return { status: 200, body: { id: call.state.app!.installationId } };
};

const createInstallationToken: Handler = (call) => {
  const app = call.state.app!;
  if (Number(call.parts[0]) !== app.installationId) throw new Refused(404, 'Not Found');
  const login = `${app.slug}[bot]`;
  addUser(call.state, login, 'Bot');
  call.state.tokens.set('installation-token', { login, access: 'write' });
  const body = {
    token: 'installation-token',
    // Read by the app's own clock, not by this server's.
    expires_at: new Date(Date.now() + 3_600_000).toISOString(),
    permissions: { issues: 'write', metadata: 'read' },
    repository_selection: 'all',
  };
  return { status: 201, body };
};

/** True for a JSON Web Token that the app's private key signed and that has not run out. */
export function isAppToken(state: ServerState, token: string): boolean {
  const [head, claims, signature] = token.split('.');
  if (!state.app || !head || !claims || !signature) return false;
  const signed = Buffer.from(`${head}.${claims}`);
  if (!verify('RSA-SHA256', signed, state.app.publicKey, Buffer.from(signature, 'base64url'))) return false;
  const { iss, exp } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as {
    iss: string;
    exp: number;
  };
  return String(iss) === state.app.id && exp * 1_000 > Date.now();
}

export const ACCOUNT_ROUTES: [string, Handler][] = [
  ['GET /user', readUser],
  ['GET /repos/{owner}/{repo}', readRepo],
  ['POST /graphql', askGraphql],
];

/** Asked with a token of the app itself. */
export const APP_ROUTES: [string, Handler][] = [
  ['GET /app', readApp],
  ['GET /repos/{owner}/{repo}/installation', readInstallation],
  ['POST /app/installations/{installation_id}/access_tokens', createInstallationToken],
];
