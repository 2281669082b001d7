// Plans a bulk: all that can be refused is refused before anything is written, also a circle that only several changes close.
import { isRoomError, RoomError, reworded } from '../../core/errors.ts';
import type { TaskId } from '../../core/ids.ts';
import { readTask } from '../../core/task/read-task.ts';
import type { Task } from '../../core/task/task.ts';
import { createPace } from '../../effects.ts';
import type { BulkItem } from '../../store/ledger/writes/bulks.ts';
import { prepareChange, recordingGate } from '../change/change.ts';
import { nameFor, prepareTask } from '../change/create-task.ts';
import { nameOf, type Siblings } from '../change/new-front-matter.ts';
import { tasksToDelete } from '../change/remove-task.ts';
import { planUpdate, withoutDeletion } from '../change/update-task.ts';
import { freshTaskId } from '../observe/give-id.ts';
import { findByRef, idOfRef, type LinkKey, wayAlong } from '../references.ts';
import type { BulkChange, Changed } from '../shapes/change.ts';
import type { Actor, RoomHandle, TaskRoom } from '../task-room.ts';
import { createSteps } from './carry-out-bulk.ts';

type LinkedTasks = ReadonlyMap<TaskId, Pick<Task, 'name' | 'blockedBy' | 'parent'>>;

/** @param tasks what those say that are made or changed, by id @throws RoomError `bad_input` that names the circle */
async function assertNoCircles(deps: TaskRoom, tasks: LinkedTasks, pace: () => Promise<void>) {
  for (const key of ['blocked_by', 'parent'] as const)
    for (const [id, { name }] of tasks) {
      await pace();
      const links = (of: TaskId) => linksOf(deps, tasks, of, key);
      const way = wayAlong(links(id), id, links);
      if (way === null) continue;
      const names = way.map((each) => tasks.get(each)?.name ?? deps.ledger.tasks.get(each)?.name ?? each);
      throw new RoomError('bad_input', `${key} would go round in a circle: ${[name, ...names].join(' → ')}`, {
        hint: 'leave one of these links out',
      });
    }
}

function linksOf({ ledger }: TaskRoom, tasks: LinkedTasks, id: TaskId, key: LinkKey): TaskId[] {
  const changed = tasks.get(id);
  const refs =
    key === 'blocked_by'
      ? (changed?.blockedBy ?? ledger.blockers.of(id))
      : [changed === undefined ? (ledger.tasks.get(id)?.parent ?? null) : changed.parent];
  return refs.flatMap((ref) => {
    if (ref === null) return [];
    const word = idOfRef(ref) as TaskId;
    return tasks.has(word) ? [word] : (findByRef(ledger, ref)?.id ?? []);
  });
}

/** As a caller asks for it; `alone` takes no subtasks along. */
export type RequestedChange = BulkChange | { do: 'delete'; ref: string; alone: true };

/** Plans items in the order in which they are carried out, and answers in that of the changes.
 * @throws RoomError of the first change that can't be made, which its message names */
export async function planBulk(deps: RoomHandle, changes: readonly RequestedChange[], actor: Actor) {
  const drafts = new Map<string, BulkItem>();
  const rewrites = new Map<string, (text: string) => string>();
  const planning = { deps, actor, drafts, rewrites, ...idsOfNew(deps, changes) };
  const answers: Changed[] = [];
  const step = createSteps(deps, 'checking', changes.length);
  for (const [index, change] of changes.entries()) {
    await step();
    try {
      answers.push(await planOne(planning, change));
    } catch (error) {
      if (!isRoomError(error)) throw error;
      throw reworded(error, `change at index ${index} (${change.do}): ${error.message}; nothing was changed`);
    }
  }
  const items = [...drafts.values()];
  const pace = createPace(deps.effects);
  await assertNoCircles(deps, await tasksOf(deps, items, pace), pace);
  return {
    items: items.toSorted((a, b) => Number(a.do === 'delete') - Number(b.do === 'delete')),
    answers,
    rewrites,
  };
}

interface Planning {
  deps: RoomHandle;
  actor: Actor;
  drafts: Map<string, BulkItem>; // By path.
  rewrites: Map<string, (text: string) => string>;
  siblings: Siblings;
  ids: Iterator<TaskId>; // Of the new tasks, in their order.
}

