// What a chore says of its mirror, and what a provider is told of its source, where a test says no more.
import { type Chore, DEFAULT_PUSH, type MirrorConfig } from '../../src/core/chore/chore.ts';
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

/** A chore that is nothing but a mirror, run by hand alone. */
export function mirrorChore(name: string, mirror: Partial<MirrorConfig> = {}): Chore {
  const chore = { name, path: `chores/${name}.md`, schedule: null, paused: false, owner: null, prompt: '' };
  return { ...chore, mirror: mirrorConfig({ push: [...DEFAULT_PUSH], ...mirror }) };
}

/** Every issue of a source, with everything the server has. */
export function sourceConfig(source: string, change: Partial<SourceConfig> = {}): SourceConfig {
  const filter = { labels: [], assignee: null, state: 'all' } as const;
  return { source, filter, url: null, fields: null, options: {}, ...change };
}
