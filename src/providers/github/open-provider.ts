// Opens a GitHub source: connection, account and requests put together as the contract's Provider.
import { FIELDS, type Field } from '../../core/chore/fields.ts';
import type { Effects } from '../../effects.ts';
import type { Provider, SourceConfig } from '../provider.ts';
import { underSignal } from '../tracker-rules.ts';
import { fetchActs } from './acts.ts';
import { createClient } from './client.ts';
import { connect, type Pace } from './connect.ts';
import type { Credentials } from './credentials.ts';
import { listIssues } from './listing.ts';
import { LIMITS, normalise } from './marker.ts';
import { apiBase } from './options.ts';
import { createSource, explained, getIssues } from './source.ts';
import { classOf } from './to-remote-task.ts';
import { addComment, createIssue, editComment, openPullRequest, updateIssue } from './write-issues.ts';

const HAS_NONE_OF: readonly Field[] = ['priority', 'due'];

export async function openProvider(
  config: SourceConfig,
  credentials: Credentials,
  effects: Effects,
  pace: Partial<Pace>,
): Promise<Provider> {
  const place = { api: apiBase(config), source: config.source };
  const connection = await connect(credentials, place, effects, pace);
  const bound = underSignal(createSource(createClient(connection), config, connection));
  const isAsked = (field: Field) => config.fields === null || config.fields.includes(field);
  return {
    name: 'github',
    profile: {
      limits: LIMITS,
      writable: FIELDS.filter((field) => isAsked(field) && !HAS_NONE_OF.includes(field)),
      normalise,
      classOf,
      trustedRoles: ['owner', 'member', 'collaborator'],
      remote: true,
    },
    list: bound(listIssues),
    get: bound(getIssues),
    acts: bound(fetchActs),
    write: { create: bound(createIssue), update: bound(explained(updateIssue)) },
    ...(isAsked('comments')
      ? { comment: { add: bound(explained(addComment)), edit: bound(explained(editComment)) } }
      : {}),
    pullRequest: { open: bound(openPullRequest) },
    usage: () => ({ ...connection.usage }),
    close: async () => {},
  };
}
