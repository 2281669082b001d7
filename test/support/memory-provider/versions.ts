// The issues of a memory tracker. Every change adds a version and counts up one serial, so that a read can be answered
// as things were after any change.
import { RoomError } from '../../../src/core/errors.ts';
import type { Priority } from '../../../src/core/task/status.ts';
import type { RemoteRef } from '../../../src/providers/provider.ts';

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
export type IssueFields = { -readonly [Key in keyof MemoryIssue]?: MemoryIssue[Key] };

export type Versions = ReturnType<typeof createVersions>;

/** @param stamp The time a change is recorded at. */
export function createVersions(stamp: () => number) {
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
