// Opens a GitHub source: connection, account and requests put together as the contract's Provider.
import type { Effects } from '../../effects.ts';
import type { Provider, SourceConfig } from '../provider.ts';
import { fetchActs } from './acts.ts';
import { createClient } from './api/client.ts';
import { connect, DEFAULT_PACE, type Pace } from './api/connect.ts';
import type { Credentials } from './api/credentials.ts';
import { createSource } from './api/source.ts';
import { explainGone, getIssues } from './issues.ts';
import { listIssues } from './listing.ts';
import { openPullRequest } from './open-pull-request.ts';
import { apiBase } from './options.ts';
import { createProfile } from './profile.ts';
import { addComment, editComment } from './write-comments.ts';
import { createIssue, updateIssue } from './write-issues.ts';

export async function openProvider(
  config: SourceConfig,
  credentials: Credentials,
  effects: Effects,
  pace: Partial<Pace>,
): Promise<Provider> {
  const api = apiBase(config);
  const place = { api, source: config.source };
  const connection = await connect(credentials, place, effects, { ...DEFAULT_PACE, ...pace });
  const source = createSource(createClient(connection, api), config, connection);
  const profile = createProfile(config);
  return {
    name: 'github',
    profile,
    list: (cursor, signal) => listIssues(source, cursor, signal),
    get: (refs, signal) => getIssues(source, refs, signal),
    acts: (issue, since, signal) => fetchActs(source, issue, since, signal),
    write: {
      create: (draft, attempt, signal) => createIssue(source, draft, attempt, signal),
      update: (ref, change, expected, signal) =>
        explainGone(source, ref, signal, () => updateIssue(source, ref, change, expected, signal)),
    },
    ...(profile.writable.includes('comments')
      ? {
          comment: {
            add: (ref, body, attempt, signal) =>
              explainGone(source, ref, signal, () => addComment(source, ref, body, attempt, signal)),
            edit: (ref, id, body, signal) =>
              explainGone(source, ref, signal, () => editComment(source, ref, id, body, signal)),
          },
        }
      : {}),
    pullRequest: { open: (ref, draft, signal) => openPullRequest(source, ref, draft, signal) },
    usage: () => ({ ...connection.transport.usage }),
    close: async () => {},
  };
}
