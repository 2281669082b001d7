// What a task system must be able to do to be mirrored. A provider is a plain object from a factory and knows nothing of files, bases,
// merging or schedules; an optional member is a capability, its absence a fact. A provider from a file is held to the shapes.
import * as z from 'zod';
import { FIELDS, type Field } from '../core/chore/fields.ts';
import type { Problem } from '../core/errors.ts';
import type { Attempt, Author, PullRequests, RemoteRef, Sessions } from '../core/remote-pulls.ts';
import { type OwnStatuses, PRIORITIES, STATUSES, type Status } from '../core/task/status.ts';
import type { Effects } from '../effects.ts';

export type * from '../core/remote-pulls.ts';

/** Where a listing stands: made by the provider, kept by the engine, opaque to it. JSON of at most 64 KB. Holds
 * watermarks on the server's clock, ETags and, between two pages, where to go on. */
export type Cursor = string;
export type { Field } from '../core/chore/chore.ts';

export const word = z.string().min(1);
const time = z.int().nonnegative();
const words = z.array(z.string());
const day = z.string().regex(/^\d{4}-\d{2}-\d{2}$/, 'YYYY-MM-DD');
const size = z.int().positive();
const field = z.enum(FIELDS);
const isFunction = (value: unknown) => typeof value === 'function';
export const call = z.custom<(...args: never[]) => unknown>(isFunction, 'not a function');

export const REMOTE_COMMENT = z.object({
  /** Stable inside the provider. */
  id: z.string().regex(/^[0-9A-Za-z_.:-]+$/, 'letters, digits, _ . : - only'),
  /** Login or name as people see it. */
  author: word,
  /** The author's role, lower case (`owner`, `member`, `collaborator`, `contributor`, `none`); null where there are none. */
  role: z.string().nullable(),
  /** Written by the account these credentials belong to. */
  mine: z.boolean(),
  /** Without the provider's own idempotency marker. */
  body: z.string(),
  /** The idempotency key a marker in it claims. Believed only together with `mine`, and only for a key we made. */
  key: z.string().nullable(),
  /** Server clock, epoch ms. */
  createdAt: time,
  updatedAt: time,
});
export type RemoteComment = z.output<typeof REMOTE_COMMENT>;

export const REMOTE_TASK = z.object({
  ref: word,
  /** Survives a rename or transfer of the issue: GitHub's node id, Linear's UUID. */
  uid: word,
  url: z.string().nullable(),
  title: z.string(),
  /** Markdown as the tracker has it, without an idempotency marker; '' for none. */
  body: z.string(),
  /** In the tracker's own vocabulary: `open`, `closed/not_planned`, `In Review`. */
  state: word,
  /** What `state` means here. Two states with one status are one class. */
  status: z.enum(STATUSES),
  /** The room's own status that the source has this state for. */
  ownStatus: z.string().optional(),
  labels: words,
  assignees: words,
  priority: z.enum(PRIORITIES).nullable(),
  due: day.nullable(),
  milestone: z.string().nullable(),
  /** What kind of issue it is, in the tracker's words (`Bug`); absent where it has none. */
  type: z.string().nullable().optional(),
  /** What else its project says of it (`Size: M`); absent where there is no project. */
  project: words.nullable().optional(),
  parent: word.nullable(),
  /** With whether each blocker is over, for those that are not mirrored. */
  blockedBy: z.array(z.object({ ref: word, finished: z.boolean() })),
  author: word,
  role: z.string().nullable(),
  /** Made by the account these credentials belong to. */
  mine: z.boolean(),
  /** The idempotency key a marker in the body (or the client-made id) claims; see REMOTE_COMMENT. */
  key: z.string().nullable(),
  createdAt: time,
  updatedAt: time,
  /** Nobody but collaborators can comment any more. */
  locked: z.boolean(),
  /** Whether the filter of the source lets it in. Decides only whether something unknown is mirrored. */
  admitted: z.boolean(),
  /** How many comments it has, when the tracker says so; a difference to what is known means that some were deleted. */
  commentCount: time.nullable(),
  /** Oldest first. `complete`: these are all there are, so that a known one that is absent was deleted. */
  comments: z.object({ complete: z.boolean(), items: z.array(REMOTE_COMMENT) }),
  /** Fields this answer does not speak of (a server without relations, a trimmed `fields:` list): left alone. */
  silent: z.array(field),
});
export type RemoteTask = z.output<typeof REMOTE_TASK>;

