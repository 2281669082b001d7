// Runs git in a project, as the person who runs taskroom: nothing that lies in the project runs with it, no hook, no monitor, and no program
// that its own settings name, which an agent could have put there. And a task's branch: what it came to, what exists only there, and its
// way to another copy of the repository as one file; of what comes in only the one branch that is expected is taken.
import { rmSync, writeFileSync } from 'node:fs';
import { execa } from 'execa';
import { inheritedEnv } from '../../core/config/agent-env.ts';
import { LIST_SETTINGS, settingsOfPerson } from '../../core/config/git-config.ts';
import { RoomError } from '../../core/errors.ts';
import type { Effects } from '../../effects.ts';

interface GitEnd {
  ok: boolean;
  stdout: string;
  message: string; // What git said, on one line; '' when all went well.
}

export type Git = (cwd: string, ...args: string[]) => Promise<GitEnd>;

/** What went wrong; null for nothing. */
export async function faultOf(end: Promise<GitEnd>): Promise<string | null> {
  const { ok, message } = await end;
  return ok ? null : message;
}

const TIMEOUT_MS = 300_000;
const MAX_CHARS = 8 * 2 ** 20;
const MAX_MESSAGE = 400;
// What runs at the other side of a remote, which its settings could name: of several there the first one counts.
const TO_READ = '--upload-pack=git-upload-pack';
/** Arguments of ours. A submodule has settings of its own, whose programs a git that enters it would run. */
const ALWAYS: Readonly<Record<string, readonly string[]>> = {
  push: ['--receive-pack=git-receive-pack', '--no-recurse-submodules'],
  fetch: [TO_READ, '--no-recurse-submodules'],
  'ls-remote': [TO_READ],
  status: ['--ignore-submodules=dirty'],
  diff: ['--ignore-submodules=dirty'],
};

/** What is withheld neither git nor what it starts gets to see. @param variables further ones for git */
export function createGit(
  { env, withheld }: Pick<Effects, 'env' | 'withheld'>,
  variables: Readonly<Record<string, string>> = {},
): Git {
  // What points git at another repository than the one it is started in.
  const misleading = Object.keys(env).filter((name) => name.startsWith('GIT_'));
  const own = { GIT_TERMINAL_PROMPT: '0', GIT_OPTIONAL_LOCKS: '0', LC_ALL: 'C', ...variables };
  return async (cwd, ...args) => {
    const environment = { ...inheritedEnv(env, new Set([...withheld, ...misleading])), ...own };
    const run = (words: readonly string[], settings = {}) =>
      execa('git', words, {
        ...{ cwd, extendEnv: false, stdin: 'ignore', reject: false },
        ...{ timeout: TIMEOUT_MS, maxBuffer: MAX_CHARS, env: { ...environment, ...settings } },
      });
    const listed = await run(LIST_SETTINGS);
    // Settings stand before the command.
    const at = args.findIndex((word, index) => word !== '-c' && args[index - 1] !== '-c');
    const words = args.toSpliced(at + 1, 0, ...(ALWAYS[args[at]!] ?? []));
    const result = listed.failed ? listed : await run(words, settingsOfPerson(listed.stdout));
    const { failed, code, stdout = '', stderr = '', originalMessage, exitCode } = result;
    if (!failed) return { ok: true, stdout, message: '' };
    if (code === 'ENOENT') return { ok: false, stdout, message: 'the program git was not found; install it' };
    const fault = stderr.trim() || originalMessage || `exit code ${exitCode}`;
    return { ok: false, stdout, message: fault.replace(/\s*\n\s*/g, ' ').slice(0, MAX_MESSAGE) };
  };
}

/** Paths are absolute; `base` is the commit that the branch began at. */
export type Worktree = Record<'path' | 'project' | 'branch' | 'base', string>;

export const hasBranch = async (git: Git, project: string, branch: string): Promise<boolean> =>
  (await git(project, 'show-ref', '--verify', '--quiet', `refs/heads/${branch}`)).ok;

export const hasCommit = async (git: Git, dir: string, commit: string): Promise<boolean> =>
  (await git(dir, 'cat-file', '-e', `${commit}^{commit}`)).ok;

export const isAncestor = async (git: Git, dir: string, commit: string, of: string): Promise<boolean> =>
  (await git(dir, 'merge-base', '--is-ancestor', commit, of)).ok;

/** The commit of a reference; null where there is no such reference. */
export async function commitAt(git: Git, dir: string, reference: string): Promise<string | null> {
  const { ok, stdout } = await git(dir, 'rev-parse', '--verify', '--quiet', `${reference}^{commit}`);
  return ok ? stdout : null;
}

