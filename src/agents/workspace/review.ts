// What a worktree changes against its base, committed or not, and its way into the branch that is checked out in its project, or out of
// the way: set aside under a reference of ours, from which it can be fetched back for a while. For the difference the files as they lie
// there become a tree beside the agent's index and its repository's objects, and git compares the two trees: no program that the agent's
// settings or attributes name runs. Nothing of the project is touched before a merge is known to fit.
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RoomConfig } from '../../core/config/room-config.ts';
import { RoomError } from '../../core/errors.ts';
import type { TaskDiff } from '../../core/review-shapes.ts';
import { addAll, commitAt, faultOf, type Git, hasBranch, isAncestor, tipOf, type Worktree } from './git.ts';

export type GitWith = (variables: Readonly<Record<string, string>>) => Git;
type Diff = Pick<TaskDiff, 'base' | 'files' | 'note'> & { base: string };
type FileDiff = Diff['files'][number];

/** @param within the worktree's folder in the workspace, `web/`; '' for the workspace itself
 * @param stat without hunks
 * @throws RoomError `refused` when git can't read the worktree */
export async function readDiff(
  gitWith: GitWith,
  worktree: Worktree,
  { within, stat }: { within: string; stat: boolean },
): Promise<Diff> {
  const { path, project, branch } = worktree;
  const how = { within, stat };
  if (existsSync(path))
    return withSnapshot(gitWith, path, false, async (git, tree, note) => {
      const base = await baseOf(git, worktree, await commitAt(git, path, 'HEAD'));
      const found = await compare(git, path, [base, tree], how);
      return note === null ? found : { ...found, note };
    });
  const git = gitWith({});
  const tip = await tipOf(git, project, branch);
  const hint = 'the next turn of the task makes both again';
  if (tip === null) throw new RoomError('refused', `neither ${path} nor the branch ${branch} is there`, hint);
  return compare(git, project, [await baseOf(git, worktree, tip), tip], how);
}

/** Where the branch left the one that is checked out in the project; where it began, when it is merged or that can't be told. */
async function baseOf(git: Git, { project, base }: Worktree, tip: string | null): Promise<string> {
  const target = await commitAt(git, project, 'HEAD');
  if (target === null || tip === null) return base;
  const { ok, stdout } = await git(project, 'merge-base', target, tip);
  return ok && stdout !== tip ? stdout : base;
}

