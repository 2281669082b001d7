// The example room's GitHub: the strict server that the tests use too, with a repository in real git, its issues and its pull
// requests, and the person who reported the issues, answers what is asked there, and reviews.
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { openIssue, remarkOn, reviewPull, sayComment } from '../test/support/github-server/people.ts';
import { startGithubServer } from '../test/support/github-server/server.ts';
import { addRepo, addUser } from '../test/support/github-server/state.ts';

const REPOSITORY = 'acme/web';

/** A collaborator of the repository, so that the room trusts what they say. */
const REPORTER = 'casey';
const REPORTER_KEY = 'example-key-of-casey';

const ANSWER = `Steps to reproduce: type two letters into the search box
Expected: results within a second`;

const REMARK = 'Without a name it greets nobody.';

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
  const server = await startGithubServer();
  const { state, url } = server;
  Object.defineProperty(state, 'nowMs', { get: Date.now });
  const [owner] = REPOSITORY.split('/');
  const repo = addRepo(state, REPOSITORY);
  addUser(state, REPORTER);
  state.tokens.set(key, { login: owner, access: 'write' });
  state.tokens.set(REPORTER_KEY, { login: REPORTER, access: 'comment' });
  repo.people.set(owner, 'OWNER').set(REPORTER, 'COLLABORATOR');
  for (const issue of issuesWith(report)) openIssue(state, repo, { ...issue, user: REPORTER });

  /** Its issues and pull requests as they are now, oldest first. */
  async function issues() {
    const told = ({ user, body }) => (user === REPORTER ? `${REPORTER}: ${body}` : body);
    const pulls = (repo.pulls ?? []).map((pull) => ({
      ref: `${REPOSITORY}#${pull.number}`,
      title: pull.title,
      state: pull.mergedAt === null ? pull.state : 'merged',
      comments: pull.remarks.map(told),
    }));
    const listed = repo.issues.map((issue) => ({
      ref: `${REPOSITORY}#${issue.number}`,
      title: issue.title,
      state: issue.state,
      comments: issue.comments.map(told),
    }));
    return [...listed, ...pulls];
  }

  /** What the reporter does about an open issue: they answer the question that stands last on it. */
  function answer(issue) {
    const last = issue.comments.at(-1);
    if (issue.state !== 'open' || last?.user !== owner || !last.body.includes('*A question')) return null;
    sayComment(state, issue, ANSWER, REPORTER);
    return `answers on the issue: ${ANSWER}`;
  }

  /** And about an open pull request: they ask for a change on a line, and merge once it is made. */
  function review(pull) {
    if (pull.state !== 'open') return null;
    if (pull.reviews.length === 0) {
      const diff = git(repo.dir, 'diff', `main...${pull.head}`);
      const hunk = diff.slice(diff.indexOf('@@'));
      remarkOn(state, pull, REPORTER, { path: 'greet.mjs', line: 1, hunk, body: REMARK });
      reviewPull(state, pull, REPORTER, 'CHANGES_REQUESTED');
      return `asks for a change of greet.mjs:1: ${REMARK}`;
    }
    const last = pull.remarks.at(-1);
    if (last.replyTo === null) return null;
    reviewPull(state, pull, REPORTER, 'APPROVED');
    const tree = git(repo.dir, 'merge-tree', '--write-tree', 'main', pull.head);
    const parents = ['-p', 'main', '-p', pull.head];
    const commit = git(repo.dir, 'commit-tree', tree, ...parents, '-m', `Merge ${pull.head}`);
    git(repo.dir, 'update-ref', 'refs/heads/main', commit);
    Object.assign(pull, { state: 'closed', mergedAt: state.nowMs });
    return 'approves and merges the pull request';
  }

  /** Resolves with who did what where since they looked last. */
  async function look() {
    const all = [
      ...repo.issues.map((one) => [one, answer]),
      ...(repo.pulls ?? []).map((one) => [one, review]),
    ];
    return all.flatMap(([one, act]) => {
      const text = act(one);
      return text === null ? [] : [{ ref: `${REPOSITORY}#${one.number}`, who: REPORTER, text }];
    });
  }

  /** Makes the repository in a room, and a project there whose remote it is. */
  function addProject(room) {
    repo.dir = path.join(room, 'web.git');
    const project = path.join(room, 'web');
    git(room, 'init', '--quiet', '--bare', '--initial-branch=main', repo.dir);
    git(room, 'init', '--quiet', '--initial-branch=main', project);
    const address = `${url}/${REPOSITORY}.git`;
    git(project, 'remote', 'add', 'origin', address);
    // What is sent to the server's address goes to the repository on this machine, as a person has it: what a project says of itself
    // does not count.
    const rewrite = `url.${repo.dir}.insteadOf`;
    const settings = path.join(repo.dir, 'person');
    mkdirSync(path.join(settings, 'git'), { recursive: true });
    git(room, 'config', '--file', path.join(settings, 'git/config'), rewrite, address);
    process.env.XDG_CONFIG_HOME = settings;
    writeFileSync(path.join(project, 'greet.mjs'), `export const greet = () => 'Hello';\n`);
    git(project, 'add', '.');
    git(project, 'commit', '--quiet', '-m', 'A greeting');
    git(project, '-c', `${rewrite}=${address}`, 'push', '--quiet', 'origin', 'main');
    repo.tipOf = (branch) => {
      const found = git(repo.dir, 'for-each-ref', '--format=%(objectname)', `refs/heads/${branch}`);
      return found === '' ? null : found;
    };
  }

  /** The command by which the reporter comments on the first issue. */
  const commentOfReporter = (body) =>
    `curl -sS -o /dev/null -H 'Authorization: Bearer ${REPORTER_KEY}' -H 'Content-Type: application/json' -d '${JSON.stringify({ body })}' ${url}/repos/${REPOSITORY}/issues/1/comments`;
  return { url, issues, look, addProject, commentOfReporter, close: server.close };
}

/** As nobody's own git: the settings of a person do not reach the example. */
function git(cwd, ...args) {
  const who = ['-c', `user.name=${REPORTER}`, '-c', `user.email=${REPORTER}@example.com`];
  const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };
  return execFileSync('git', [...who, ...args], { cwd, env, encoding: 'utf8' }).trim();
}
