// The writing half of the memory provider. A try that is not the first looks for the earlier one's result among what
// its own account wrote, so that nothing is made twice and nobody else's marker is believed.
import { RoomError } from '../../../src/core/errors.ts';
import type {
  Attempt,
  Profile,
  Provider,
  RemoteChange,
  RemoteDraft,
  RemoteRef,
  RemoteTask,
} from '../../../src/providers/provider.ts';
import type { Gate } from './gate.ts';
import {
  classIn,
  type ReadingOptions,
  splitMarker,
  stateFor,
  statusOf,
  toRemoteComment,
  toRemoteTask,
  withMarker,
} from './reading.ts';
import type { MemoryCall, MemoryEdit, MemoryIssue, MemoryTracker } from './tracker.ts';

export interface WritingOptions {
  tracker: MemoryTracker;
  source: string;
  profile: Profile;
  reading: Omit<ReadingOptions, 'commentsSince' | 'serial'>;
  gate: Gate;
}

export function createWriting(options: WritingOptions): Required<Pick<Provider, 'write' | 'comment'>> {
  const { tracker, source, profile, reading, gate } = options;
  const { limits } = profile;

  /** One call: nothing in `act` waits, so that no other call comes in between. */
  async function call<T>(what: MemoryCall, signal: AbortSignal, act: (serial: number) => T): Promise<T> {
    const fault = gate.enter(what, signal);
    const answer = act(gate.serialUnder(fault));
    gate.leave(fault);
    return answer;
  }

  const answer = (ref: RemoteRef): RemoteTask =>
    toRemoteTask(tracker, visible(tracker, ref), { ...reading, commentsSince: null });

  return {
    write: {
      create: (draft, attempt, signal) =>
        call({ operation: 'create', ref: null, tries: attempt.tries }, signal, (serial) => {
          const earlier = attempt.tries > 0 ? earlierIssue(tracker, attempt, serial) : null;
          return answer(earlier?.ref ?? createIssue(tracker, source, draft, attempt, limits));
        }),
      update: (ref, change, expected, signal) =>
        call({ operation: 'update', ref, tries: 0 }, signal, () => {
          const issue = visible(tracker, ref);
          assertWithin(limits.title, change.title, 'title');
          assertWithin(limits.body, change.body, 'body');
          const edit = toEdit(tracker, issue, change);
          assertAsExpected(answer(ref), expected, edit, profile.normalise);
          if (Object.keys(edit).length > 0) tracker.editIssue(ref, edit);
          return answer(ref);
        }),
    },
    comment: {
      add: (ref, body, attempt, signal) =>
        call({ operation: 'add', ref, tries: attempt.tries }, signal, (serial) => {
          const issue = visible(tracker, ref);
          const shown = tracker.find(ref, serial);
          const earlier = attempt.tries > 0 && shown ? earlierComment(tracker, shown, attempt) : null;
          if (earlier) return toRemoteComment(tracker, earlier);
          if (issue.locked) throw new RoomError('refused', `${ref} is locked`);
          assertWithin(limits.comment, body, 'comment');
          const id = tracker.addComment(ref, withMarker(body, attempt.key), tracker.account);
          return toRemoteComment(tracker, comment(tracker, ref, id));
        }),
      edit: (ref, id, body, signal) =>
        call({ operation: 'edit', ref, tries: 0 }, signal, () => {
          const known = comment(tracker, ref, id);
          if (known.author !== tracker.account) throw new RoomError('refused', `comment ${id} is not ours`);
          assertWithin(limits.comment, body, 'comment');
          const { key } = splitMarker(known.body);
          tracker.editComment(ref, id, key === null ? body : withMarker(body, key));
          return toRemoteComment(tracker, comment(tracker, ref, id));
        }),
    },
  };
}

function visible(tracker: MemoryTracker, ref: RemoteRef): MemoryIssue {
  const issue = tracker.find(ref);
  if (issue === null) throw new RoomError('gone', `${ref} is not there any more`);
  return issue;
}

function comment(tracker: MemoryTracker, ref: RemoteRef, id: string) {
  const found = visible(tracker, ref).comments.find((each) => each.id === id);
  if (!found) throw new RoomError('gone', `comment ${id} of ${ref} was deleted`);
  return found;
}

