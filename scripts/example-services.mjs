// A GitHub- and a Linear-shaped server on this machine, with a few issues in them: what the example room mirrors.
import { createEmulator } from 'emulate';

/** The key the servers know; never a real one, so that nothing of a person's reaches them. */
const KEY = 'example-key';

const COMPLETE = `The login page sends me back to itself.

## Steps to reproduce
1. Open /login with an expired cookie
2. Sign in

## Expected
To land on the page I came from.

## Version
2.4.1
`;

const GITHUB_ISSUES = [
  { title: 'Login redirects in a circle', body: COMPLETE, labels: ['agent', 'bug'] },
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

const LINEAR = {
  organization: { name: 'Acme', url_key: 'acme' },
  users: [{ email: 'sam@example.com', name: 'Sam', admin: true }],
  teams: [
    {
      key: 'APP',
      name: 'App',
      states: [
        { name: 'Backlog', type: 'backlog' },
        { name: 'Todo', type: 'unstarted' },
        { name: 'In Progress', type: 'started' },
        { name: 'Done', type: 'completed' },
        { name: 'Canceled', type: 'canceled' },
      ],
    },
  ],
  labels: [{ name: 'Bug', team: 'APP' }],
  issues: [
    {
      team: 'APP',
      title: 'Export drops the last row',
      description: COMPLETE.replace('login', 'export'),
      state: 'Todo',
      labels: ['Bug'],
    },
  ],
};

async function seedGithub(url) {
  const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' };
  for (const issue of GITHUB_ISSUES) {
    const answer = await fetch(`${url}/repos/acme/web/issues`, {
      method: 'POST',
      headers,
      body: JSON.stringify(issue),
    });
    if (!answer.ok)
      throw new Error(`the example's GitHub server answered ${answer.status}: ${await answer.text()}`);
  }
}

async function json(url, init) {
  const answer = await fetch(url, init);
  return answer.json();
}

/** What stands in the two trackers now, as lines. */
async function describe(githubUrl, linearUrl) {
  const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' };
  const lines = [];
  const issues = await json(`${githubUrl}/repos/acme/web/issues?state=all&sort=created&direction=asc`, {
    headers,
  });
  for (const issue of issues) {
    lines.push(`acme/web#${issue.number} ${issue.title} — ${issue.state}`);
    for (const comment of await json(`${githubUrl}/repos/acme/web/issues/${issue.number}/comments`, {
      headers,
    }))
      lines.push(`    ${firstLines(comment.body)}`);
  }
  const query = '{ issues { nodes { identifier title state { name } comments { nodes { body } } } } }';
  const answer = await json(`${linearUrl}/graphql`, {
    method: 'POST',
    headers: { ...headers, authorization: KEY },
    body: JSON.stringify({ query }),
  });
  // The server comes with issues of its own, in another team.
  for (const issue of answer.data.issues.nodes.filter(({ identifier }) => identifier.startsWith('APP-'))) {
    lines.push(`${issue.identifier} ${issue.title} — ${issue.state.name}`);
    for (const comment of issue.comments.nodes) lines.push(`    ${firstLines(comment.body)}`);
  }
  return lines;
}

function firstLines(body) {
  const text = body
    .replace(/<!--[\s\S]*?-->/g, '')
    .replace(/\s+/g, ' ')
    .trim();
  return text.length <= 100 ? text : `${text.slice(0, 99)}…`;
}

/**
 * Starts both servers on free ports of this machine.
 * @returns their addresses, the environment in which taskroom reaches them, and `close`
 */
export async function startServices() {
  const seed = {
    tokens: { [KEY]: { login: 'acme', scopes: ['repo'] } },
    github: { users: [{ login: 'acme' }], repos: [{ owner: 'acme', name: 'web' }] },
  };
  const github = await createEmulator({ service: 'github', port: 0, seed });
  const linear = await createEmulator({ service: 'linear', port: 0, seed: { linear: LINEAR } }).catch(
    async (error) => {
      await github.close();
      throw error;
    },
  );
  await seedGithub(github.url);
  return {
    githubUrl: github.url,
    linearUrl: linear.url,
    env: { GITHUB_TOKEN: KEY, LINEAR_API_KEY: KEY },
    describe: () => describe(github.url, linear.url),
    async close() {
      await Promise.all([github.close(), linear.close()]);
    },
  };
}
