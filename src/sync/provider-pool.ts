// The providers that are open, one for each chore's source; another configuration of a chore opens it anew.
import type { Chore, MirrorConfig } from '../core/chore/chore.ts';
import { RoomError } from '../core/errors.ts';
import type { Provider } from '../providers/provider.ts';
import type { SyncDeps } from './contract.ts';
import { hashOf } from './plan/keys.ts';

export interface MirrorChore extends Chore {
  mirror: MirrorConfig;
}

/** @throws RoomError `not_found` for a chore that is none, can't be read, or mirrors nothing */
export function findMirrorChore(deps: SyncDeps, name: string): MirrorChore {
  const chores = deps.chores();
  const chore = chores.find((one) => one.name === name);
  if (chore?.mirror) return chore as MirrorChore;
  const mirrors = chores.filter(({ mirror }) => mirror !== null).map((one) => one.name);
  const what = chore
    ? `${name} mirrors nothing: it has no mirror:`
    : `no chore ${JSON.stringify(name)} that can be read`;
  throw new RoomError('not_found', what, {
    hint: mirrors.length > 0 ? `chores that mirror: ${mirrors.join(', ')}` : 'see: taskroom chores',
  });
}

/** Hash of all that decides what a source's listing holds. */
export function configHashOf({ provider, source, filter, url, fields, options }: MirrorConfig): string {
  return hashOf(JSON.stringify([provider, source, filter, url, fields, options]));
}

export type ProviderPool = ReturnType<typeof createProviderPool>;

export function createProviderPool(deps: SyncDeps) {
  const open = new Map<string, { config: string; provider: Provider }>();
  const forget = async (chore: string): Promise<void> => {
    const entry = open.get(chore);
    open.delete(chore);
    await entry?.provider.close();
  };
  return {
    /** @throws RoomError as `factory.open` */
    async open(chore: string, config: MirrorConfig): Promise<Provider> {
      const hash = configHashOf(config);
      const entry = open.get(chore);
      if (entry?.config === hash) return entry.provider;
      await forget(chore);
      const factory = await deps.factory(config.provider);
      const problems = factory.check(config);
      if (problems.length > 0)
        throw new RoomError(
          'bad_input',
          `chores/${chore}.md: ${problems.map(({ message }) => message).join('; ')}`,
          {
            hint: problems[0]?.hint ?? problems[0]?.expected ?? `mend chores/${chore}.md`,
          },
        );
      const provider = await factory.open(config, deps.effects);
      open.set(chore, { config: hash, provider });
      return provider;
    },
    /** Closes the one of this chore: its credentials may be other ones next time. */
    forget,
    async close() {
      for (const chore of [...open.keys()]) await forget(chore);
    },
  };
}
