// What a worktree changes against its base, committed or not. The files as they lie there become a tree beside the agent's index
// and its repository's objects, and git compares the two trees: no program that the agent's settings or attributes name runs.
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RoomError } from '../../core/errors.ts';
import type { TaskDiff } from '../../core/review-shapes.ts';
import { commitAt, tipOf } from './branch.ts';
import type { Git } from './git.ts';
import type { Worktree } from './worktree.ts';

/** git with further variables. */
export type GitWith = (variables: Readonly<Record<string, string>>) => Git;

type Diff = Pick<TaskDiff, 'base' | 'files' | 'note'> & { base: string };
type FileDiff = Diff['files'][number];

/** @param stat without hunks @throws RoomError `refused` when git can't read the worktree */
export async function readDiff(gitWith: GitWith, worktree: Worktree, stat: boolean): Promise<Diff> {
  const { path, project, branch } = worktree;
  if (existsSync(path))
    return withSnapshot(gitWith, path, false, async (git, tree, note) => ({
      ...(await compare(
        git,
        path,
        await baseOf(git, worktree, await commitAt(git, path, 'HEAD')),
        tree,
        stat,
      )),
      ...(note === null ? {} : { note }),
    }));
  const git = gitWith({});
  const tip = await tipOf(git, project, branch);
  if (tip === null)
    throw new RoomError('refused', `neither ${path} nor the branch ${branch} is there`, {
      hint: 'the next turn of the task makes both again',
    });
  return compare(git, project, await baseOf(git, worktree, tip), tip, stat);
}

/** Where the branch left the one that is checked out in the project; where it began, when it is merged or that can't be told. */
async function baseOf(git: Git, { project, base }: Worktree, tip: string | null): Promise<string> {
  const target = await commitAt(git, project, 'HEAD');
  if (target === null || tip === null) return base;
  const { ok, stdout } = await git(project, 'merge-base', target, tip);
  return ok && stdout !== tip ? stdout : base;
}

/**
 * Calls `use` with the worktree's files as a tree.
 * @param isKept its objects go into the repository; else they are gone afterwards
 */
export async function withSnapshot<T>(
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
    const git = gitWith(
      isKept
        ? { GIT_INDEX_FILE: apart.GIT_INDEX_FILE }
        : { ...apart, GIT_ALTERNATE_OBJECT_DIRECTORIES: JSON.stringify(objects) },
    );
    const added = await git(path, '-c', 'core.safecrlf=false', 'add', '--all', '--ignore-errors', '.');
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

async function compare(git: Git, cwd: string, from: string, to: string, stat: boolean): Promise<Diff> {
  const listed = await git(cwd, ...COMPARE, '--raw', '--numstat', '-z', from, to);
  if (!listed.ok) throw new RoomError('refused', `git can't compare ${cwd}: ${listed.message}`);
  const files = parseList(listed.stdout);
  if (stat || files.length === 0) return { base: from, files, note: null };
  const patch = await git(cwd, ...COMPARE, '--patch', from, to);
  if (patch.ok) return { base: from, files: withHunks(files, patch.stdout), note: null };
  return { base: from, files, note: `its lines are left out, git could not show them: ${patch.message}` };
}

const CHANGES: Readonly<Record<string, FileDiff['change']>> = {
  ...{ A: 'added', D: 'deleted', M: 'modified', R: 'renamed', T: 'type_changed' },
};

/** What git says with `--raw --numstat -z`: a record of each file, then the counts of each in the same order. */
function parseList(text: string): FileDiff[] {
  const parts = text.split('\0');
  const files: FileDiff[] = [];
  let at = 0;
  for (; parts[at]?.startsWith(':'); at += 2) {
    const change = CHANGES[parts[at]!.split(' ').at(-1)![0]!] ?? 'modified';
    const isRenamed = change === 'renamed';
    const old = isRenamed ? parts[at + 1]! : null;
    if (isRenamed) at += 1;
    const counts = { binary: false, additions: 0, deletions: 0 };
    files.push({ path: parts[at + 1]!, old_path: old, change, ...counts, head: [], hunks: [] });
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
function withHunks(files: FileDiff[], patch: string): FileDiff[] {
  let next = 0;
  let file: FileDiff | undefined;
  for (const line of patch.split('\n')) {
    if (line.startsWith('diff --git ')) file = files[next++];
    const [, old, now] = HUNK.exec(line) ?? [];
    if (old !== undefined)
      file?.hunks.push({ header: line, old_start: Number(old), new_start: Number(now), lines: [] });
    else (file?.hunks.at(-1)?.lines ?? file?.head)?.push(line);
  }
  return files;
}
