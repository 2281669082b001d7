// The provider of Linear: a source is a team, an issue is mirrored with its comments and what blocks it.
import { FIELDS } from '../../core/chore/fields.ts';
import type { Effects } from '../../effects.ts';
import type { Provider, ProviderFactory, SourceConfig } from '../provider.ts';
import { underSignal } from '../tracker-rules.ts';
import { listIssues } from './listing.ts';
import { normalise } from './normalise.ts';
import { checkSource, LIMITS, owns, readOptions, refOfUrl } from './options.ts';
import { createApi, getIssues, readActs } from './read-issues.ts';
import { classOf } from './states.ts';
import { createTransport, missingCredentials, SECRETS } from './transport.ts';
import { linearWebhooks } from './webhooks.ts';
import { addComment, createIssue, editComment, updateIssue } from './write-issues.ts';

export const linearFactory: ProviderFactory = {
  name: 'linear',
  secrets: SECRETS,
  check: checkSource,
  missing: async (_config, effects) => missingCredentials(effects),
  open: openLinear,
  shortRef: (ref) => ref,
  refOfUrl,
  owns,
  webhooks: linearWebhooks,
};

async function openLinear(config: SourceConfig, effects: Effects): Promise<Provider> {
  const options = readOptions(config);
  const fields = new Set(config.fields ?? FIELDS);
  const transport = await createTransport(config, effects);
  const bound = underSignal(createApi(transport, { config, options, fields }));
  return {
    name: 'linear',
    profile: {
      limits: LIMITS,
      writable: FIELDS.filter((field) => fields.has(field)),
      normalise,
      classOf: (status) => classOf(status, options),
      trustedRoles: ['owner', 'admin', 'member'],
      remote: true,
    },
    list: bound(listIssues),
    get: bound(getIssues),
    acts: bound(readActs),
    write: { create: bound(createIssue), update: bound(updateIssue) },
    ...(fields.has('comments') ? { comment: { add: bound(addComment), edit: bound(editComment) } } : {}),
    usage: transport.usage,
    close: async () => {},
  };
}
