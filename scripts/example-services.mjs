// The two trackers on this machine that the example room mirrors, and what stands in them afterwards.
import { startGithub } from './example-github.mjs';
import { startLinear } from './example-linear.mjs';

/** The key the servers know; never a real one, so that nothing of a person's reaches them. */
const KEY = 'example-key';

const REPORT = `The login page sends me back to itself.

## Steps to reproduce
1. Open /login with an expired cookie
2. Sign in

## Expected
To land on the page I came from.

## Version
2.4.1
`;

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
  const github = await startGithub(KEY, REPORT);
  const linear = await startLinear(KEY, REPORT).catch(async (error) => {
    await github.close();
    throw error;
  });
  return {
    githubUrl: github.url,
    linearUrl: linear.url,
    env: { GITHUB_TOKEN: KEY, LINEAR_API_KEY: KEY },
    /** The chore of web-issues.md brings in what the people there said. */
    people: { chore: 'web-issues', look: github.look },
    addProject: github.addProject,
    /** Commands for a shell that call the two trackers, each with what it does. */
    call(program, room) {
      const keys = `GITHUB_TOKEN=${KEY} LINEAR_API_KEY=${KEY}`;
      return [
        [`${keys} ${program} sync --dry-run ${room}`, 'what a sync would do; this is the key that both know'],
        [github.commentOfReporter('Thank you.'), 'a comment of casey, who reported acme/web#1'],
        [`${program} sync web-issues ${room}`, 'brings it in; the inbox then says what it asks of you'],
      ];
    },
    /** What stands in the two trackers now, as lines. */
    async describe() {
      const issues = [...(await github.issues()), ...(await linear.issues())];
      return issues.flatMap(({ ref, title, state, comments }) => [
        `${ref} ${title} — ${state}`,
        ...comments.map((body) => `    ${firstLines(body)}`),
      ]);
    },
    async close() {
      await Promise.all([github.close(), linear.close()]);
    },
  };
}
