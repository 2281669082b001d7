// What an agent's workspaces are made of: the project that its `cwd` names, or repositories by their addresses or paths.
import * as z from 'zod';
import { kind } from './values.ts';

const ADDRESS =
  /^(?:(?:https?|ssh|git):\/\/(?!-)\S+|file:\/\/\/\S+|\/[^\n\r\0]+|\w[\w.-]*@\w[\w.-]*:(?!-)\S+)$/;
const BRANCH = /^(?![-/])(?!.*(?:\.\.|@\{|\/\/))[^\s~^:?*[\\]+$/;
/** A path from the room's folder. */
const PATH = /^(?![-~])[^\s:\\\0]+$/;
/** What a repository among several may be called. */
export const REPOSITORY_NAME = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}$/;
const MOST = 20;

export interface RepositorySource {
  name: string; // Its folder in the workspace; '' for the one that the workspace itself is of.
  address: string | null; // What this machine copies; null for a project that lies on it.
  /** That project, from the room's folder; null for the one that the agent's `cwd` names. */
  project: string | null;
  base: string | null; // Where branches of tasks begin; null for the repository's own branch.
}

/** `folder`: where in it the agent works; '' for all of it, and where `cwd` names a project. */
export type WorkspaceSource = { repositories: RepositorySource[]; folder: string };

export function workspace() {
  const address = kind(
    openAddress(z.string().regex(ADDRESS)),
    'address',
    'an address as git takes it, or an absolute path',
  );
  const base = kind(z.string().regex(BRANCH), 'text', 'the name of a branch or tag, or pull/12').nullish();
  const one = openAddress(z.string().max(1000).refine(isRepository));
  const named = kind(one, 'address or path', 'an address as git takes it, or a path from the room');
  const each = z.union([named, z.strictObject({ repository: named, base })]);
  const list = z
    .array(each)
    .min(1)
    .max(MOST)
    .refine((found) => twiceIn(found.map(addressIn)) === null, {
      error: 'two repositories have one name',
      params: { expected: 'repositories whose last parts differ', hint: 'each is a folder of that name' },
    });
  const ofCwd = z.literal('worktree').transform(() => [toSource(null, null)]);
  const ofMap = z
    .strictObject({
      repository: address.optional(),
      repositories: kind(list, 'list', 'a list of repositories').optional(),
      base,
    })
    .refine(({ repository, repositories }) => repository === undefined || repositories === undefined, {
      error: 'it names one repository and several',
      params: { expected: 'repository, or repositories' },
    })
    .transform(({ repository, repositories, base: common }) =>
      repositories === undefined
        ? [toSource(repository ?? null, common)]
        : repositories.map((said) => {
            const { repository: one, base: own = null } =
              typeof said === 'string' ? { repository: said } : said;
            return { ...toSource(one, own ?? common), name: nameOf(one) };
          }),
    );
  const expected = '"worktree", or a map of repository (or repositories) and base, each may be left out';
  const schema = z
    .union([ofCwd, ofMap])
    .transform((repositories): WorkspaceSource => ({ repositories, folder: '' }));
  return kind(schema, 'worktree, or map of repository or repositories, and base', expected);
}

const hasSecret = (address: string): boolean => (URL.parse(address)?.password ?? '') !== '';

/** What it holds stays out of the message. */
const openAddress = (schema: z.ZodString) =>
  schema.refine((address) => !hasSecret(address), {
    error: 'a secret stands in the address',
    params: {
      expected: 'an address without it',
      hint: "git's own credential helper, or a key of ssh, knows it on each machine",
    },
  });

const addressIn = (said: string | { repository: string }): string =>
  typeof said === 'string' ? said : said.repository;

const isAddress = (text: string): boolean => ADDRESS.test(text);

function toSource(said: string | null, base: string | null | undefined): RepositorySource {
  const isCopied = said !== null && isAddress(said);
  return { name: '', address: isCopied ? said : null, project: isCopied ? null : said, base: base ?? null };
}

/** The folder of a repository among several: the last part of its address. */
export function nameOf(address: string): string {
  const parts = address.replace(/\/+$/, '').replace(/\.git$/, '');
  return parts.split(/[/:]/).at(-1)!;
}

const isRepository = (text: string): boolean =>
  (isAddress(text) || PATH.test(text)) &&
  REPOSITORY_NAME.test(nameOf(text)) &&
  !/\.(?:lock|git)$|\.$/i.test(nameOf(text));

/** The first name that two of them have, however they spell it; null for none. */
function twiceIn(addresses: readonly string[]): string | null {
  const names = addresses.map((each) => nameOf(each).toLowerCase());
  return names.find((name, at) => names.indexOf(name) !== at) ?? null;
}

/** What a task's `repositories` name, or what is wrong with them. */
export function sourcesOf(said: readonly string[]): RepositorySource[] | { fault: string } {
  const odd = said.find((one) => !isRepository(one) || hasSecret(one));
  if (odd !== undefined)
    return { fault: 'it names one that is no address without a secret, and no path from the room' };
  if (said.length > MOST) return { fault: `it names more than ${MOST}` };
  const twice = twiceIn(said);
  if (twice !== null) return { fault: `two of them are called ${twice}, and each is a folder of its name` };
  return said.map((one) => ({ ...toSource(one, null), name: nameOf(one) }));
}

/** Where `cwd` names a folder in the workspace, and none of this machine. */
export function placeOf({ workspace, cwd }: { workspace: WorkspaceSource | null; cwd: string | null }) {
  if (workspace === null || cwd === null || isOfCwd(workspace)) return { workspace, cwd };
  const parts = cwd.split('/').filter((part) => part !== '' && part !== '.');
  return { workspace: { ...workspace, folder: parts.join('/') }, cwd: null };
}

const isOfCwd = ({ repositories: [only] }: WorkspaceSource): boolean =>
  only !== undefined && only.address === null && only.project === null;

/** Whether only this machine sees it. */
export const isOnlyHere = ({ address }: Pick<RepositorySource, 'address'>): boolean =>
  address === null || address.startsWith('/') || address.startsWith('file:');

/** Why a worker can't have that workspace; null when it can. */
export function unseenByWorkers(workspace: WorkspaceSource | null): { message: string; hint: string } | null {
  const unseen = workspace?.repositories.find(isOnlyHere);
  if (unseen === undefined) return null;
  const hint = 'name it by an address that every worker reaches: "workspace": {"repository": "https://…"}';
  const message =
    unseen.address === null
      ? 'its workspace is a worktree on this machine, which a worker does not see'
      : `${unseen.address} lies on this machine, and a worker does not see it`;
  return { message, hint };
}