/** Calls `use` with the worktree's files as a tree. @param isKept its objects go into the repository; else they are gone afterwards */
async function withSnapshot<T>(
  gitWith: GitWith,
  path: string,
  isKept: boolean,
  use: (git: Git, tree: string, note: string | null) => Promise<T>,
): Promise<T> {
  const dir = mkdtempSync(join(tmpdir(), 'taskroom-diff-'));
  try {
    const places = ['--git-path', 'index', '--git-path', 'objects'];
    const found = await gitWith({})(path, 'rev-parse', '--path-format=absolute', ...places);
    if (!found.ok) throw new RoomError('refused', `${path} can't be read: ${found.message}`);
    const [index = '', objects = ''] = found.stdout.split('\n');
    const apart = { GIT_INDEX_FILE: join(dir, 'index'), GIT_OBJECT_DIRECTORY: join(dir, 'objects') };
    if (existsSync(index)) copyFileSync(index, apart.GIT_INDEX_FILE);
    mkdirSync(apart.GIT_OBJECT_DIRECTORY);
    const git = gitWith({
      ...{ GIT_LITERAL_PATHSPECS: '1', GIT_INDEX_FILE: apart.GIT_INDEX_FILE },
      ...(isKept ? {} : { ...apart, GIT_ALTERNATE_OBJECT_DIRECTORIES: JSON.stringify(objects) }),
    });
    const added = await addAll(git, path, join(dir, 'paths'));
    const tree = await git(path, 'write-tree');
    if (!tree.ok) throw new RoomError('refused', `the files of ${path} can't be read: ${tree.message}`);
    return await use(git, tree.stdout, added.ok ? null : `git left something out: ${added.message}`);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

// Plumbing heeds few settings; those that it heeds are said here.
const COMPARE = [
  ...['-c', 'core.quotePath=false', '-c', 'diff.suppressBlankEmpty=false', 'diff-tree', '-r', '-M'],
  ...['--no-color', '--no-ext-diff', '--no-textconv', '--submodule=short'],
];

async function compare(
  git: Git,
  cwd: string,
  [from, to]: [string, string],
  { within, stat }: { within: string; stat: boolean },
): Promise<Diff> {
  const listed = await git(cwd, ...COMPARE, '--raw', '--numstat', '-z', from, to);
  if (!listed.ok) throw new RoomError('refused', `git can't compare ${cwd}: ${listed.message}`);
  const files = parseList(listed.stdout, within);
  if (stat || files.length === 0) return { base: from, files, note: null };
  const names = [`--src-prefix=a/${within}`, `--dst-prefix=b/${within}`];
  const patch = await git(cwd, ...COMPARE, '--patch', ...names, from, to);
  if (patch.ok) return { base: from, files: withHunks(files, patch.stdout, within), note: null };
  return { base: from, files, note: `its lines are left out, git could not show them: ${patch.message}` };
}

const CHANGES: Readonly<Record<string, FileDiff['change']>> = {
  ...{ A: 'added', D: 'deleted', M: 'modified', R: 'renamed', T: 'type_changed' },
};

/** What git says with `--raw --numstat -z`: a record of each file, then the counts of each in the same order. */
function parseList(text: string, within: string): FileDiff[] {
  const parts = text.split('\0');
  const files: FileDiff[] = [];
  let at = 0;
  for (; parts[at]?.startsWith(':'); at += 2) {
    const change = CHANGES[parts[at]!.split(' ').at(-1)![0]!] ?? 'modified';
    const isRenamed = change === 'renamed';
    const old = isRenamed ? within + parts[at + 1]! : null;
    if (isRenamed) at += 1;
    const counts = { binary: false, additions: 0, deletions: 0 };
    files.push({ path: within + parts[at + 1]!, old_path: old, change, ...counts, head: [], hunks: [] });
  }
  for (const file of files) {
    const [additions = '', deletions = ''] = parts[at]!.split('\t');
    file.binary = additions === '-';
    file.additions = Number(additions) || 0;
    file.deletions = Number(deletions) || 0;
    at += file.old_path === null ? 1 : 3;
  }
  return files;
}

const HUNK = /^@@ -(\d+)(?:,\d+)? \+(\d+)/;

/** Adds the lines of a patch, whose files come in the same order. A line of a hunk begins with a sign, never as a head does. */
function withHunks(files: FileDiff[], patch: string, within: string): FileDiff[] {
  let next = 0;
  let file: FileDiff | undefined;
  for (const line of patch.split('\n')) {
    if (line.startsWith('diff --git ')) file = files[next++];
    const [, old, now] = HUNK.exec(line) ?? [];
    if (old !== undefined)
      file?.hunks.push({ header: line, old_start: Number(old), new_start: Number(now), lines: [] });
    else if (file?.hunks.length !== 0) file?.hunks.at(-1)?.lines.push(line);
    else file.head.push(line.replace(/^(rename (?:from|to) "?)/, `$1${within}`));
  }
  return files;
}

const SHOWN = 10;

/** A merge that fits: what it leads to, and how to make it. `undo` takes back one that was made. */
export interface ReadyMerge {
  into: string;
  commit: string;
  changed: boolean;
  /** @throws RoomError `refused`: nothing is changed then */
  make(): Promise<void>;
  undo(): Promise<void>;
}

/** Prepares to merge the branch into the one that is checked out in the project; of a bare one that is its default.
 * @param message of a merge commit
 * @throws RoomError `refused`, `conflict`: it does not fit */
export async function prepareMerge(
  git: Git,
  { path, project, branch }: Worktree,
  how: RoomConfig['merge'],
  message: string,
): Promise<ReadyMerge> {
  const tip = await tipOf(git, project, branch);
  const hint = `make it again where its work ended: git -C ${project} branch ${branch} COMMIT`;
  if (tip === null) throw new RoomError('refused', `the branch ${branch} is gone`, hint);
  const { ok, stdout: into } = await git(project, 'symbolic-ref', '--quiet', '--short', 'HEAD');
  const head = await commitAt(git, project, 'HEAD');
  if (!ok || head === null)
    throw new RoomError('refused', `${project} has no branch checked out to merge into`, {
      hint: `check one out: git -C ${project} switch BRANCH`,
    });
  if (await isAncestor(git, project, tip, head)) {
    const nothing = async () => {};
    return { into, commit: head, changed: false, make: nothing, undo: nothing };
  }
  const isBare = (await git(project, 'rev-parse', '--is-bare-repository')).stdout === 'true';
  if (!isBare) await assertCommitted(git, project, ['--untracked-files=no'], 'commit or stash them there');
  const isForward = await isAncestor(git, project, head, tip);
  if (how === 'fast_forward' && !isForward)
    throw new RoomError(
      'refused',
      `${into} went on since ${branch} began, and only a fast-forward is allowed`,
      { hint: `git -C ${path} rebase ${into}; or set merge: auto in room.yaml` },
    );
  const forward = isForward && how !== 'commit';
  const commit = forward ? tip : await commitMerge(git, { project, path, branch, into, head, tip }, message);
  const assertMade = async (made: ReturnType<Git>) => {
    const fault = await faultOf(made);
    if (fault !== null)
      throw new RoomError('refused', `git could not merge ${branch} into ${into}: ${fault}`);
  };
  // Whether the files there are in its way.
  if (!isBare) await assertMade(git(project, 'read-tree', '-n', '-m', '-u', head, commit));
  const move = (...[to, from]: [string, string]) =>
    git(project, 'update-ref', '-m', message, `refs/heads/${into}`, to, from);
  return {
    ...{ into, commit, changed: true },
    make: () =>
      assertMade(isBare ? move(commit, head) : git(project, 'merge', '--quiet', '--ff-only', commit)),
    undo: async () =>
      void (await (isBare ? move(head, commit) : git(project, 'reset', '--quiet', '--keep', head))),
  };
}

type Sides = Omit<Worktree, 'base'> & Record<'into' | 'head' | 'tip', string>;

async function commitMerge(git: Git, sides: Sides, message: string): Promise<string> {
  const { project, path, branch, into, head, tip } = sides;
  const options = ['--write-tree', '--name-only', '--no-messages', '-z'];
  const tried = await git(project, 'merge-tree', ...options, head, tip);
  const [tree = '', ...files] = tried.stdout.split('\0').filter((part) => part !== '');
  if (!tried.ok && files.length > 0) {
    const more = files.length > SHOWN ? ` and ${files.length - SHOWN} more` : '';
    const names = files.slice(0, SHOWN).join(', ');
    const hint = `merge ${into} into the branch: ask for it with taskroom comment, or git -C ${path} merge ${into}`;
    throw new RoomError('conflict', `${branch} and ${into} change the same in ${names}${more}`, hint);
  }
  const made = tried.ok
    ? await git(project, 'commit-tree', tree, '-p', head, '-p', tip, '-m', message)
    : tried;
  if (made.ok) return made.stdout;
  throw new RoomError('refused', `git could not merge ${branch} into ${into}: ${made.message}`);
}

/** @param options of `git status` @throws RoomError `refused` when files of the folder are not committed, or can't be read */
export async function assertCommitted(git: Git, dir: string, options: string[], hint: string): Promise<void> {
  const status = await git(dir, 'status', '--porcelain', ...options);
  if (!status.ok) throw new RoomError('refused', `${dir} can't be read: ${status.message}`);
  const count = status.stdout.split('\n').filter((line) => line !== '').length;
  if (count === 0) return;
  const files = count === 1 ? '1 file' : `${count} files`;
  throw new RoomError('refused', `${dir} has ${files} with changes that are not committed`, { hint });
}

/** How long discarded work can be fetched back. */
export const DISCARDED_KEPT_MS = 30 * 86_400_000;
const DISCARDED = 'refs/taskroom/discarded';

/** Sets the branch aside, with what is not committed in its worktree, and returns the reference. @param isThere the worktree
 * @throws RoomError `refused` */
export async function setAside(
  gitWith: GitWith,
  { path, project, branch, base }: Worktree,
  { folder, atMs, isThere }: { folder: string; atMs: number; isThere: boolean },
): Promise<string> {
  const git = gitWith({});
  const tip = (isThere ? await commitAt(git, path, 'HEAD') : await tipOf(git, project, branch)) ?? base;
  const commit = isThere
    ? await withSnapshot(gitWith, path, true, (own, tree) => commitLoose(own, path, tip, tree))
    : tip;
  const reference = `${DISCARDED}/${folder}/${atMs}`;
  const kept = await git(project, 'update-ref', reference, commit);
  if (kept.ok) return reference;
  throw new RoomError('refused', `the work of ${branch} can't be set aside: ${kept.message}`);
}

async function commitLoose(git: Git, path: string, tip: string, tree: string): Promise<string> {
  if ((await git(path, 'rev-parse', `${tip}^{tree}`)).stdout === tree) return tip;
  const who = ['-c', 'user.name=taskroom', '-c', 'user.email=taskroom@localhost'];
  const made = await git(path, ...who, 'commit-tree', tree, '-p', tip, '-m', 'What was not committed');
  if (made.ok) return made.stdout;
  throw new RoomError('refused', `what is not committed in ${path} can't be set aside: ${made.message}`);
}

/** Removes the worktree and the branch, whatever they hold. Returns what went wrong; null for nothing. */
export async function dropWorktree(git: Git, { path, project, branch }: Worktree, isThere: boolean) {
  // Twice: a locked one too.
  const how = isThere ? ['remove', '--force', '--force', path] : ['prune'];
  const removed = await git(project, 'worktree', ...how);
  if (!removed.ok) return removed.message;
  const has = await hasBranch(git, project, branch);
  const dropped = has ? await git(project, 'branch', '--quiet', '-D', branch) : removed;
  return dropped.ok ? null : dropped.message;
}

export async function forgetDiscarded(git: Git, dir: string, beforeMs: number): Promise<void> {
  const { ok, stdout } = await git(dir, 'for-each-ref', '--format=%(refname)', DISCARDED);
  for (const reference of ok ? stdout.split('\n') : [])
    if (Number(reference.split('/').at(-1)) < beforeMs) await git(dir, 'update-ref', '-d', reference);
}
