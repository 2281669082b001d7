// What a provider's test offers to the conformance suite: a fresh tracker with a way in for the provider and a way in
// for people, who are somebody else than the account of the credentials.
import type { Field } from '../../src/core/chore/chore.ts';
import type { Priority, Status } from '../../src/core/task/status.ts';
import type { Effects } from '../../src/effects.ts';
import type {
  Cursor,
  Provider,
  ProviderFactory,
  RemoteComment,
  RemoteRef,
  RemoteTask,
  SourceConfig,
} from '../../src/providers/provider.ts';

/** What a person edits; labels, assignees and relations are whole lists. `state` is a word of the tracker's own. */
export interface PersonEdit {
  title?: string;
  body?: string;
  state?: string;
  labels?: readonly string[];
  assignees?: readonly string[];
  priority?: Priority | null;
  due?: string | null;
  milestone?: string | null;
  parent?: RemoteRef | null;
  blockedBy?: readonly RemoteRef[];
}

/** What the tracker itself holds, marker and all, read past the provider. */
export interface Stored {
  title: string;
  body: string;
  /** Oldest first. */
  comments: readonly { id: string; author: string; body: string }[];
}

/**
 * People who use the tracker. An optional member that is absent is something people can't do there; the cases that need
 * it are skipped, and say so. A member rejects when the tracker takes the words as little from people.
 */
export interface People {
  /** New issues in their order, in the tracker's first state unless told; refs as the provider gives them. */
  createIssues(drafts: readonly (PersonEdit & { title: string })[]): Promise<RemoteRef[]>;
  editIssue(ref: RemoteRef, edit: PersonEdit): Promise<void>;
  /** What is stored; null for a deleted issue. */
  look(ref: RemoteRef): Promise<Stored | null>;
  /** Titles of all issues of the source, open and closed. */
  titles(): Promise<string[]>;
  deleteIssue?(ref: RemoteRef): Promise<void>;
  /** Out of the source: to another repository, another team. */
  transferIssue?(ref: RemoteRef): Promise<void>;
  /** So that the provider's account can't comment any more. */
  lockIssue?(ref: RemoteRef): Promise<void>;
  /** Ids as the provider gives them, oldest first. */
  addComments?(ref: RemoteRef, bodies: readonly string[]): Promise<string[]>;
  editComment?(ref: RemoteRef, id: string, body: string): Promise<void>;
  deleteComment?(ref: RemoteRef, id: string): Promise<void>;
}

export interface ProviderHarness {
  factory: ProviderFactory;
  /** The source all of this happens in, with a filter that admits everything, changed by `change`. */
  config(change?: Partial<SourceConfig>): SourceConfig;
  /** Good credentials in `env`, if there are any. */
  effects: Effects;
  people: People;
  /** Fields people can set there and the provider reads. */
  fields: readonly Field[];
  /** Every state of the tracker with what it means; the first is a new issue's. */
  states: readonly { name: string; status: Status }[];
  /** Login of the credentials, as it stands in `author` and `assignees`. */
  account: string;
  /** A ref of the right form that names nothing. */
  absentRef: RemoteRef;
  /**
   * Makes what happens next later than all before it, past any overlap that the provider's listings have. Absent:
   * time can't be moved, and that a listing leaves out what did not change can't be seen.
   */
  tick?(): Promise<void>;
  /** Credentials the tracker does not take. */
  badCredentials?: Effects;
  /** No credentials at all. */
  noCredentials?: Effects;
  /** A text that people can put into a body to imitate the idempotency marker for a key. */
  forgedMarker?(key: string): string;
  /** The next write (`create` or `add`) acts, and its answer does not arrive. */
  loseNextAnswer?(): void;
  close(): Promise<void>;
}

/** One case: `skip` ends it as skipped, with the reason. */
export interface Bench {
  harness: ProviderHarness;
  people: People;
  /** Opened with `harness.config()`. */
  provider: Provider;
  /** Opens another, closed after the case. */
  open(change?: Partial<SourceConfig>): Promise<Provider>;
  signal: AbortSignal;
  skip(reason: string): never;
}
/** By their titles. */
export type Cases = Readonly<Record<string, (bench: Bench) => Promise<void>>>;

export type Listing = { items: RemoteTask[]; next: Cursor | null; pages: number };

/** A whole listing from `cursor` on. */
export async function listAll(provider: Provider, cursor: Cursor | null): Promise<Listing> {
  const items: RemoteTask[] = [];
  let next = cursor;
  let pages = 0;
  for await (const page of provider.list(cursor, new AbortController().signal)) {
    items.push(...page.items);
    next = page.next;
    pages += 1;
  }
  return { items, next, pages };
}

/** The cursor of a source where nothing happened for a while. */
export async function settle(provider: Provider): Promise<Cursor | null> {
  const first = await listAll(provider, null);
  return (await listAll(provider, first.next)).next;
}

export async function getOne({ provider, signal }: Bench, ref: RemoteRef): Promise<RemoteTask> {
  const task = (await provider.get([ref], signal)).get(ref);
  if (!task) throw new Error(`${ref} is not visible`);
  return task;
}

/** One new issue by a person. */
export async function newIssue({ people }: Bench, draft: PersonEdit & { title: string }): Promise<RemoteRef> {
  const [ref] = await people.createIssues([draft]);
  return ref!;
}

/** The last reading of each issue in a listing, by uid. */
export function latest(items: readonly RemoteTask[]): Map<string, RemoteTask> {
  return new Map(items.map((item) => [item.uid, item]));
}

/**
 * What the engine compares: two readings with the same essence are no change. Text is normalised, sets are sorted,
 * fields that either reading is silent on are left out.
 */
export function essence(provider: Provider, task: RemoteTask, other: RemoteTask = task) {
  const { normalise } = provider.profile;
  const silent = new Set<Field>([...task.silent, ...other.silent]);
  const all: [Field, unknown][] = [
    ['title', task.title],
    ['body', normalise(task.body)],
    ['status', [task.state, task.status]],
    ['labels', [...task.labels].sort()],
    ['assignees', [...task.assignees].sort()],
    ['priority', task.priority],
    ['due', task.due],
    ['parent', task.parent],
    ['blocked_by', [...task.blockedBy].sort((a, b) => (a.ref < b.ref ? -1 : 1))],
  ];
  const { ref, uid, url, author, mine, createdAt } = task;
  const fields = Object.fromEntries(all.filter(([field]) => !silent.has(field)));
  return { ref, uid, url, author, mine, createdAt, ...fields };
}

export function commentEssence(provider: Provider, comment: RemoteComment) {
  const { id, author, mine, body, createdAt } = comment;
  return { id, author, mine, createdAt, body: provider.profile.normalise(body) };
}
