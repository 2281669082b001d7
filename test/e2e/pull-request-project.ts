// A project with a real git remote whose address is one of a GitHub-shaped server, and a room whose agent works on it.
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeProject, runGit } from '../support/git-server.ts';
import { addRepo, type StoredPull, type StoredRepo } from '../support/github-server/state.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { CREDENTIALS, createGithubRoom } from './github-room.ts';
import type { Ran } from './room.ts';

/** What an agent does in its worktree, as a line of shell. */
export const COMMIT = 'git -c user.name=A -c user.email=a@example.com commit --quiet -am Fixed';

export type PullProject = Awaited<ReturnType<typeof createPullProject>>;

function addProject(url: string, base: string, repo: StoredRepo) {
  const name = repo.fullName.replace('acme/', '');
  const [origin, project] = [join(base, `${name}.git`), join(base, name)];
  runGit(base, 'init', '--quiet', '--bare', '--initial-branch=main', origin);
  makeProject(project, { 'code.txt': 'one\n' });
  const address = `${url}/acme/${name}.git`;
  runGit(project, 'remote', 'add', 'origin', address);
  // As a person has it: what a project says of itself does not count.
  appendFileSync(join(base, '.gitconfig'), `[url "${origin}"]\n\tinsteadOf = ${address}\n`);
  const push = (...refs: string[]) =>
    runGit(project, '-c', `url.${origin}.insteadOf=${address}`, 'push', '--quiet', 'origin', ...refs);
  push('main');
  const tips = () => {
    const listed = runGit(origin, 'for-each-ref', '--format=%(refname:short) %(objectname)', 'refs/heads');
    return listed.split('\n').map((line) => line.split(' '));
  };
  repo.tipOf = (wanted) => tips().find(([branch]) => branch === wanted)?.[1] ?? null;
  return { origin, project, push, branches: () => tips().map(([branch]) => branch!) };
}

/** The room mirrors `acme/web`, which has the issue 1, `Login fails`; nothing is synced yet. */
export async function createPullProject() {
  const github = await createGithubRoom(false);
  const { room, server, repo } = github;
  const base = tempFolder('taskroom-pulls');
  Object.assign(room.daemonEnv, { HOME: base });
  const { origin, project, push, branches } = addProject(server.url, base, repo);
  github.open({ title: 'Login fails', body: 'It does.', user: 'alice' });

  async function run(args: readonly string[], env: Record<string, string> = {}): Promise<Ran> {
    return room.run(args, { env: { ...CREDENTIALS, HOME: base, ...env } });
  }
  const made = { room, server, repo, origin, project, run };
  return {
    ...made,
    ...{ push, branches },
    /** Another project, whose remote is a repository of the server too. */
    another(name: string) {
      const other = addRepo(server.state, `acme/${name}`);
      other.people.set('alice', 'MEMBER');
      return { ...addProject(server.url, base, other), repo: other };
    },
    /** @param line of shell, in the task's worktree */
    agent(line: string, more: object = {}): void {
      const command = ['/bin/sh', '-c', line];
      room.agent('smith', { command, cwd: project, workspace: 'worktree', ...more });
    },
    settings: (...lines: string[]) => room.settings('default_agent: smith', 'settle: 50ms', ...lines),
    chore: github.chore,
    /** Runs a command that must end with 0. */
    async ok(...args: string[]): Promise<string> {
      const { code, stdout, stderr } = await run(args);
      if (code !== 0) throw new Error(`taskroom ${args.join(' ')} ended with ${code}\n${stdout}${stderr}`);
      return stdout;
    },
    // biome-ignore lint/suspicious/noExplicitAny: what a command prints is checked by the test that asked for it
    json: async (...args: string[]): Promise<any> => {
      const { stdout, stderr } = await run([...args, '--json']);
      return JSON.parse(stdout || stderr);
    },
    pull: (): StoredPull => repo.pulls!.at(-1)!,
    close: github.close,
  };
}
