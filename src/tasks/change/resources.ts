// The resources of a task (S3): URLs and files it points at.
import { parseDocument, removeKey, setKey, type Value } from '../../core/document/document.ts';
import { RoomError } from '../../core/errors.ts';
import { noSuchIndex } from '../../core/no-such-index.ts';
import type { Resource, Task } from '../../core/task/task.ts';
import { oneLine } from '../one-line.ts';
import type { RoomHandle } from '../room-handle.ts';
import type { Changed } from '../shapes/changed.ts';
import type { Actor } from '../task-room.ts';
import { changeTask } from './change.ts';

const MAX_CHARS = 2_000;
const IS_URL = /^[a-z][a-z0-9+.-]*:\/\//i;

/**
 * Adds a resource after the last one; one that is there already, label and all, is not added again.
 * @throws RoomError `bad_input` naming the field; and as `changeTask`
 */
export function addResource(
  handle: RoomHandle,
  ref: string,
  given: Resource,
  actor: Actor,
): Promise<Changed> {
  const resource = checked(given);
  const item = itemOf(resource);
  const edit = (task: Task, text: string): string => {
    const isThere = task.resources.some((one) => JSON.stringify(one) === JSON.stringify(resource));
    return isThere ? text : setKey(text, 'resources', [...itemsOf(task, text), item] as Value, task.path);
  };
  return changeTask(handle, ref, actor, () => ({ edit }));
}

/** A bare text is what reading takes it for. */
function itemOf({ kind, value, label }: Resource) {
  const isBare = label === null && (kind === 'url') === IS_URL.test(value);
  return isBare ? value : { [kind]: value, ...(label === null ? {} : { label }) };
}

/** One of a new task, as its file has it; a text is what reading takes it for. @throws RoomError `bad_input` */
export function resourceItem(
  given: string | { kind: Resource['kind']; value: string; label?: string | null },
) {
  if (typeof given !== 'string') return itemOf(checked({ ...given, label: given.label ?? null }));
  return itemOf(checked({ kind: IS_URL.test(given) ? 'url' : 'file', value: given, label: null }));
}

/** @param index from 0. @throws RoomError `not_found` without such a resource; and as `changeTask` */
export function removeResource(
  handle: RoomHandle,
  ref: string,
  index: number,
  actor: Actor,
): Promise<Changed> {
  const edit = (task: Task, text: string): string => {
    if (task.resources[index] === undefined) throw noSuchIndex('resource', index, task.resources.length);
    const rest = itemsOf(task, text).filter((_, at) => at !== index);
    return rest.length === 0
      ? removeKey(text, 'resources', task.path)
      : setKey(text, 'resources', rest as Value, task.path);
  };
  return changeTask(handle, ref, actor, () => ({ edit }));
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