/** The branch's last commit; null where there is no such branch. */
export const tipOf = async (git: Git, dir: string, branch: string): Promise<string | null> =>
  commitAt(git, dir, `refs/heads/${branch}`);

/** Adds all files, and of a submodule the commit that it stands at: the `add` of all enters each of them, and runs what its own
 * settings name. @param list absolute path of a file to make */
export async function addAll(git: Git, path: string, list: string) {
  const mode = '--format=%(objectmode) %(path)';
  const changed = await git(path, 'ls-files', '-z', '--modified', mode);
  const others = ['--others', '--directory', '--no-empty-directory', '--exclude-standard'];
  const fresh = await git(path, 'ls-files', '-z', ...others);
  const fault = [changed, fresh].find(({ ok }) => !ok);
  if (fault !== undefined) return fault;
  const tracked = changed.stdout.split('\0').filter((line) => line !== '');
  const isModule = (line: string) => line.startsWith('160000 ');
  const files = tracked.filter((line) => !isModule(line)).map((line) => line.slice(7));
  const modules = tracked.filter(isModule).map((line) => line.slice(7));
  const all = [...files, ...fresh.stdout.split('\0').filter((line) => line !== '')];
  const stood = modules.length === 0 ? fresh : await git(path, 'update-index', '--remove', '--', ...modules);
  if (all.length === 0) return stood;
  writeFileSync(list, all.join('\0'));
  const how = ['--all', '--ignore-errors', `--pathspec-from-file=${list}`, '--pathspec-file-nul'];
  const added = await git(path, '-c', 'core.safecrlf=false', 'add', ...how);
  return added.ok ? stood : added;
}

const MOST = 20;
const LINE = 160;

/** Describes the branch's commits since `base` and changed files; null when nothing changed, or when git can't tell.
 * @param path of its worktree; of the repository itself where there is none */
export async function describeChanges(
  git: Git,
  { path, branch, hasWorktree }: { path: string; branch: string; hasWorktree: boolean },
  base: string,
): Promise<string | null> {
  const tip = hasWorktree ? 'HEAD' : `refs/heads/${branch}`;
  const commits = await git(path, 'log', '--format=%h %s', `${base}..${tip}`, '--');
  const files = await git(path, 'diff', '--name-status', '--no-renames', `${base}...${tip}`, '--');
  const loose = hasWorktree ? await git(path, 'status', '--porcelain') : { ok: true, stdout: '' };
  if (!commits.ok || !files.ok || !loose.ok) return null;
  const changed = linesOf(files.stdout).map((line) => line.replace(/\s+/, ' '));
  const uncommitted = linesOf(loose.stdout).map((line) => line.trim());
  const parts = [
    ...listed('commit', linesOf(commits.stdout)),
    ...listed('changed file', changed),
    ...listed('uncommitted file', uncommitted),
  ];
  return parts.length === 0 ? null : [`Branch \`${branch}\` in ${path}`, ...parts].join('\n');
}

const linesOf = (text: string): string[] => text.split('\n').filter((line) => line.trim() !== '');

