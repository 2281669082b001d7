// What a chore says of its mirror, and what a provider is told of its source, where a test says no more.
import type { MirrorConfig } from '../../src/core/chore/chore.ts';
import type { SourceConfig } from '../../src/providers/provider.ts';

/** A mirror of open issues that sends nothing upstream. */
export function mirrorConfig(change: Partial<MirrorConfig> = {}): MirrorConfig {
  return {
    provider: 'memory',
    source: 'acme/web',
    filter: { labels: [], assignee: null, state: 'open' },
    push: [],
    prefer: 'remote',
    trust: { roles: null, logins: [], edits: 'trusted' },
    mentions: false,
    owner: null,
    checks: [],
    publish: null,
    fields: null,
    url: null,
    options: {},
    ...change,
  };
}

/** Every issue of a source, with everything the server has. */
export function sourceConfig(source: string, change: Partial<SourceConfig> = {}): SourceConfig {
  const filter = { labels: [], assignee: null, state: 'all' } as const;
  return { source, filter, url: null, fields: null, options: {}, ...change };
}
