// The provider of Linear: a source is a team, an issue is mirrored with its comments and what blocks it.
import { FIELDS } from '../../core/chore/fields.ts';
import type { Effects } from '../../effects.ts';
import type { Profile, Provider, ProviderFactory, RemoteRef, RemoteTask, SourceConfig } from '../provider.ts';
import { readActs } from './acts.ts';
import { addComment, createIssue, editComment } from './create-issue.ts';
import { createDocuments, PAGE } from './documents.ts';
import type { LinearApi } from './linear-api.ts';
import { listIssues } from './listing.ts';
import { normalise } from './normalise.ts';
import { checkSource, fieldsOf, LIMITS, readOptions } from './options.ts';
import { readIssue, readIssuePage, toWholeTasks } from './read-issues.ts';
import { owns, parseRef, refOfUrl } from './refs.ts';
import { classOf } from './states.ts';
import { createTeams } from './teams.ts';
import { type Reading, toRemoteTask } from './to-remote-task.ts';
import { createTransport, missingCredentials, SECRETS } from './transport.ts';
import { updateIssue } from './update-issue.ts';
import { linearWebhooks } from './webhooks.ts';

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
  const reading: Reading = { config, options: readOptions(config), fields: fieldsOf(config) };
  const { ask, usage } = await createTransport(config, effects);
  const documents = createDocuments(reading.fields);
  const teams = createTeams(ask, documents.team, config.source);
  const api: LinearApi = { ask, documents, reading, teams };
  return {
    name: 'linear',
    profile: createProfile(reading),
    list: (cursor, signal) => listIssues(api, cursor, signal),
    get: (refs, signal) => getIssues(api, refs, signal),
    acts: (issue, since, signal) => readActs(api, issue, since, signal),
    write: {
      create: (draft, attempt, signal) => createIssue(api, draft, attempt, signal),
      update: (ref, change, expected, signal) => updateIssue(api, ref, change, expected, signal),
    },
    ...(reading.fields.has('comments')
      ? {
          comment: {
            add: (ref, body, attempt, signal) => addComment(api, ref, body, attempt, signal),
            edit: (ref, id, body, signal) => editComment(api, ref, id, body, signal),
          },
        }
      : {}),
    usage,
    close: async () => {},
  };
}

function createProfile({ fields, options }: Reading): Profile {
  return {
    limits: LIMITS,
    writable: FIELDS.filter((field) => fields.has(field)),
    normalise,
    classOf: (status) => classOf(status, options),
    trustedRoles: ['owner', 'admin', 'member'],
    remote: true,
  };
}

/** Page by page by number; what is missing there may have moved to another team, and is asked for by name. */
async function getIssues(
  api: LinearApi,
  refs: readonly RemoteRef[],
  signal: AbortSignal,
): Promise<Map<RemoteRef, RemoteTask>> {
  const wanted = new Map([...new Set(refs)].map((ref) => [ref, parseRef(ref)]));
  const found = new Map<RemoteRef, RemoteTask>();
  for (const [team, numbers] of Map.groupBy(wanted.values(), (one) => one.team)) {
    for (let at = 0; at < numbers.length; at += PAGE) {
      const some = numbers.slice(at, at + PAGE).map(({ number }) => number);
      const filter = { team: { key: { eq: team } }, number: { in: some } };
      const { nodes } = await readIssuePage(api, { filter, page: some.length, archived: true }, signal);
      for (const task of await toWholeTasks(api, nodes, signal)) found.set(task.ref, task);
    }
  }
  for (const ref of wanted.keys()) {
    if (found.has(ref)) continue;
    const issue = await readIssue(api, ref, signal);
    if (issue) found.set(ref, toRemoteTask(issue, api.reading));
  }
  return found;
}
