// The example room's GitHub: the `emulate` package's server with a repository, its issues, and the person who reported
// them, who answers what is asked there.
import { createEmulator } from 'emulate';

const REPOSITORY = 'acme/web';

/** A collaborator of the repository, so that the mirror trusts what they say. */
const REPORTER = 'casey';
const REPORTER_KEY = 'example-key-of-casey';

const ANSWER = `Steps to reproduce: type two letters into the search box
Expected: results within a second`;

const issuesWith = (report) => [
  { title: 'Login redirects in a circle', body: report, labels: ['agent', 'bug'] },
  {
    title: 'Search is slow',
    body: 'It takes very long since last week.\n\n## Version\n2.4.0\n',
    labels: ['agent'],
  },
  {
    title: 'Only people look at this one',
    body: 'It has no `agent` label, so that it stays where it is.',
    labels: [],
  },
];

/**
 * Starts it on a free port of this machine.
 * @param key the token it knows
 * @param report the body of an issue that leaves nothing to ask
 */
export async function startGithub(key, report) {
  const [owner, name] = REPOSITORY.split('/');
  const seed = {
    tokens: {
      [key]: { login: owner, scopes: ['repo'] },
      [REPORTER_KEY]: { login: REPORTER, scopes: ['repo'] },
    },
    github: { users: [{ login: owner }, { login: REPORTER }], repos: [{ owner, name }] },
  };
  const { url, close } = await createEmulator({ service: 'github', port: 0, seed });
  const call = async (path, body, { as = key, method = 'POST' } = {}) => {
    const headers = { authorization: `Bearer ${as}`, 'content-type': 'application/json' };
    const init = body === undefined ? { headers } : { headers, method, body: JSON.stringify(body) };
    const answer = await fetch(`${url}/repos/${REPOSITORY}${path}`, init);
    if (!answer.ok)
      throw new Error(`the example's GitHub server answered ${answer.status}: ${await answer.text()}`);
    return answer.json();
  };
  try {
    await call(`/collaborators/${REPORTER}`, { permission: 'push' }, { method: 'PUT' });
    for (const issue of issuesWith(report)) await call('/issues', issue, { as: REPORTER_KEY });
  } catch (error) {
    await close();
    throw error;
  }

  const list = () => call('/issues?state=all&sort=created&direction=asc');
  const commentsOf = ({ number }) => call(`/issues/${number}/comments`);

  /** Its issues as they are now, oldest first. */
  async function issues() {
    const found = await list();
    return Promise.all(
      found.map(async (issue) => {
        const comments = (await commentsOf(issue)).map(({ user, body }) =>
          user.login === REPORTER ? `${REPORTER}: ${body}` : body,
        );
        return { ref: `${REPOSITORY}#${issue.number}`, title: issue.title, state: issue.state, comments };
      }),
    );
  }

  /** The reporter answers each question that stands last on an open issue; resolves with who said what where. */
  async function answerQuestions() {
    const said = [];
    for (const issue of await list()) {
      const last = (await commentsOf(issue)).at(-1);
      if (issue.state !== 'open' || last?.user.login !== owner || !last.body.includes('*A question'))
        continue;
      await call(`/issues/${issue.number}/comments`, { body: ANSWER }, { as: REPORTER_KEY });
      said.push({ ref: `${REPOSITORY}#${issue.number}`, who: REPORTER, text: ANSWER });
    }
    return said;
  }
  /** The command by which the reporter comments on the first issue. */
  const commentOfReporter = (body) =>
    `curl -sS -o /dev/null -H 'Authorization: Bearer ${REPORTER_KEY}' -H 'Content-Type: application/json' -d '${JSON.stringify({ body })}' ${url}/repos/${REPOSITORY}/issues/1/comments`;
  return { url, issues, answerQuestions, commentOfReporter, close };
}
