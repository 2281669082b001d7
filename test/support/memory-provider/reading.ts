// What a memory tracker's issue is to the contract: marker cut off, state mapped, filter asked, silent fields left out.
import { FIELDS, type Field } from '../../../src/core/chore/fields.ts';
import { STATUSES, type Status } from '../../../src/core/task/status.ts';
import type { RemoteComment, RemoteTask, SourceConfig } from '../../../src/providers/provider.ts';
import type { MemoryComment, MemoryIssue, MemoryTracker } from './tracker.ts';

const MARKER = /(?:^|\n\n)<!-- taskroom:([0-9a-z]{8,40}) -->\s*$/;

/** The text as it goes up with the idempotency key at its end. */
export function withMarker(text: string, key: string): string {
  return `${text}${text === '' ? '' : '\n\n'}${markerOf(key)}`;
}

export const markerOf = (key: string): string => `<!-- taskroom:${key} -->`;

/** A stored text without a marker at its end, and the key that marker claims. */
export function splitMarker(text: string): { text: string; key: string | null } {
  const found = MARKER.exec(text);
  return found === null ? { text, key: null } : { text: text.slice(0, found.index), key: found[1]! };
}

/** Where a status goes that no state has: the nearest one. */
const NEAREST: Readonly<Record<Status, readonly Status[]>> = {
  draft: ['draft', 'todo', 'doing'],
  todo: ['todo', 'doing', 'draft'],
  doing: ['doing', 'todo', 'draft'],
  done: ['done', 'canceled'],
  canceled: ['canceled', 'done'],
};

/** The status of those the tracker can tell apart that stands for this one. */
export function classIn(tracker: MemoryTracker, status: Status): Status {
  return NEAREST[status].find((near) => tracker.states.some((state) => state.status === near)) ?? status;
}

/** The first state of the status's class. */
export function stateFor(tracker: MemoryTracker, status: Status): string {
  const wanted = classIn(tracker, status);
  return (tracker.states.find((state) => state.status === wanted) ?? tracker.states[0]!).name;
}

export function statusOf(tracker: MemoryTracker, stateName: string): Status {
  return tracker.states.find(({ name }) => name === stateName)?.status ?? STATUSES[1];
}

/** What this source never speaks of. */
export function silentFields(config: SourceConfig, lacking: readonly Field[]): Field[] {
  const { fields } = config;
  return FIELDS.filter((field) => lacking.includes(field) || fields?.includes(field) === false);
}

function isAdmitted(tracker: MemoryTracker, issue: MemoryIssue, filter: SourceConfig['filter']): boolean {
  const isOver = ['done', 'canceled'].includes(statusOf(tracker, issue.state));
  if (filter.state !== 'all' && (filter.state === 'closed') !== isOver) return false;
  const assignee = filter.assignee === 'me' ? tracker.account : filter.assignee;
  if (assignee !== null && !issue.assignees.includes(assignee)) return false;
  return filter.labels.every((label) => issue.labels.includes(label));
}

export function toRemoteComment(tracker: MemoryTracker, comment: MemoryComment): RemoteComment {
  const { text, key } = splitMarker(comment.body);
  return {
    ...{ id: comment.id, author: comment.author, role: tracker.roleOf(comment.author) },
    ...{ mine: comment.author === tracker.account, body: text, key, createdAt: comment.createdAt },
    ...{ updatedAt: comment.updatedAt },
  };
}

export interface ReadingOptions {
  config: SourceConfig;
  silent: readonly Field[];
  /** Only comments changed since then, when a number: epoch ms. */
  commentsSince: number | null;
  /** Answer as of this change; now when absent. */
  serial?: number | undefined;
}

export function toRemoteTask(
  tracker: MemoryTracker,
  issue: MemoryIssue,
  options: ReadingOptions,
): RemoteTask {
  const { config, silent, commentsSince, serial } = options;
  const { text, key } = splitMarker(issue.body);
  const other = (uid: string) => tracker.find(uid, serial);
  const status = statusOf(tracker, issue.state);
  const speaksOf = (field: Field): boolean => !silent.includes(field);
  const shown = issue.comments.filter(
    ({ updatedAt }) => commentsSince === null || updatedAt >= commentsSince,
  );
  return {
    ref: issue.ref,
    uid: issue.uid,
    url: `https://memory.invalid/${issue.ref.replace('#', '/issues/')}`,
    title: issue.title,
    body: speaksOf('body') ? text : '',
    state: issue.state,
    status,
    labels: speaksOf('labels') ? [...issue.labels] : [],
    assignees: speaksOf('assignees') ? [...issue.assignees] : [],
    priority: speaksOf('priority') ? issue.priority : null,
    due: speaksOf('due') ? issue.due : null,
    milestone: issue.milestone,
    parent: speaksOf('parent') && issue.parent !== null ? (other(issue.parent)?.ref ?? null) : null,
    blockedBy: speaksOf('blocked_by') ? issue.blockedBy.flatMap((uid) => toBlocker(tracker, other(uid))) : [],
    author: issue.author,
    role: tracker.roleOf(issue.author),
    mine: issue.author === tracker.account,
    key,
    createdAt: issue.createdAt,
    updatedAt: issue.updatedAt,
    locked: issue.locked,
    admitted: isAdmitted(tracker, issue, config.filter),
    commentCount: speaksOf('comments') ? issue.comments.length : null,
    comments: speaksOf('comments')
      ? { complete: commentsSince === null, items: shown.map((each) => toRemoteComment(tracker, each)) }
      : { complete: false, items: [] },
    silent: [...silent],
  };
}

function toBlocker(tracker: MemoryTracker, issue: MemoryIssue | null) {
  if (issue === null) return [];
  return [{ ref: issue.ref, finished: ['done', 'canceled'].includes(statusOf(tracker, issue.state)) }];
}
