// What an agent's workspaces are made of: the project that its `cwd` names, or a repository by its address.
import { type Found, wrong } from './config-fields.ts';
import { show } from './shown-value.ts';

export interface RepositoryWorkspace {
  /** Address as git takes it; never with a password. */
  repository: string;
  /** Where the branches of tasks begin; null for the repository's own default. */
  branch: string | null;
  /** In it, where the agent works; '' for all of it. */
  folder: string;
}

export type WorkspaceSource = 'worktree' | RepositoryWorkspace;

const ADDRESS =
  /^(?:(?:https?|ssh|git):\/\/(?!-)\S+|file:\/\/\/\S+|\/[^\n\r\0]+|\w[\w.-]*@\w[\w.-]*:(?!-)\S+)$/;
const BRANCH = /^(?![-/])(?!.*(?:\.\.|@\{|\/\/))[^\s~^:?*[\\]+$/;

export function readWorkspace(value: unknown): Found<WorkspaceSource> {
  const expected = '"worktree", or a map of repository and branch, the last may be left out';
  if (value === 'worktree') return { value };
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return wrong(value, expected);
  const { repository, branch = null, ...others } = value as Record<string, unknown>;
  const [other] = Object.keys(others);
  if (other !== undefined) return { fault: `unknown key ${show(other)} in workspace`, expected };
  if (typeof repository !== 'string' || !ADDRESS.test(repository))
    return {
      fault: `repository can't be ${show(repository)}`,
      expected: 'an address as git takes it, or an absolute path',
    };
  const url = URL.parse(repository);
  if (url !== null && url.password !== '')
    return {
      fault: 'a secret stands in the address of the repository',
      expected: 'an address without it',
      hint: "git's own credential helper, or a key of ssh, knows it on each machine",
    };
  if (branch !== null && (typeof branch !== 'string' || !BRANCH.test(branch)))
    return { fault: `branch can't be ${show(branch)}`, expected: 'the name of a branch' };
  return { value: { repository, branch, folder: '' } };
}

export function isOfRepository(source: WorkspaceSource | null): source is RepositoryWorkspace {
  return source !== null && source !== 'worktree';
}

/** Beside a repository `cwd` names a folder in it, and none of this machine. */
export function placeOf({ workspace, cwd }: { workspace: WorkspaceSource | null; cwd: string | null }) {
  if (!isOfRepository(workspace) || cwd === null) return { workspace, cwd };
  const parts = cwd.split('/').filter((part) => part !== '' && part !== '.');
  return { workspace: { ...workspace, folder: parts.join('/') }, cwd: null };
}

/** Whether only this machine sees it. */
export function isLocalRepository({ repository }: Pick<RepositoryWorkspace, 'repository'>): boolean {
  return repository.startsWith('/') || repository.startsWith('file:');
}
