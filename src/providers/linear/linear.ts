// The provider of Linear: a source is a team, an issue is mirrored with its comments and what blocks it.
import { FIELDS } from '../../core/chore/chore.ts';
import type { Effects } from '../../effects.ts';
import type { Profile, Provider, ProviderFactory, RemoteRef, RemoteTask, SourceConfig } from '../provider.ts';
import { addComment, createIssue, editComment } from './create-issue.ts';
import { createDocuments, PAGE } from './documents.ts';
import { LIMITS } from './limits.ts';
import { listIssues } from './listing.ts';
import { normalise } from './normalise.ts';
import { checkSource, fieldsOf, type LinearOptions, readOptions } from './options.ts';
import { createReader, type Reader } from './read-issues.ts';
import { owns, parseRef, refOfUrl } from './refs.ts';
import { classOf } from './states.ts';
import { toRemoteTask } from './to-remote-task.ts';
import { createTransport, credentialsIn, KEY_VARIABLE, SECRETS, TOKEN_VARIABLE } from './transport.ts';
import { updateIssue } from './update-issue.ts';

export const linearFactory: ProviderFactory = {
  name: 'linear',
  secrets: SECRETS,
  check: checkSource,
  async missing(_config, effects) {
    if (credentialsIn(effects)) return [];
    const set = `Set ${KEY_VARIABLE} to a personal API key (Linear, Settings, Security & access), or ${TOKEN_VARIABLE} to an OAuth token with read and write.`;
    return [{ what: 'credentials for Linear', set }];
  },
  open: openLinear,
  shortRef: (ref) => ref,
  refOfUrl,
  owns,
};

async function openLinear(config: SourceConfig, effects: Effects): Promise<Provider> {
  const options = readOptions(config);
  const fields = fieldsOf(config);
  const transport = await createTransport(config, effects);
  const documents = createDocuments(fields);
  const reader = createReader({ ask: transport.ask, documents, reading: { config, options, fields } });
  return {
    name: 'linear',
    profile: createProfile(fields, options),
    list: (cursor, signal) => listIssues(reader, cursor, signal),
    get: (refs, signal) => getIssues(reader, refs, signal),
    write: {
      create: (draft, attempt, signal) => createIssue(reader, draft, attempt, signal),
      update: (ref, change, expected, signal) => updateIssue(reader, ref, change, expected, signal),
    },
    ...(fields.has('comments')
      ? {
          comment: {
            add: (ref, body, attempt, signal) => addComment(reader, ref, body, attempt, signal),
            edit: (ref, id, body, signal) => editComment(reader, ref, id, body, signal),
          },
        }
      : {}),
    usage: transport.usage,
    close: async () => {},
  };
}

function createProfile(fields: ReturnType<typeof fieldsOf>, options: LinearOptions): Profile {
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
  reader: Reader,
  refs: readonly RemoteRef[],
  signal: AbortSignal,
): Promise<Map<RemoteRef, RemoteTask>> {
  const wanted = new Map([...new Set(refs)].map((ref) => [ref, parseRef(ref)]));
  const found = new Map<RemoteRef, RemoteTask>();
  for (const [team, numbers] of Map.groupBy(wanted.values(), (one) => one.team)) {
    for (let at = 0; at < numbers.length; at += PAGE) {
      const some = numbers.slice(at, at + PAGE).map(({ number }) => number);
      const filter = { team: { key: { eq: team } }, number: { in: some } };
      const { nodes } = await reader.page({ filter, page: some.length, archived: true }, signal);
      for (const task of await reader.toTasks(nodes, signal)) found.set(task.ref, task);
    }
  }
  for (const ref of wanted.keys()) {
    if (found.has(ref)) continue;
    const issue = await reader.one(ref, signal);
    if (issue) found.set(ref, toRemoteTask(issue, reader.reading));
  }
  return found;
}
