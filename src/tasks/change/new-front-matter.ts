// What a new task says in its front matter, and what its file is called.
import { parseDocument, setKey, type Value } from '../../core/document/document.ts';
import { noSuchIndex, RoomError } from '../../core/errors.ts';
import { choreOfThread, type TaskId, taskOfThread } from '../../core/ids.ts';
import { statusWord } from '../../core/task/status.ts';
import type { Resource, Task } from '../../core/task/task.ts';
import { INPUT_KEYS, type InputKey, type TaskKey } from '../../core/task/task-keys.ts';
import { findByRef, saidStatus } from '../references.ts';
import type { NewTask } from '../shapes/change.ts';
import type { Actor, RoomHandle, TaskRoom } from '../task-room.ts';
import { isAgent, nameOfActor, signatureOf, titleOfAgent } from '../task-room.ts';
import { changeTask, threadOfActor } from './change.ts';
import { oneLine, parseValue } from './key-values.ts';
import { checkAgent, referenceTo, withList } from './set-keys.ts';

/** Ids of tasks that are made together, by their names; null where two have one name. */
export type Siblings = ReadonlyMap<string, TaskId | null>;

/** What its file is to be called: by its name, else by its title. @throws RoomError `bad_input` */
export function nameOf({ name, title }: NewTask): string {
  if (name !== undefined) return name;
  if (title === undefined)
    throw new RoomError('bad_input', 'a new task needs a title', 'give title, or name');
  const words = title
    .replaceAll(/[/\\:*?"<>|\p{Cc}]+/gu, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
  return [...words.replace(/^\.+/, '')].slice(0, 80).join('').trim();
}

export async function frontMatterOf(
  deps: RoomHandle,
  task: NewTask,
  name: string,
  actor: Actor,
  siblings: Siblings,
): Promise<Record<string, Value>> {
  const values: Record<string, Value> = {
    requester:
      ownNameOr('requester', task.requester, actor) ?? (isAgent(actor) ? signatureOf(actor) : 'owner'),
    status: statusWord(saidStatus(deps, task.status ?? 'todo')),
    paused: false,
  };
  const owner = task.owner ?? (actor.kind === 'agent' ? actor.agent : undefined);
  const blockers: string[] = [];
  const refer = async (ref: string, key: 'blocked_by' | 'parent') => {
    const sibling = siblings.get(ref.trim());
    if (sibling === null)
      throw new RoomError('ambiguous', `${key}: two tasks of this call are named ${JSON.stringify(ref)}`, {
        hint: 'make them first, then name one by its id',
      });
    return sibling ?? (await referenceTo(deps, ref, key, null, actor));
  };
  for (const ref of task.blocked_by ?? []) blockers.push(await refer(ref, 'blocked_by'));
  const parent = task.parent === undefined ? '' : await refer(task.parent, 'parent');
  const nowMs = deps.effects.now();
  const checks = { agent: (id: string) => checkAgent(deps, id), task: (ref: string) => ref, nowMs };
  const said: Partial<Record<TaskKey, string | null>> = {
    title: titleFor(task, name),
    owner: owner ?? null,
    ...{ priority: task.priority ?? null, parent, sprint: task.sprint ?? null },
    created: new Date(nowMs).toISOString(),
    created_by: ownNameOr('created_by', task.created_by, actor) ?? signatureOf(actor),
    scope: task.scope ?? scopeForNew(deps, parent || null, actor),
  };
  const isList = (key: InputKey) => Array.isArray(task[key]);
  for (const key of INPUT_KEYS) if (!(key in said || isList(key))) said[key] = String(task[key] ?? '');
  for (const [key, text] of Object.entries(said)) {
    const value = parseValue(key, text ?? '', checks);
    if (value !== null) values[key] = value;
  }
  if (blockers.length > 0) values.blocked_by = [...new Set(blockers)];
  const labels = (task.labels ?? []).map((label) => label.trim()).filter((label) => label !== '');
  if (labels.length > 0) values.labels = [...new Set(labels)];
  const resources = (task.resources ?? []).map(resourceItem);
  if (resources.length > 0) values.resources = resources;
  return values;
}

/** What the name lost in becoming a file name stays in the title. */
function titleFor({ title, name: given }: NewTask, name: string): string {
  if (title !== undefined && (given !== undefined || title !== name)) return title;
  const words = title ?? given ?? '';
  if (words.trim() === name) return '';
  return words
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim()
    .toWellFormed();
}

/** Agents make tasks in their own name alone. @throws RoomError `not_allowed` */
function ownNameOr(key: string, asked: string | undefined, actor: Actor): string | null {
  const name = asked?.trim() || null;
  const own = signatureOf(actor);
  if (name === null || !isAgent(actor) || name === own) return name;
  throw new RoomError('not_allowed', `${titleOfAgent(actor)} may not make a task in the name of ${name}`, {
    hint: `leave ${key} out: it is ${own}`,
  });
}

// A new task without a scope joins that of its parent, else that of the turn that makes it; a chore's turn gets one of its own.

/** As its file says; null for a task in the room's own scope. */
function scopeOfTask({ ledger }: TaskRoom, id: TaskId): string | null {
  const path = ledger.tasks.get(id)?.path ?? null;
  const row = path === null ? null : ledger.files.get(path);
  return row?.reading.ok ? row.reading.task.scope : null;
}

/** @param parent a reference; null for a task without one. Records the own scope of a chore's turn. */
function scopeForNew(deps: TaskRoom, parent: string | null, actor: Actor): string | null {
  const above = parent === null ? null : findByRef(deps.ledger, parent);
  const inherited = above === null ? null : scopeOfTask(deps, above.id);
  return inherited ?? scopeOfTurn(deps, actor);
}

function scopeOfTurn(deps: TaskRoom, actor: Actor): string | null {
  const thread = threadOfActor(deps, actor);
  if (actor.kind !== 'agent' || thread === null) return null;
  const task = taskOfThread(thread);
  if (task !== null) return scopeOfTask(deps, task);
  const chore = choreOfThread(thread);
  if (chore === null) return null;
  const name = `${chore} ${actor.turn}`;
  deps.ledger.scopes.insertNew({ name, by: nameOfActor(actor), thread, at: deps.effects.now() });
  return name;
}

// The resources of a task (S3): URLs and files it points at.

const MAX_CHARS = 2_000;
const IS_URL = /^[a-z][a-z0-9+.-]*:\/\//i;

/** One that is there already, label and all, is not added again. @throws RoomError `bad_input`, and as `changeTask` */
export function addResource(deps: RoomHandle, ref: string, given: Resource, actor: Actor) {
  const resource = checked(given);
  const item = itemOf(resource);
  const edit = (task: Task, text: string): string => {
    const isThere = task.resources.some((one) => JSON.stringify(one) === JSON.stringify(resource));
    return isThere ? text : setKey(text, 'resources', [...itemsOf(task, text), item] as Value, task.path);
  };
  return changeTask(deps, ref, actor, () => ({ edit }));
}

/** A bare text is what reading takes it for. */
function itemOf({ kind, value, label }: Resource) {
  const isBare = label === null && (kind === 'url') === IS_URL.test(value);
  return isBare ? value : { [kind]: value, ...(label === null ? {} : { label }) };
}

/** One of a new task, as its file has it; a text is what reading takes it for. @throws RoomError `bad_input` */
function resourceItem(given: string | { kind: Resource['kind']; value: string; label?: string | null }) {
  if (typeof given !== 'string') return itemOf(checked({ ...given, label: given.label ?? null }));
  return itemOf(checked({ kind: IS_URL.test(given) ? 'url' : 'file', value: given, label: null }));
}

/** @param index from 0. @throws RoomError `not_found` without such a resource; and as `changeTask` */
export function removeResource(deps: RoomHandle, ref: string, index: number, actor: Actor) {
  const edit = (task: Task, text: string): string => {
    if (task.resources[index] === undefined) throw noSuchIndex('resource', index, task.resources.length);
    const rest = itemsOf(task, text).filter((_, at) => at !== index);
    return withList(text, 'resources', rest, task.path);
  };
  return changeTask(deps, ref, actor, () => ({ edit }));
}

/** As they stand in the file, so that what is kept keeps its form. */
function itemsOf({ path }: Task, text: string): unknown[] {
  const parsed = parseDocument(text, path);
  const found = parsed.ok ? parsed.doc.data.resources : undefined;
  if (found === undefined || found === null) return [];
  return Array.isArray(found) ? found : [found];
}

function checked({ kind, value, label }: Resource): Resource {
  const where = oneLine('value', value, { most: MAX_CHARS });
  const name = oneLine('label', label ?? '', { most: MAX_CHARS });
  if (where === '') throw new RoomError('bad_input', 'value: a resource needs a URL or a path');
  if (kind === 'url' && !IS_URL.test(where))
    throw new RoomError('bad_input', `value: ${JSON.stringify(where)} is no URL`, {
      hint: 'such as https://example.org/page; a path is of kind file',
    });
  return { kind, value: where, label: name === '' ? null : name };
}
