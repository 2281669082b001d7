// The provider of a memory tracker: what tests mirror with, and the plainest example of the contract. Keeps nothing but
// its counts; all there is stands in the tracker.
import { FIELDS, type Field } from '../../../src/core/chore/fields.ts';
import { RoomError } from '../../../src/core/errors.ts';
import type { Effects } from '../../../src/effects.ts';
import type {
  Profile,
  Provider,
  ProviderFactory,
  RemoteRef,
  RemoteTask,
  SourceConfig,
} from '../../../src/providers/provider.ts';
import { createGate } from './gate.ts';
import { readPage } from './listing.ts';
import { classIn, silentFields, toRemoteTask } from './reading.ts';
import type { MemoryTracker } from './tracker.ts';
import { createWriting } from './writing.ts';

export interface MemoryFactoryOptions {
  pageSize?: number;
  readOnly?: boolean;
  /** Fields this tracker has nothing of. */
  lacking?: readonly Field[];
  /** Later listings bring only the comments that changed. */
  partialComments?: boolean;
  limits?: Partial<Profile['limits']>;
  /** Environment variable and value that open it; null opens it to all. */
  token?: { variable: string; value: string } | null;
}

const LIMITS = { title: 256, body: 65_536, comment: 65_536 };
const SOURCE = /^[\w.-]+\/[\w.-]+$/;
const REF = /^([\w.-]+\/[\w.-]+)#[1-9]\d{0,8}$/;
const ISSUE_URL = /^https:\/\/memory\.invalid\/([\w.-]+\/[\w.-]+)\/issues\/([1-9]\d{0,8})$/;

/** Opens `tracker`, one provider for each source in it (`owner/name`). Providers share the tracker and nothing else. */
export function createMemoryFactory(
  tracker: MemoryTracker,
  options: MemoryFactoryOptions = {},
): ProviderFactory {
  const token = options.token ?? null;
  const lacksToken = (effects: Effects) => token !== null && (effects.env[token.variable] ?? '') === '';
  return {
    name: 'memory',
    secrets: token === null ? [] : [token.variable],
    check({ source, options: own }) {
      const problems = Object.keys(own).map((key) => ({ message: `unknown key ${JSON.stringify(key)}` }));
      if (SOURCE.test(source)) return problems;
      return [{ message: `${JSON.stringify(source)} is not a source`, expected: 'owner/name' }, ...problems];
    },
    missing: async (_config, effects) =>
      lacksToken(effects) ? [{ what: `a token in ${token!.variable}`, set: `Set ${token!.variable}.` }] : [],
    async open(config, effects) {
      if (token !== null && effects.env[token.variable] !== token.value) {
        throw new RoomError('unauthorized', `the tracker does not know the token in ${token.variable}`);
      }
      return createMemoryProvider(tracker, config, options);
    },
    shortRef: (ref) => ref.slice(ref.indexOf('/') + 1),
    refOfUrl(url) {
      const found = ISSUE_URL.exec(url);
      return found === null ? null : `${found[1]}#${found[2]}`;
    },
    owns: (ref, { source }) => REF.exec(ref)?.[1] === source,
  };
}

function createMemoryProvider(
  tracker: MemoryTracker,
  config: SourceConfig,
  options: MemoryFactoryOptions,
): Provider {
  const silent = silentFields(config, options.lacking ?? []);
  const profile = createProfile(tracker, options, silent);
  const reading = { config, silent };
  const gate = createGate(tracker);

  async function* list(cursor: string | null, signal: AbortSignal) {
    for (let from = cursor; ; ) {
      const fault = gate.enter({ operation: 'list', ref: null, tries: 0 }, signal);
      const { isLast, unchanged, ...page } = readPage(tracker, from, {
        source: config.source,
        size: options.pageSize ?? 100,
        partialComments: options.partialComments ?? false,
        reading,
        serial: gate.serialUnder(fault),
      });
      if (unchanged) gate.used.notModified += 1;
      gate.leave(fault);
      yield page;
      if (isLast) return;
      from = page.next;
    }
  }

  async function get(refs: readonly RemoteRef[], signal: AbortSignal) {
    const bad = refs.find((ref) => !REF.test(ref));
    if (bad !== undefined) throw new RoomError('bad_input', `${JSON.stringify(bad)} is not an issue`);
    const fault = gate.enter({ operation: 'get', ref: refs[0] ?? null, tries: 0 }, signal);
    const serial = gate.serialUnder(fault);
    const found = new Map<RemoteRef, RemoteTask>();
    for (const ref of refs) {
      const issue = tracker.find(ref, serial);
      if (issue) found.set(ref, toRemoteTask(tracker, issue, { ...reading, commentsSince: null, serial }));
    }
    gate.leave(fault);
    return found;
  }

  const writing = createWriting({ tracker, source: config.source, profile, reading, gate });
  return {
    name: 'memory',
    profile,
    list,
    get,
    ...(options.readOnly ? {} : { write: writing.write }),
    ...(options.readOnly || silent.includes('comments') ? {} : { comment: writing.comment }),
    usage: () => ({ ...gate.used }),
    close: async () => {},
  };
}

function createProfile(
  tracker: MemoryTracker,
  options: MemoryFactoryOptions,
  silent: readonly Field[],
): Profile {
  return {
    limits: { ...LIMITS, ...options.limits },
    writable: options.readOnly ? [] : FIELDS.filter((field) => !silent.includes(field)),
    normalise: (text) => tracker.rewrite(text.replace(/\r\n?/g, '\n')),
    classOf: (status) => classIn(tracker, status),
    trustedRoles: ['owner', 'member', 'collaborator'],
    remote: true,
  };
}
