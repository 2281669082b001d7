// Which of the wanted changes are left to write, and whether they may be: pure.
import { RoomError } from '../../core/errors.ts';
import type { RemoteChange, RemoteTask } from '../provider.ts';
import { isSameName } from './api/refs.ts';
import { normalise } from './profile.ts';
import { classOf } from './to-remote-task.ts';

interface SetChange {
  add: readonly string[];
  remove: readonly string[];
}

export interface UpdatePlan {
  title?: string;
  body?: string;
  status?: RemoteTask['status'];
  labels?: SetChange;
  assignees?: SetChange;
  parent?: string | null;
  blockedBy?: SetChange;
}

/**
 * What of `change` differs from what is there.
 * @throws RoomError `conflict` when one of those fields is not as `expected` any more
 */
export function changesOf(change: RemoteChange, present: RemoteTask, expected: RemoteTask): UpdatePlan {
  const plan: UpdatePlan = {};
  const { title, body, status, parent } = change;
  if (title !== undefined && title !== present.title) {
    assertUnchanged('title', present.ref, present.title === expected.title);
    plan.title = title;
  }
  if (body !== undefined && normalise(body) !== normalise(present.body)) {
    assertUnchanged('body', present.ref, normalise(present.body) === normalise(expected.body));
    plan.body = body;
  }
  if (status !== undefined && classOf(status) !== classOf(present.status)) {
    assertUnchanged('status', present.ref, classOf(present.status) === classOf(expected.status));
    plan.status = status;
  }
  if (parent !== undefined && parent !== present.parent) {
    assertUnchanged('parent', present.ref, present.parent === expected.parent);
    plan.parent = parent;
  }
  return { ...plan, ...setChanges(change, present, expected) };
}

function setChanges(change: RemoteChange, present: RemoteTask, expected: RemoteTask): UpdatePlan {
  const plan: UpdatePlan = {};
  const refs = (task: RemoteTask) => task.blockedBy.map(({ ref }) => ref);
  const labels = setChange('labels', change.labels, present, (task) => task.labels, expected);
  const assignees = setChange('assignees', change.assignees, present, (task) => task.assignees, expected);
  const blockedBy = setChange('blocked_by', change.blockedBy, present, refs, expected);
  if (labels) plan.labels = labels;
  if (assignees) plan.assignees = assignees;
  if (blockedBy) plan.blockedBy = blockedBy;
  return plan;
}

function setChange(
  field: string,
  wanted: SetChange | undefined,
  present: RemoteTask,
  of: (task: RemoteTask) => readonly string[],
  expected: RemoteTask,
): SetChange | null {
  if (!wanted) return null;
  const there = of(present);
  const has = (name: string) => there.some((other) => isSameName(other, name));
  const left = { add: wanted.add.filter((name) => !has(name)), remove: wanted.remove.filter(has) };
  if (left.add.length + left.remove.length === 0) return null;
  assertUnchanged(field, present.ref, sorted(there) === sorted(of(expected)));
  return left;
}

function sorted(names: readonly string[]): string {
  return JSON.stringify([...names].sort());
}

function assertUnchanged(field: string, ref: string, kept: boolean): void {
  if (!kept) throw new RoomError('conflict', `${field} of ${ref} changed upstream meanwhile`);
}
