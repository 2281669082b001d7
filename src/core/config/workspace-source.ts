// What an agent's workspaces are made of: the project that its `cwd` names, or a repository by its address.
import * as z from 'zod';
import { kind } from './values.ts';

const ADDRESS =
  /^(?:(?:https?|ssh|git):\/\/(?!-)\S+|file:\/\/\/\S+|\/[^\n\r\0]+|\w[\w.-]*@\w[\w.-]*:(?!-)\S+)$/;
const BRANCH = /^(?![-/])(?!.*(?:\.\.|@\{|\/\/))[^\s~^:?*[\\]+$/;

export function workspace() {
  const repository = z
    .string()
    .regex(ADDRESS)
    // What it holds stays out of the message.
    .refine((address) => (URL.parse(address)?.password ?? '') === '', {
      error: 'a secret stands in the address',
      params: {
        expected: 'an address without it',
        hint: "git's own credential helper, or a key of ssh, knows it on each machine",
      },
    });
  const shape = {
    repository: kind(repository, 'address', 'an address as git takes it, or an absolute path'),
    /** Where the branches of tasks begin; null for the project's own branch. */
    base: kind(z.string().regex(BRANCH), 'text', 'the name of a branch or tag, or pull/12')
      .nullish()
      .transform((name) => name ?? null),
  };
  const ofProject = z
    .strictObject({ base: shape.base })
    .transform((found) => ({ ...found, repository: null }));
  // In `folder` of it the agent works; '' for all of it.
  const ofRepository = z.strictObject(shape).transform((found) => ({ ...found, folder: '' }));
  const expected = '"worktree", or a map of repository and base, either may be left out';
  const schema = z.union([z.literal('worktree'), ofProject, ofRepository]);
  return kind(schema, 'worktree, or map of repository and base', expected);
}

export type WorkspaceSource = z.output<ReturnType<typeof workspace>>;
export type RepositoryWorkspace = Extract<WorkspaceSource, { repository: string }>;

export const isOfRepository = (source: WorkspaceSource | null): source is RepositoryWorkspace =>
  source !== null && source !== 'worktree' && source.repository !== null;

/** Beside a repository `cwd` names a folder in it, and none of this machine. */
export function placeOf({ workspace, cwd }: { workspace: WorkspaceSource | null; cwd: string | null }) {
  if (!isOfRepository(workspace) || cwd === null) return { workspace, cwd };
  const parts = cwd.split('/').filter((part) => part !== '' && part !== '.');
  return { workspace: { ...workspace, folder: parts.join('/') }, cwd: null };
}

/** Whether only this machine sees it. */
export const isLocalRepository = ({ repository }: Pick<RepositoryWorkspace, 'repository'>): boolean =>
  repository.startsWith('/') || repository.startsWith('file:');
