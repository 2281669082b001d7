// GitHub as a provider: github.com, GitHub Enterprise, or any server that speaks its REST API.
import { RoomError } from '../../core/errors.ts';
import type { Effects } from '../../effects.ts';
import type { Provider, ProviderFactory, SourceConfig } from '../provider.ts';
import type { Pace } from './client.ts';
import { findCredentials, SECRETS } from './credentials.ts';
import { apiBase, checkSource, isOf, refOfUrl } from './options.ts';
import { githubWebhooks } from './webhooks.ts';

/** @param pace For tests alone; nothing a person sets can change GitHub's own pace. */
export function createGithubFactory(pace: Partial<Pace> = {}): ProviderFactory {
  return {
    name: 'github',
    secrets: SECRETS,
    check: checkSource,
    async missing(config, effects) {
      const search = await findCredentials(effects, apiBase(config));
      return search.found ? [] : search.missing;
    },
    open: (config, effects) => openSource(config, effects, pace),
    shortRef: (ref) => ref.slice(ref.indexOf('/') + 1),
    refOfUrl(url, config) {
      const ref = refOfUrl(url, apiBase(config));
      return ref !== null && isOf(ref, config.source)
        ? `${config.source}${ref.slice(ref.indexOf('#'))}`
        : ref;
    },
    owns: (ref, { source }) => isOf(ref, source),
    webhooks: githubWebhooks,
  };
}

async function openSource(config: SourceConfig, effects: Effects, pace: Partial<Pace>): Promise<Provider> {
  const api = apiBase(config);
  const search = await findCredentials(effects, api);
  if (!search.found) {
    const { what, set } = search.missing[0]!;
    throw new RoomError('unauthorized', `${what} is missing`, { hint: set });
  }
  // Loaded when a source is opened: a command that mirrors nothing starts without it.
  const { openProvider } = await import('./open-provider.ts');
  return await openProvider(config, search.found, effects, pace);
}

export const githubFactory = createGithubFactory();