export const PAGE = z.object({
  items: z.array(REMOTE_TASK),
  /** To be kept in the ledger once everything up to here is recorded: longer is something else than a place to go on. */
  next: z.string().max(65_536),
});
export type Page = z.output<typeof PAGE>;

/** Facts about the source and its limits. */
export const PROFILE = z.object({
  /** Longest texts in UTF-16 units the tracker takes. */
  limits: z.object({ title: size, body: size, comment: size }),
  /** Fields this source can write; always part of what it reads. */
  writable: z.array(field),
  /** What is equal after this is the same text to the tracker: it undoes what the tracker rewrites. Pure. */
  normalise: z.custom<(text: string) => string>(isFunction, 'not a function'),
  /** Statuses this source can't tell apart share a word: `open` for draft, todo and doing on GitHub. */
  classOf: z.custom<(status: Status) => string>(isFunction, 'not a function'),
  /** The room's own statuses that this source tells apart: `classOf` and changes have those words, too. */
  ownStatuses: words.optional(),
  /** Roles whose words count when a mirror names none. Empty: everybody there is trusted. */
  trustedRoles: words,
  /** Comments are made to be read by people at once; false for annotations of a local database. */
  remote: z.boolean(),
});
export type Profile = z.output<typeof PROFILE>;

export const USAGE = z.object({
  /** Requests made since the provider was opened; those answered 304 too. */
  requests: time,
  notModified: time,
  /** What the tracker says is left of its budget, and until when (epoch ms). */
  remaining: z.number().nullable(),
  resetAt: z.number().nullable(),
});
export type Usage = z.output<typeof USAGE>;

/** What is missing in the environment: said to people and agents alike, `set` in one sentence in the imperative. */
export const MISSING = z.array(z.object({ what: word, set: word }));
export type MissingConfig = z.output<typeof MISSING>[number];

/** What somebody did to an issue that may not start a turn when a stranger did it. */
export interface RemoteAct extends Author {
  /** Title or body changed; opened again after it was over. */
  what: 'edited' | 'reopened';
}

/** What is asked for when an issue is made. */
export interface RemoteDraft extends Pick<RemoteTask, 'title' | 'body' | 'status' | 'priority' | 'due'> {
  labels: readonly string[];
}

/** What is put into a list, and what is taken out of it. */
export type ListChange = { add: readonly string[]; remove: readonly string[] };

/** The fields to write; an absent one is left alone. Of `status` the class is wanted: the provider picks the state, and writes
 * nothing when the state has that class already. */
export interface RemoteChange
  extends Partial<Pick<RemoteTask, 'title' | 'body' | 'status' | 'priority' | 'due' | 'parent'>> {
  labels?: ListChange;
  assignees?: ListChange;
  blockedBy?: ListChange;
}

export interface Provider {
  readonly name: string;
  readonly profile: Profile;
  /** Pages of what changed since `cursor`, oldest change first; everything that the filter admits when it is null.
   * Issues that stopped fitting the filter are listed too when they changed.
   * @throws RoomError `unauthorized`, `rate_limited` (with retryAfterMs), `unavailable`, `not_found` (the source itself) */
  list(cursor: Cursor | null, signal: AbortSignal): AsyncIterable<Page>;
  /** With all comments. A ref that is absent from the answer is no longer visible; a malformed one throws `bad_input`. */
  get(refs: readonly RemoteRef[], signal: AbortSignal): Promise<Map<RemoteRef, RemoteTask>>;
  /** Who edited the issue's title or body, or opened it again, after `since` (server clock, epoch ms); whom the tracker does
   * not name is missing. Null where this server does not tell at all. Absent: the tracker never does. */
  acts?(issue: RemoteTask, since: number, signal: AbortSignal): Promise<readonly RemoteAct[] | null>;
  /** Absent: read-only. */
  readonly write?: {
    /** Makes an issue, once for each key. */
    create(draft: RemoteDraft, attempt: Attempt, signal: AbortSignal): Promise<RemoteTask>;
    /** Writes the fields of `change`, after looking once more that they still are as in `expected`.
     * Lists are added to and taken from: what others put there meanwhile stays.
     * @throws RoomError `conflict` when another of those fields changed upstream meanwhile, `gone`, `refused` (locked, not allowed) */
    update(
      ref: RemoteRef,
      change: RemoteChange,
      expected: RemoteTask,
      signal: AbortSignal,
    ): Promise<RemoteTask>;
  };
  /** Absent: no comments upstream. */
  readonly comment?: {
    /** Posts, once for each key. */
    add(ref: RemoteRef, body: string, attempt: Attempt, signal: AbortSignal): Promise<RemoteComment>;
    /** @throws RoomError `gone` when the comment was deleted */
    edit(ref: RemoteRef, id: string, body: string, signal: AbortSignal): Promise<RemoteComment>;
  };
  /** Absent: no pull requests there. */
  readonly pullRequest?: PullRequests;
  /** Absent: no sessions there, or none for these credentials. */
  readonly sessions?: Sessions;
  usage(): Usage;
  close(): Promise<void>;
}

