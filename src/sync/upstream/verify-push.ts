// What of a change the tracker has taken, seen by looking at it: after a crash nobody recorded the answer.
import type { Profile, RemoteChange, RemoteTask } from '../../providers/provider.ts';

/** Whether the tracker holds this text, whatever it rewrote. */
export function sameText(a: string, b: string, profile: Profile): boolean {
  return a === b || profile.normalise(a) === profile.normalise(b);
}

/** The fields of `change` that the issue shows; null when it shows none of them. */
export function takenPart(change: RemoteChange, remote: RemoteTask, profile: Profile): RemoteChange | null {
  const part: RemoteChange = {};
  const { title, body, status, labels, assignees, priority, due, parent, blockedBy } = change;
  if (title !== undefined && sameText(title, remote.title, profile)) part.title = title;
  if (body !== undefined && sameText(body, remote.body, profile)) part.body = body;
  if (status !== undefined && profile.classOf(status) === profile.classOf(remote.status))
    part.status = status;
  if (labels && holds(labels, remote.labels)) part.labels = labels;
  if (assignees && holds(assignees, remote.assignees)) part.assignees = assignees;
  if (priority !== undefined && priority === remote.priority) part.priority = priority;
  if (due !== undefined && due === remote.due) part.due = due;
  if (parent !== undefined && parent === remote.parent) part.parent = parent;
  const blockers = remote.blockedBy.map(({ ref }) => ref);
  if (blockedBy && holds(blockedBy, blockers)) part.blockedBy = blockedBy;
  return Object.keys(part).length === 0 ? null : part;
}

function holds(
  { add, remove }: { add: readonly string[]; remove: readonly string[] },
  list: readonly string[],
): boolean {
  return missingFrom(add, list).length === 0 && missingFrom(remove, list).length === remove.length;
}

/** What of these names the list lacks, in any case. */
export function missingFrom(names: readonly string[], list: readonly string[]): string[] {
  const there = new Set(list.map((item) => item.toLowerCase()));
  return names.filter((name) => !there.has(name.toLowerCase()));
}