function earlierIssue(tracker: MemoryTracker, { key }: Attempt, serial: number): MemoryIssue | undefined {
  return tracker
    .issues(serial)
    .find(({ author, body }) => author === tracker.account && splitMarker(body).key === key);
}

function earlierComment(tracker: MemoryTracker, issue: MemoryIssue, { key }: Attempt) {
  return issue.comments.find(
    ({ author, body }) => author === tracker.account && splitMarker(body).key === key,
  );
}

function createIssue(
  tracker: MemoryTracker,
  source: string,
  draft: RemoteDraft,
  attempt: Attempt,
  limits: Profile['limits'],
): RemoteRef {
  const { title, body, status, labels, priority, due } = draft;
  assertWithin(limits.title, title, 'title');
  assertWithin(limits.body, body, 'body');
  const state = stateFor(tracker, status);
  const edit = { title, body: withMarker(body, attempt.key), state, labels, priority, due };
  return tracker.createIssue(edit, tracker.account, source);
}

function assertWithin(limit: number, text: string | undefined, what: string): void {
  if (text !== undefined && text.length > limit)
    throw new RoomError('bad_input', `the ${what} has ${text.length} characters, ${limit} at most`);
}

/** What really changes: a state of the wanted class stays, and so does what holds the wanted value. */
function toEdit(tracker: MemoryTracker, issue: MemoryIssue, change: RemoteChange): MemoryEdit {
  const { title, body, status, labels, assignees, priority, due, parent, blockedBy } = change;
  const stored = splitMarker(issue.body);
  const refOf = (uid: string) => tracker.find(uid)?.ref ?? [];
  const wanted: MemoryEdit = {};
  const present = {
    ...issue,
    parent: issue.parent === null ? null : (tracker.find(issue.parent)?.ref ?? null),
    blockedBy: issue.blockedBy.flatMap(refOf),
  };
  if (title !== undefined) wanted.title = title;
  if (body !== undefined) wanted.body = stored.key === null ? body : withMarker(body, stored.key);
  if (status !== undefined && statusOf(tracker, issue.state) !== classIn(tracker, status))
    wanted.state = stateFor(tracker, status);
  if (labels) wanted.labels = replaced(issue.labels, labels);
  if (assignees) wanted.assignees = replaced(issue.assignees, assignees);
  if (priority !== undefined) wanted.priority = priority;
  if (due !== undefined) wanted.due = due;
  if (parent !== undefined) wanted.parent = parent;
  if (blockedBy) wanted.blockedBy = replaced(present.blockedBy, blockedBy);
  const differs = (key: string) =>
    JSON.stringify(wanted[key as keyof MemoryEdit]) !== JSON.stringify(present[key as keyof MemoryEdit]);
  return Object.fromEntries(Object.entries(wanted).filter(([key]) => differs(key)));
}

function replaced(
  present: readonly string[],
  { add, remove }: { add: readonly string[]; remove: readonly string[] },
): string[] {
  return [...new Set([...present.filter((each) => !remove.includes(each)), ...add])];
}

/** @throws RoomError `conflict` when a field that is about to be written is not as expected */
function assertAsExpected(
  present: RemoteTask,
  expected: RemoteTask,
  edit: MemoryEdit,
  normalise: Profile['normalise'],
): void {
  const before = comparable(expected, normalise);
  const now = comparable(present, normalise);
  for (const field of Object.keys(edit)) {
    if (now[field] !== before[field])
      throw new RoomError('conflict', `${field} of ${present.ref} changed meanwhile`);
  }
}

function comparable(task: RemoteTask, normalise: Profile['normalise']): Record<string, string> {
  const set = (items: readonly string[]) => JSON.stringify([...items].sort());
  return {
    ...{ title: task.title, body: normalise(task.body), state: task.state, labels: set(task.labels) },
    ...{ assignees: set(task.assignees), priority: String(task.priority), due: String(task.due) },
    ...{ parent: String(task.parent) },
    blockedBy: set(task.blockedBy.map(({ ref }) => ref)),
  };
}