async function planOne(planning: Planning, change: RequestedChange): Promise<Changed> {
  const { deps, actor, drafts, siblings, ids } = planning;
  if (change.do === 'create') {
    const { do: _, ...said } = change;
    const task = { ...said, id: ids.next().value as TaskId };
    const isTaken = (path: string): boolean => drafts.has(path);
    const { id, name, path, text } = await prepareTask(deps, task, actor, siblings, isTaken);
    drafts.set(path, { do: 'create', path, task: id, text });
    return { id, name, path, changed: true };
  }
  if (change.do === 'delete') return planDeletion(planning, change.ref, 'alone' in change);
  if (change.do === 'complete') return planChange(planning, change);
  const { change: others, isDeleted } = withoutDeletion(change);
  if (!isDeleted) return planChange(planning, change);
  if (Object.keys(others).length > Object.keys({ do: 0, ref: 0 }).length)
    throw new RoomError('bad_input', 'a task that is deleted gets no other change beside that');
  return planDeletion(planning, change.ref, false);
}

type Change = Exclude<RequestedChange, { do: 'create' | 'delete' }>;

async function planChange({ deps, actor, drafts, rewrites }: Planning, change: Change): Promise<Changed> {
  const { do: what, ref, ...given } = change;
  // A word of other tools: a task that is done in a word of the room's own stays so.
  const asked = what === 'complete' ? { ...given, status: 'completed' } : withoutDeletion(given).change;
  const plan = planUpdate(deps, asked, actor);
  if (plan === null) throw new RoomError('bad_input', 'nothing to change was given');
  const prepared = await prepareChange(deps, ref, actor, plan.look);
  const { target, id, path } = prepared;
  const draft = drafts.get(path);
  if (draft !== undefined && draft.do !== 'change') throw twice(path);
  const before = draft?.before ?? target.text;
  // A later change of the same file is made on what the earlier one leaves.
  const task = draft?.task ?? id;
  const text = draft?.after ?? target.text;
  const after = await recordingGate(deps, actor, target, () => prepared.rewrite(text));
  const earlier = rewrites.get(path);
  rewrites.set(path, (now) => prepared.rewrite(earlier?.(now) ?? now));
  const append = [...(draft?.append ?? []), ...(prepared.change.append ?? [])];
  drafts.set(path, { do: 'change', path, task, givesId: target.id === null, before, after, append });
  const name = target.task.name;
  return { id: task, name, path, changed: after !== text || append.length > 0, ...plan.answer() };
}

async function planDeletion({ deps, actor, drafts }: Planning, ref: string, alone: boolean) {
  const { own, below } = await tasksToDelete(deps, ref, actor, alone);
  for (const { path, id } of [...below, own]) {
    if (drafts.get(path)?.do === 'create') throw twice(path);
    drafts.delete(path);
    drafts.set(path, { do: 'delete', path, task: id });
  }
  const { id, name, path } = own;
  return { id: id as TaskId, name, path, changed: true };
}

function idsOfNew(deps: RoomHandle, changes: readonly RequestedChange[]): Pick<Planning, 'siblings' | 'ids'> {
  const siblings = new Map<string, TaskId | null>();
  const ids: TaskId[] = [];
  for (const change of changes) {
    if (change.do !== 'create') continue;
    const id = freshTaskId(deps);
    ids.push(id);
    // A change without a name is refused in its turn.
    if (change.name === undefined && change.title === undefined) continue;
    const words = nameOf(change);
    for (const name of new Set([(change.title ?? words).trim(), words.trim(), nameFor(words)]))
      siblings.set(name, siblings.has(name) ? null : id);
  }
  return { siblings, ids: ids.values() };
}

async function tasksOf({ config }: TaskRoom, items: readonly BulkItem[], pace: () => Promise<void>) {
  const tasks = new Map<TaskId, Task>();
  for (const item of items) {
    if (item.do === 'delete' || item.task === null) continue;
    await pace();
    const reading = readTask(item.path, item.do === 'create' ? item.text : item.after, config);
    if (reading.ok) tasks.set(item.task, reading.task);
  }
  return tasks;
}

const twice = (path: string): RoomError =>
  new RoomError('bad_input', `${path} is made or deleted by another change of this call`);
