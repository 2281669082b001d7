// The repository that a task's branch is handed over to: found by the remote of its project, on github.com or the server that a
// chore names, and opened with the chore's own trust where one mirrors it.
import type { MirrorConfig } from '../../core/chore/chore.ts';
import { RoomError } from '../../core/errors.ts';
import type { Provider, ProviderFactory, PullRequests, SourceConfig } from '../../providers/provider.ts';
import type { SyncDeps } from '../sync-pass.ts';

const PROVIDER = 'github'; // The only built-in provider that has pull requests.

export interface PullRoom {
  deps: SyncDeps;
  pool: {
    open(name: string, config: RepositoryConfig): Promise<Provider>;
    forget(name: string): Promise<void>;
  };
  signal: AbortSignal;
}

type Place = Pick<SourceConfig, 'source' | 'url'>;
type RepositoryConfig = SourceConfig & Pick<MirrorConfig, 'provider' | 'trust' | 'mentions'>;

export interface Repository {
  config: RepositoryConfig;
  factory: ProviderFactory;
  provider: Provider & { readonly pullRequest: PullRequests };
}

/** @throws RoomError `refused` when no remote lies on a server that is known, and as providers throw */
export async function repositoryOfRemotes(room: PullRoom, remotes: readonly string[]): Promise<Repository> {
  const factory = await room.deps.factory(PROVIDER);
  const urls = new Set([...mirrorsOn(room.deps).map(({ url }) => url), null]);
  for (const url of urls)
    for (const address of remotes) {
      const source = factory.sourceOfRemote?.(address, url) ?? null;
      if (source !== null) return openRepository(room, { source, url });
    }
  const remote = remotes[0] === undefined ? 'no remote' : `the remote ${withoutSecret(remotes[0])}`;
  const hint =
    'git remote set-url origin git@github.com:OWNER/REPOSITORY.git; for another server a chore with its url: (docs/workspaces.md)';
  throw new RoomError('refused', `its project has ${remote}, which is no repository on GitHub`, hint);
}

const mirrorsOn = ({ chores }: SyncDeps): MirrorConfig[] =>
  chores().flatMap(({ mirror }) => (mirror?.provider === PROVIDER ? [mirror] : []));

/** @param url of its server's API; null for the tracker's own */
export async function openRepository({ deps, pool }: PullRoom, { source, url }: Place): Promise<Repository> {
  const factory = await deps.factory(PROVIDER);
  const mirror = mirrorsOn(deps).find((one) => one.url === url && factory.owns(`${source}#1`, one));
  const config: RepositoryConfig = {
    ...{ provider: PROVIDER, source: mirror?.source ?? source, url, fields: null, options: {} },
    filter: { labels: [], assignee: null, state: 'all' },
    trust: mirror?.trust ?? { roles: null, logins: [], edits: 'trusted' },
    mentions: mirror?.mentions ?? false,
  };
  const provider = await pool.open(poolName(source), config);
  return { config, factory, provider: withPulls(provider) };
}

export const poolName = (source: string): string => `pull requests of ${source}`;

/** @throws RoomError `refused` where the tracker has no pull requests */
export function withPulls(provider: Provider): Repository['provider'] {
  const { pullRequest } = provider;
  if (pullRequest !== undefined) return { ...provider, pullRequest };
  throw new RoomError('refused', `${provider.name} opens no pull requests`);
}

const withoutSecret = (address: string): string => address.replace(/(\/\/[^/@:]*):[^/@]*@/, '$1:…@');
