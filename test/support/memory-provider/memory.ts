// The provider of a memory tracker: what tests mirror with, and the plainest example of the contract. Keeps nothing but
// its counts; all there is stands in the tracker.
import { FIELDS, type Field } from '../../../src/core/chore/fields.ts';
import { RoomError } from '../../../src/core/errors.ts';
import type { Effects } from '../../../src/effects.ts';
import type {
  Cursor,
  Page,
  Profile,
  Provider,
  ProviderFactory,
  RemoteRef,
  RemoteTask,
  SourceConfig,
} from '../../../src/providers/provider.ts';
import { createGate } from './gate.ts';
import { classIn, type ReadingOptions, silentFields, toRemoteTask } from './reading.ts';
import type { MemoryIssue, MemoryTracker } from './tracker.ts';
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
      if (token !== null && effects.env[token.variable] !== token.value)
        throw new RoomError('unauthorized', `the tracker does not know the token in ${token.variable}`);
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

// Listings of a memory tracker: pages in the order of change, and the cursor that says where they stand. A watermark
// is the time of the last change the first page knew of, so that what changes while paging is found by the next listing.
interface Mark {
  /** Changes from this time on are asked for; null for everything admitted. */
  since: number | null;
  /** The change the last finished listing knew of: nothing since means not modified. */
  seen: number | null;
  /** Between two pages: what the listing's first page knew of, and the last item handed out. */
  walk: { serial: number; after: [updatedAt: number, uid: string] } | null;
}

const START: Mark = { since: null, seen: null, walk: null };

/** A cursor that is not one of ours is a fresh start: it costs a full listing, never a change. */
function readMark(cursor: Cursor | null): Mark {
  try {
    const { v, ...mark } = JSON.parse(cursor ?? 'null') as Mark & { v: number };
    return v === 1 ? mark : START;
  } catch {
    return START;
  }
}

const writeMark = (mark: Mark): Cursor => JSON.stringify({ v: 1, ...mark });

interface PageOptions {
  source: string;
  size: number;
  /** Later listings bring only the comments that changed. */
  partialComments: boolean;
  reading: Omit<ReadingOptions, 'commentsSince' | 'serial'>;
  /** Answers as of this change. */
  serial: number;
}

/** The page after `cursor`; `isLast` when the listing ends with it, `unchanged` when there was nothing new at all. */
function readPage(
  tracker: MemoryTracker,
  cursor: Cursor | null,
  options: PageOptions,
): Page & { isLast: boolean; unchanged: boolean } {
  const mark = readMark(cursor);
  const { serial } = options;
  if (cursor !== null && mark.walk === null && mark.seen === serial)
    return { items: [], next: cursor, isLast: true, unchanged: true };
  const waiting = changedIssues(tracker, mark, options);
  const taken = waiting.slice(0, options.size);
  const isLast = taken.length === waiting.length;
  const first = mark.walk?.serial ?? serial;
  const commentsSince = options.partialComments ? mark.since : null;
  const items = taken.map((issue) =>
    toRemoteTask(tracker, issue, { ...options.reading, commentsSince, serial }),
  );
  const end = taken.at(-1);
  const next: Mark = isLast
    ? { since: tracker.timeOf(first), seen: first, walk: null }
    : { ...mark, walk: { serial: first, after: [end!.updatedAt, end!.uid] } };
  return {
    items: mark.since === null ? items.filter(({ admitted }) => admitted) : items,
    next: writeMark(next),
    isLast,
    unchanged: false,
  };
}

function changedIssues(tracker: MemoryTracker, mark: Mark, options: PageOptions): MemoryIssue[] {
  const [time, uid] = mark.walk?.after ?? [Number.NEGATIVE_INFINITY, ''];
  const since = mark.since ?? Number.NEGATIVE_INFINITY;
  return tracker
    .issues(options.serial)
    .filter((issue) => issue.ref.startsWith(`${options.source}#`) && issue.updatedAt >= since)
    .filter((issue) => issue.updatedAt > time || (issue.updatedAt === time && issue.uid > uid))
    .sort((a, b) => a.updatedAt - b.updatedAt || (a.uid < b.uid ? -1 : 1));
}