/** A source as a chore describes it. */
export interface SourceConfig {
  /** `acme/web`, `ENG`, a Taskwarrior filter. */
  source: string;
  filter: { labels: readonly string[]; assignee: string | null; state: 'open' | 'closed' | 'all' };
  /** API base of another server. */
  url: string | null;
  /** What to ask the server for; null for everything it has. */
  fields: readonly Field[] | null;
  /** Keys of this provider's own, checked by its factory. */
  options: Readonly<Record<string, unknown>>;
  /** The statuses of the room's own. */
  statuses?: OwnStatuses;
}

/** One issue that a webhook tells of. */
export interface NamedIssue {
  /** Null where only `uid` is told. */
  ref: RemoteRef | null;
  /** As RemoteTask.uid; null where it is not told. */
  uid: string | null;
  /** A pull request, which not every source mirrors. */
  isPull?: boolean;
  /** Somebody waits at the tracker for a first word. */
  isUrgent?: boolean;
}

/** A webhook as it came in, unread and unproven. */
export interface WebhookDelivery {
  /** By lower-case name. */
  header(name: string): string | null;
  /** The very bytes that were signed. */
  body: Buffer;
}

/** `issues` are what to ask the tracker for; nothing else of a delivery counts. */
export type WebhookReading =
  | { event: string; issues: readonly NamedIssue[] }
  | { refused: 'unsigned' | 'wrong_signature' | 'old' | 'malformed' };

/** What a tracker's webhooks are. */
export interface Webhooks {
  /** Loads what `read` needs, so that the first delivery is answered as fast as the others. */
  prepare(): Promise<void>;
  /** Proves that the tracker signed the delivery with `secret`, and says which issues it is about. Never throws. */
  read(delivery: WebhookDelivery, secret: string): Promise<WebhookReading>;
  /** Events to choose at the tracker, by the words its page has, and how `read` calls them. */
  wanted(config: SourceConfig): readonly { choose: string; event: string }[];
  /** Whether the source mirrors issues of this kind. Absent: it mirrors all there are. */
  concerns?(issue: NamedIssue, config: SourceConfig): boolean;
  /** Where a person sets them up for this source. */
  settingsOf(config: SourceConfig): string;
}

export interface ProviderFactory {
  readonly name: string;
  /** Names of environment variables that are kept from every agent's program. */
  readonly secrets: readonly string[];
  /** What is wrong with a source's words, all at once; places are the caller's to fill in. No network. */
  check(config: SourceConfig): Pick<Problem, 'message' | 'expected' | 'hint'>[];
  /** What this machine lacks to reach the source; empty when it can be tried. May run a program, never the network. */
  missing(config: SourceConfig, effects: Effects): Promise<MissingConfig[]>;
  /** @throws RoomError `unauthorized` when credentials are missing, `unavailable` when a program is */
  open(config: SourceConfig, effects: Effects): Promise<Provider>;
  /** The short form people see beside a title: `web#12` for `acme/web#12`. Pure. */
  shortRef(ref: RemoteRef): string;
  /** The source that a git address on this server names, or null. Absent: the tracker has no repositories. Pure. */
  sourceOfRemote?(address: string, url: SourceConfig['url']): string | null;
  /** The ref a URL of this tracker names, or null. Pure. */
  refOfUrl(url: string, config: SourceConfig): RemoteRef | null;
  /** Whether the ref belongs to the source. Pure. */
  owns(ref: RemoteRef, config: SourceConfig): boolean;
  /** Absent: the tracker has none, or none that are understood here. */
  readonly webhooks?: Webhooks;
}
