// The example room's GitHub: the `emulate` package's server with a repository and its issues.
import { createEmulator } from 'emulate';

const REPOSITORY = 'acme/web';

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
    tokens: { [key]: { login: owner, scopes: ['repo'] } },
    github: { users: [{ login: owner }], repos: [{ owner, name }] },
  };
  const { url, close } = await createEmulator({ service: 'github', port: 0, seed });
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const call = async (path, init) => {
    const answer = await fetch(`${url}/repos/${REPOSITORY}/issues${path}`, { headers, ...init });
    if (!answer.ok)
      throw new Error(`the example's GitHub server answered ${answer.status}: ${await answer.text()}`);
    return answer.json();
  };
  try {
    for (const issue of issuesWith(report)) await call('', { method: 'POST', body: JSON.stringify(issue) });
  } catch (error) {
    await close();
    throw error;
  }

  /** Its issues as they are now, oldest first. */
  async function issues() {
    const found = await call('?state=all&sort=created&direction=asc');
    return Promise.all(
      found.map(async ({ number, title, state }) => {
        const comments = await call(`/${number}/comments`);
        return { ref: `${REPOSITORY}#${number}`, title, state, comments: comments.map(({ body }) => body) };
      }),
    );
  }
  return { url, issues, close };
}
