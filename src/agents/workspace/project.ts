// The git repository that an agent's `cwd` names, and the worktrees that it knows.
import { stat } from 'node:fs/promises';
import type { Git } from './git.ts';

export interface Project {
  /** Absolute path: its work tree, or the repository itself where it is bare. */
  dir: string;
  /** Folder inside it that `cwd` named; '' for all of it. */
  prefix: string;
  /** Commit that new branches begin at. */
  head: string;
}

export interface Trouble {
  ok: false;
  /** True when it passes by itself or by trying again; else a person has to do something. */
  passes: boolean;
  message: string;
}

export function needsPerson(message: string): Trouble {
  return { ok: false, passes: false, message };
}

/** @param dir absolute path */
export async function readProject(git: Git, dir: string): Promise<{ ok: true; project: Project } | Trouble> {
  const folder = await stat(dir).catch(() => null);
  if (!folder?.isDirectory())
    return needsPerson(`the project ${dir} is not there; create it or change "cwd"`);
  const kind = await git(dir, 'rev-parse', '--is-bare-repository');
  if (!kind.ok) {
    const hint = 'run git init there, change "cwd", or leave "workspace" out';
    return needsPerson(`a workspace needs a git project, and ${dir} is none: ${kind.message}; ${hint}`);
  }
  const isBare = kind.stdout === 'true';
  const place = isBare
    ? await git(dir, 'rev-parse', '--absolute-git-dir')
    : await git(dir, 'rev-parse', '--show-toplevel', '--show-prefix');
  if (!place.ok) return needsPerson(`${dir} is no folder of a git project's work tree: ${place.message}`);
  const head = await git(dir, 'rev-parse', '--verify', '--quiet', 'HEAD^{commit}');
  if (!head.ok)
    return needsPerson(`the git project ${dir} has no commit to begin at; commit something first`);
  const [top = '', prefix = ''] = place.stdout.split('\n');
  return { ok: true, project: { dir: top, prefix: prefix.replace(/\/$/, ''), head: head.stdout } };
}

export interface Listed {
  path: string;
  /** `refs/heads/…`, null where no branch is checked out. */
  branch: string | null;
  isLocked: boolean;
}

export async function listWorktrees(git: Git, project: string): Promise<Listed[]> {
  const { ok, stdout } = await git(project, 'worktree', 'list', '--porcelain');
  if (!ok) return [];
  return stdout.split('\n\n').flatMap((block) => {
    const lines = block.split('\n');
    const value = (key: string) =>
      lines.find((line) => line.startsWith(`${key} `))?.slice(key.length + 1) ?? null;
    const path = value('worktree');
    if (path === null) return [];
    return [{ path, branch: value('branch'), isLocked: lines.some((line) => /^locked( |$)/.test(line)) }];
  });
}

export async function hasBranch(git: Git, project: string, branch: string): Promise<boolean> {
  return (await git(project, 'show-ref', '--verify', '--quiet', `refs/heads/${branch}`)).ok;
}
