// A task system in memory: issues and comments that people change through these calls, on a server clock moved by
// hand. Every change makes a new version of an issue and counts up one serial, so that a read can be answered as it was.
import { RoomError } from '../../../src/core/errors.ts';
import type { Priority, Status } from '../../../src/core/task/status.ts';
import type { RemoteRef } from '../../../src/providers/provider.ts';
import type { PersonEdit } from '../../conformance/provider-harness.ts';

export interface MemoryComment {
  readonly id: string;
  readonly author: string;
  /** As the tracker stores it, an idempotency marker included. */
  readonly body: string;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** One version of an issue; never changed once made. */
export interface MemoryIssue {
  readonly uid: string;
  /** `acme/web#12`. */
  readonly ref: RemoteRef;
  readonly title: string;
  /** As the tracker stores it, an idempotency marker included. */
  readonly body: string;
  readonly state: string;
  readonly labels: readonly string[];
  readonly assignees: readonly string[];
  readonly priority: Priority | null;
  readonly due: string | null;
  readonly milestone: string | null;
  /** uid. */
  readonly parent: string | null;
  /** uids. */
  readonly blockedBy: readonly string[];
  readonly author: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly locked: boolean;
  readonly deleted: boolean;
  readonly comments: readonly MemoryComment[];
  /** Of the change that made this version. */
  readonly serial: number;
}

/** What a change sets. */
type IssueFields = { -readonly [Key in keyof MemoryIssue]?: MemoryIssue[Key] };

type Versions = ReturnType<typeof createVersions>;

/** @param stamp The time a change is recorded at. */
function createVersions(stamp: () => number) {
  const versions = new Map<string, MemoryIssue[]>();
  const uidOfRef = new Map<RemoteRef, string>();
  const numbers = new Map<string, number>();
  const times: number[] = [0];

  function find(refOrUid: string, limit = Number.POSITIVE_INFINITY): MemoryIssue | null {
    const all = versions.get(uidOfRef.get(refOrUid) ?? refOrUid);
    const issue = all?.findLast((version) => version.serial <= limit);
    return issue === undefined || issue.deleted ? null : issue;
  }

  function known(ref: RemoteRef): MemoryIssue {
    const issue = find(ref);
    if (issue === null) throw new RoomError('gone', `there is no issue ${ref}`);
    return issue;
  }

  function record(issue: Omit<MemoryIssue, 'serial'>): void {
    const all = versions.get(issue.uid) ?? [];
    all.push({ ...issue, serial: times.push(stamp()) - 1 });
    versions.set(issue.uid, all);
  }

  function give(uid: string, source: string): RemoteRef {
    const number = (numbers.get(source) ?? 0) + 1;
    numbers.set(source, number);
    const ref = `${source}#${number}`;
    uidOfRef.set(ref, uid);
    return ref;
  }

  return {
    serial: () => times.length - 1,
    timeOf: (serial: number) => times[serial] ?? stamp(),
    find,
    issues: (limit?: number) => [...versions.keys()].flatMap((uid) => find(uid, limit) ?? []),
    /** @throws RoomError `gone` */
    known,
    add(issue: Omit<MemoryIssue, 'serial' | 'uid' | 'ref'>, source: string) {
      const uid = `issue-${versions.size + 1}`;
      const ref = give(uid, source);
      record({ ...issue, uid, ref });
      return ref;
    },
    change(ref: RemoteRef, edit: IssueFields, touches: boolean = true) {
      const issue = known(ref);
      record({ ...issue, ...edit, updatedAt: touches ? stamp() : issue.updatedAt });
    },
    /** The next free ref of a source, leading to this issue from now on. */
    give,
  };
}

/** What can be edited; relations are given by ref. */
export interface MemoryEdit extends PersonEdit {
  locked?: boolean;
}

export type MemoryState = { name: string; status: Status };

export interface MemoryTrackerOptions {
  /** Login the credentials belong to. */
  account?: string;
  /** First of each status is what a provider writes; the very first is a new issue's. */
  states?: readonly MemoryState[];
  /** What the tracker does to every text it stores; must change nothing when done twice. */
  rewrite?: (text: string) => string;
  /** Times are cut to this. */
  resolutionMs?: number;
  /** Deleting a comment changes the issue's time; false on trackers that do not notice. */
  deletionTouches?: boolean;
  startAt?: number;
}

/** What the provider is about to do, for a test to stand in the way. */
export interface MemoryCall {
  operation: 'list' | 'get' | 'create' | 'update' | 'add' | 'edit';
  ref: RemoteRef | null;
  tries: number;
}

export type MemoryFault =
  /** Fails without having acted. */
  | { kind: 'before'; error: Error }
  /** Acts, and the answer is lost. */
  | { kind: 'after'; error: Error }
  /** A read, also the one before a write is tried again, is answered as things were so many changes ago. */
  | { kind: 'lag'; changes: number }
  /** A read finds nothing. */
  | { kind: 'empty' };

export type MemoryTracker = ReturnType<typeof createMemoryTracker>;

export const TWO_STATES: readonly MemoryState[] = [
  { name: 'open', status: 'todo' },
  { name: 'closed', status: 'done' },
  { name: 'closed/not_planned', status: 'canceled' },
  { name: 'closed/duplicate', status: 'canceled' },
];

export const WORKFLOW_STATES: readonly MemoryState[] = [
  { name: 'Todo', status: 'todo' },
  { name: 'Backlog', status: 'draft' },
  { name: 'In Progress', status: 'doing' },
  { name: 'In Review', status: 'doing' },
  { name: 'Done', status: 'done' },
  { name: 'Canceled', status: 'canceled' },
  { name: 'Duplicate', status: 'canceled' },
];

/** An empty tracker. `alice` is a member there; anybody may be named, and has the role `none` until given another. */
export function createMemoryTracker(options: MemoryTrackerOptions = {}) {
  const account = options.account ?? 'room-bot';
  const states = options.states ?? TWO_STATES;
  const rewrite = options.rewrite ?? ((text: string) => text);
  const resolutionMs = options.resolutionMs ?? 1;
  const roles = new Map([
    [account, 'collaborator'],
    ['alice', 'member'],
  ]);
  let clock = options.startAt ?? 1_700_000_000_000;
  const stamp = (): number => Math.floor(clock / resolutionMs) * resolutionMs;
  const past = createVersions(stamp);
  const setting = { states, rewrite, past, stamp };

  return {
    account,
    states,
    rewrite,
    /** Counts changes. */
    get serial(): number {
      return past.serial();
    },
    /** Asked before every call of a provider; null: nothing goes wrong. */
    onCall: null as ((call: MemoryCall) => MemoryFault | null) | null,
    /** The server's clock, epoch ms. */
    now: () => clock,
    advance(ms: number): void {
      if (!(ms >= 0)) throw new RangeError("a server's clock does not go back");
      clock += ms;
    },
    /** When the change with this serial was made; 0 for serial 0. */
    timeOf: past.timeOf,
    setRole: (login: string, role: string): void => void roles.set(login, role),
    roleOf: (login: string): string => roles.get(login) ?? 'none',
    /** By ref (an old one too) or uid; null when there is none or it was deleted. As it was at a serial, else now. */
    find: past.find,
    /** All that are not deleted. */
    issues: past.issues,
    ...issueEdits(setting),
    ...commentEdits(setting, options.deletionTouches ?? true),
  };
}

interface Setting {
  states: readonly MemoryState[];
  rewrite: (text: string) => string;
  past: Versions;
  stamp: () => number;
}

function issueEdits({ states, rewrite, past, stamp }: Setting) {
  function fields({ parent, blockedBy, body, ...plain }: MemoryEdit): IssueFields {
    if (plain.state !== undefined && !states.some(({ name }) => name === plain.state))
      throw new RoomError('bad_input', `there is no state ${plain.state}`);
    return {
      ...plain,
      ...(body === undefined ? {} : { body: rewrite(body) }),
      ...(parent === undefined ? {} : { parent: parent === null ? null : past.known(parent).uid }),
      ...(blockedBy === undefined ? {} : { blockedBy: blockedBy.map((ref) => past.known(ref).uid) }),
    };
  }
  return {
    createIssue(draft: MemoryEdit & { title: string }, by = 'alice', source = 'acme/web'): RemoteRef {
      const issue = { ...BLANK, state: states[0]!.name, ...fields(draft), author: by, ...both(stamp()) };
      return past.add(issue, source);
    },
    editIssue: (ref: RemoteRef, edit: MemoryEdit): void => past.change(ref, fields(edit)),
    deleteIssue: (ref: RemoteRef): void => past.change(ref, { deleted: true }),
    /** Moves it to another source, where it gets a new ref and keeps its uid; the old ref still leads to it. */
    transferIssue(ref: RemoteRef, source: string): RemoteRef {
      const moved = past.give(past.known(ref).uid, source);
      past.change(moved, { ref: moved });
      return moved;
    },
  };
}

function commentEdits({ rewrite, past, stamp }: Setting, deletionTouches: boolean) {
  function changed(ref: RemoteRef, id: string, edit: (comment: MemoryComment) => MemoryComment[]) {
    const { comments } = past.known(ref);
    if (!comments.some((comment) => comment.id === id))
      throw new RoomError('gone', `there is no comment ${id}`);
    return comments.flatMap((comment) => (comment.id === id ? edit(comment) : [comment]));
  }
  return {
    addComment(ref: RemoteRef, body: string, by = 'alice'): string {
      const id = `c${past.serial() + 1}`;
      const made = { id, author: by, body: rewrite(body), ...both(stamp()) };
      past.change(ref, { comments: [...past.known(ref).comments, made] });
      return id;
    },
    editComment(ref: RemoteRef, id: string, body: string): void {
      const edit = (comment: MemoryComment) => [{ ...comment, body: rewrite(body), updatedAt: stamp() }];
      past.change(ref, { comments: changed(ref, id, edit) });
    },
    deleteComment: (ref: RemoteRef, id: string): void =>
      past.change(ref, { comments: changed(ref, id, () => []) }, deletionTouches),
  };
}

const both = (time: number) => ({ createdAt: time, updatedAt: time });

const BLANK = {
  ...{ title: '', body: '', labels: [], assignees: [], comments: [], blockedBy: [] },
  ...{ priority: null, due: null, milestone: null, parent: null, locked: false, deleted: false },
} as const;