function listed(what: string, lines: readonly string[]): string[] {
  if (lines.length === 0) return [];
  const shown = lines
    .slice(0, MOST)
    .map((line) => `- ${line.slice(0, LINE).toWellFormed().replaceAll('`', "'")}`);
  const rest = lines.length - shown.length;
  const more = rest > 0 ? [`- and ${rest} more`] : [];
  return ['', `${lines.length} ${what}${lines.length === 1 ? '' : 's'}:`, ...shown, ...more];
}

/** How many commits the branch has that its base has not. @throws RoomError `refused` */
export async function countCommits(git: Git, { project, branch, base }: Worktree): Promise<number> {
  const count = await git(project, 'rev-list', '--count', `${base}..refs/heads/${branch}`);
  if (count.ok) return Number(count.stdout);
  throw new RoomError('refused', `the branch ${branch} can't be read: ${count.message}`);
}

/** The name of the remote that branches are pushed to; null without one. */
async function findRemote(git: Git, project: string): Promise<string | null> {
  const remotes = linesOf((await git(project, 'remote')).stdout);
  if (remotes.includes('origin')) return 'origin';
  return remotes.length === 1 ? remotes[0]! : null;
}

const STEERS = '^(url\\..*\\.(push)?insteadof|remote\\..*\\.pushurl)$';

/** The addresses of that remote: as its settings say, and as git rewrites it; where the project's own settings have it rewritten, only
 * what it becomes. @throws RoomError `refused` when it is pushed to several */
export async function remoteAddresses(git: Git, project: string): Promise<string[]> {
  const remote = await findRemote(git, project);
  if (remote === null) return [];
  const said = await git(project, 'config', '--get', `remote.${remote}.url`);
  const used = linesOf((await git(project, 'remote', 'get-url', '--push', '--all', remote)).stdout);
  const hint = `leave one: git -C ${project} config --get-all remote.${remote}.pushurl`;
  if (used.length > 1) throw new RoomError('refused', `${remote} of ${project} is pushed to several`, hint);
  const steers = await git(project, 'config', '--show-scope', '--get-regexp', STEERS);
  const isRewritten = /^(local|worktree)\s/m.test(steers.stdout);
  return [...new Set([...(isRewritten ? [] : linesOf(said.stdout)), ...used])];
}

/** @throws RoomError `refused`: the remote is absent, not reached, or refuses it */
export async function pushBranch(git: Git, { path, project, branch }: Worktree): Promise<void> {
  const remote = await findRemote(git, project);
  const hint = `git -C ${path} remote add origin ADDRESS`;
  if (remote === null) throw new RoomError('refused', `${project} has no remote to push ${branch} to`, hint);
  const pushed = await git(project, 'push', '--quiet', remote, `refs/heads/${branch}:refs/heads/${branch}`);
  if (pushed.ok) return;
  throw new RoomError('refused', `git could not push ${branch}: ${pushed.message}`, {
    hint: 'git has to be able to push there without asking: a key, or a credential helper',
  });
}

/** The largest bundle that is made or taken, bytes. */
export const MAX_BUNDLE_BYTES = 64 * 2 ** 20;
const FETCH = ['fetch', '--quiet', '--no-tags', '--no-write-fetch-head'];

/** Writes the branch to `file`. Returns what went wrong; null for nothing.
 * @param known commits that the other side has; those that are not here are ignored */
export async function makeBundle(
  git: Git,
  dir: string,
  { branch, file, known }: { branch: string; file: string; known: readonly string[] },
): Promise<string | null> {
  const here: string[] = [];
  for (const commit of known) if (await hasCommit(git, dir, commit)) here.push(`^${commit}`);
  rmSync(file, { force: true });
  return faultOf(git(dir, 'bundle', 'create', '--quiet', file, `refs/heads/${branch}`, ...here));
}

/** Takes the branch out of a bundle. Returns what is wrong with it; null when the branch stands at `tip` under `into`.
 * @param into whole name of a reference of ours */
export async function takeBundle(
  git: Git,
  dir: string,
  { branch, file, tip, into }: Record<'branch' | 'file' | 'tip' | 'into', string>,
): Promise<string | null> {
  const unfit = await faultOf(git(dir, 'bundle', 'verify', '--quiet', file));
  if (unfit !== null) return `it is no bundle that fits: ${unfit}`;
  const heads = (await git(dir, 'bundle', 'list-heads', file)).stdout.trim();
  if (heads !== `${tip} refs/heads/${branch}`)
    return `it holds ${heads.slice(0, 200).replaceAll('\n', ', ')}, and ${branch} at ${tip} alone is taken`;
  const checked = ['-c', 'fetch.fsckObjects=true', '-c', 'gc.auto=0'];
  return faultOf(git(dir, ...checked, ...FETCH, file, `+refs/heads/${branch}:${into}`));
}

/** The same from the repository that the copy is of. */
export async function takePushed(git: Git, dir: string, { branch, into }: { branch: string; into: string }) {
  const names = [`+refs/heads/${branch}:${into}`, `+refs/heads/${branch}:refs/remotes/origin/${branch}`];
  return faultOf(git(dir, ...FETCH, 'origin', ...names));
}

/** Sets the branch to what stands under `from`, where that is `tip`. Returns what went wrong; null for nothing. Commits that the
 * branch loses are kept under a name of their own. */
export async function adoptBranch(
  git: Git,
  dir: string,
  { branch, tip, from }: Record<'branch' | 'tip' | 'from', string>,
): Promise<string | null> {
  const came = await commitAt(git, dir, from);
  if (came !== tip) return `${branch} is at ${came ?? 'no commit'} there, and not at ${tip}`;
  const before = await tipOf(git, dir, branch);
  if (before !== null && !(await isAncestor(git, dir, before, tip))) {
    const fault = await faultOf(git(dir, 'update-ref', `refs/taskroom/kept/${branch}/${before}`, before));
    if (fault !== null) return fault;
  }
  return faultOf(git(dir, 'update-ref', `refs/heads/${branch}`, tip));
}
