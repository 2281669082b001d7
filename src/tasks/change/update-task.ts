// Any change of a task: keys, text, status and entries in one write, then pause and deletion; and its file as an editor on another machine
// reads and saves it, while the file still says what the person was shown.
import { decodeDocument, parseDocument } from '../../core/document/document.ts';
import { type TextEdit, withTextEdit } from '../../core/document/edits.ts';
import { isRoomError, RoomError, reworded } from '../../core/errors.ts';
import type { TaskId } from '../../core/ids.ts';
import { camelOf, defined } from '../../core/plain-data.ts';
import { hashText, readTask } from '../../core/task/read-task.ts';
import { cleanStatus, DELETED, isStatus, saysDeleted, statusWord } from '../../core/task/status.ts';
import type { Task } from '../../core/task/task.ts';
import { factsOf, isKnownKey } from '../../core/task/task-keys.ts';
import { isTaskFile, passedOver } from '../../store/files/scan.ts';
import type { Target } from '../lookup/locate.ts';
import { readAtRest, readTaskFile } from '../observe/read-file-row.ts';
import { announce, refreshPath } from '../observe/refresh.ts';
import { idOfRef } from '../references.ts';
import type { Changed, TaskChange } from '../shapes/change.ts';
import { type Actor, nameOfActor, type RoomHandle, type TaskRoom, withoutRequest } from '../task-room.ts';
import { changedMeanwhile, changeTask, type FileChange } from './change.ts';
import { entryOf, textEdit } from './entry-change.ts';
import { withUnreached } from './gates.ts';
import { keyOf } from './key-values.ts';
import { planKeys } from './set-keys.ts';
import { afterStatus, pauseTask, planStatus, resumeTask } from './status-change.ts';

interface UpdateOptions {
  force?: boolean;
  only?: string; // The hash of the text that it is to be made on.
  only_if?: string;
}

/** @throws RoomError `bad_input`, without `force` also for a key that looks mistyped; `conflict` for another text than `only`; as `changeTask` */
export async function updateTask(
  deps: RoomHandle,
  ref: string,
  { paused, ...given }: TaskChange & UpdateOptions,
  actor: Actor,
): Promise<Changed> {
  const { change, isDeleted } = withoutDeletion(given);
  const plan = planUpdate(deps, change, actor);
  if (plan === null && paused === undefined && !isDeleted)
    throw new RoomError('bad_input', 'nothing to change was given', 'give one or more keys');
  const { only } = change;
  const keyed = [...Object.keys(change.keys ?? {}), ...Object.keys(change).filter(isKnownKey)];
  let changed =
    plan === null
      ? isDeleted
        ? await changeTask(deps, ref, actor, () => defined({ only }))
        : null
      : await plan.after(await changeTask(deps, ref, actor, plan.look));
  try {
    if (paused !== undefined) {
      const move = paused ? pauseTask : resumeTask;
      const by = changed === null ? actor : withoutRequest(actor);
      const moved = await move(deps, changed?.id ?? ref, by);
      changed = { ...changed, ...moved, changed: moved.changed || changed?.changed === true };
    }
    if (!isDeleted)
      return plan === null || keyed.length === 0 ? changed! : await withValues(deps, changed!, keyed);
    const { removeTask } = await import('./remove-task.ts');
    return { ...(await removeTask(deps, changed!.id, actor)), id: changed!.id };
  } catch (error) {
    if (!isRoomError(error) || plan === null) throw error;
    throw reworded(error, `${error.message}; all else was changed`);
  }
}

/** With what the keys say now, tasks by their names; null for one that is gone. */
async function withValues(deps: RoomHandle, changed: Changed, typed: readonly string[]): Promise<Changed> {
  if (changed.later) return changed;
  const { ledger } = deps;
  const { task, text } = await readTaskFile(deps, changed.path);
  const parsed = parseDocument(text, changed.path);
  const now: Record<string, string | null> = {};
  for (const each of typed) {
    const key = keyOf(each.replace(/\s*[+-]\s*$/, ''));
    const known = isKnownKey(key) && (key === 'status' ? statusWord(task) : task[camelOf(key) as keyof Task]);
    const value = isKnownKey(key) ? known : parsed.ok && parsed.doc.data[key];
    const isRef = isKnownKey(key) && ['task', 'tasks'].includes(factsOf(key).kind);
    const texts = [value ?? []]
      .flat()
      .map((one) => (typeof one === 'object' ? JSON.stringify(one) : String(one)));
    const shown = texts.map((one) => (isRef ? (ledger.tasks.get(idOfRef(one) as TaskId)?.name ?? one) : one));
    now[key] =
      shown.length === 0 || (value === false && !(key in (parsed.ok ? parsed.doc.data : {})))
        ? null
        : shown.join(', ');
  }
  return { ...changed, now };
}

/** The change without its deletion, which `status` or a key of that name may ask for. */
export function withoutDeletion<Change extends TaskChange>(change: Change) {
  const { status, keys = {}, ...rest } = change;
  const typed = Object.keys(keys).filter((key) => key.trim().toLowerCase() === 'status');
  const words = typed.map((key) => String(keys[key] ?? ''));
  const isDeleted = status === DELETED || words.some(saysDeleted);
  const others = Object.fromEntries(Object.entries(keys).filter(([key]) => !typed.includes(key)));
  const said = words.filter((word) => !saysDeleted(word)).at(-1);
  const to = status === undefined || status === DELETED ? said?.trim() || undefined : status;
  const hasKeys = Object.keys(others).length > 0 || said?.trim() === '';
  return {
    change: {
      ...rest,
      ...defined({ status: to }),
      ...(hasKeys ? { keys: said?.trim() === '' ? { ...others, status: '' } : others } : {}),
    } as Change,
    isDeleted,
  };
}

/** Null where nothing of the file is to change. @throws RoomError `bad_input`, `not_allowed` */
export function planUpdate(
  deps: RoomHandle,
  change: Omit<TaskChange, 'paused'> & UpdateOptions,
  actor: Actor,
) {
  const { description, status, progress, outcome, keys = {}, force, only, only_if, ...known } = change;
  const typed = asTexts({ ...keys, ...known });
  const hasKeys = Object.keys(typed).length > 0;
  if (!hasKeys && [description, status, progress, outcome].every((each) => each === undefined)) return null;
  const text = description === undefined ? null : textEdit(deps, description, actor);
  // The words of other tools have none for a room's own statuses, so that they replace none.
  const how = { ...defined({ outcome, onlyIf: only_if }), replacesOwn: isStatus(cleanStatus(status ?? '')) };
  const move = status === undefined ? null : planStatus(deps, status, actor, how);
  const entries: FileChange = {
    append: [
      ...(progress === undefined ? [] : [entryOf(deps, 'progress', progress, actor)]),
      ...(outcome === undefined || move !== null ? [] : [entryOf(deps, 'outcome', outcome, actor)]),
    ],
  };
  return {
    async look(target: Target): Promise<FileChange> {
      const set = hasKeys ? await planKeys(deps, target, typed, actor, force) : null;
      const parts = [set, text && { edit: text }, move?.look(target) ?? null, entries];
      return { ...parts.reduce<FileChange>(joined, {}), ...defined({ only }) };
    },
    /** What is to be done and told once it was written. */
    async after(result: Changed): Promise<Changed> {
      const isSaid = progress !== undefined || outcome !== undefined || move !== null;
      const told = { ...(isSaid ? withUnreached(deps, result, 'write') : result), ...move?.answer() };
      if (Object.keys(typed).some((key) => isKey(key, 'checks'))) await trustChecks(deps, told, actor);
      if (Object.keys(typed).some((key) => isKey(key, 'owner')) && actor.kind === 'person')
        acceptOwner(deps, told);
      return status === undefined ? told : afterStatus(deps, status, actor, told);
    },
    answer: () => move?.answer() ?? {}, // Of those that are changed together: what is told of it.
  };
}

const isKey = (typed: string, key: string) => typed.trim().toLowerCase() === key;

function joined(first: FileChange, second: FileChange | null): FileChange {
  const append = [...(first.append ?? []), ...(second?.append ?? [])];
  const edit: FileChange['edit'] = (task, text) => {
    const set = first.edit?.(task, text) ?? text;
    if (second?.edit === undefined) return set;
    if (set === text) return second.edit(task, text);
    const reading = readTask(task.path, set, null);
    return second.edit(reading.ok ? { ...task, ...reading.task } : task, set);
  };
  return { edit, append };
}

/** As `key=value` says them: one line each, nothing for a key that goes. @throws RoomError `bad_input` */
function asTexts(values: Readonly<Record<string, unknown>>): Record<string, string> {
  const said = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(said.map(([key, value]) => [key, asText(key, value)]));
}

function asText(key: string, value: unknown): string {
  if (!Array.isArray(value)) return value === null ? '' : String(value);
  const odd = value.find((item: string) => item.includes(','));
  if (odd === undefined) return value.join(',');
  throw new RoomError('bad_input', `${key}: ${JSON.stringify(odd)} has a comma, which no item can have`);
}

/** The checks that a person set count, whatever runs meanwhile. */
async function trustChecks(deps: RoomHandle, { id, path }: Changed, actor: Actor): Promise<void> {
  const { task } = await readTaskFile(deps, path);
  const checks = task.checks ?? [];
  if (actor.kind === 'person')
    deps.ledger.saidWords.put({ source: `task:${id}`, said: checks, seen: checks });
}

/** The owner that a person set counts, also when the file named it before. */
function acceptOwner(deps: RoomHandle, { id }: Changed): void {
  if (deps.ledger.saidWords.get(`owner:${id}`) === null) return;
  deps.ledger.saidWords.delete(`owner:${id}`);
  deps.ledger.messages.send({ kind: 'look', tasks: [id] }, deps.effects.now());
  deps.ports.ring();
}

export type FileEdit = TextEdit & { only: string };

const OPEN = /^tasks\/([^/\0]+)$/;
const ARCHIVED = /^archive\/\d{4}-\d\d\/[^/\0]+\.md$/;

/** @throws RoomError `not_found`, `bad_input` for what is no task file, open or archived, `invalid_file` for bytes that are no text, `io` */
export async function readFileText(deps: TaskRoom, path: string) {
  assertTaskFile(deps, path);
  const read = await readAtRest(deps, path);
  if (read === null) throw gone(path);
  if (!read.ok)
    throw new RoomError('invalid_file', `${path} is no text that can be sent`, {
      problems: read.problems,
      hint: "open it on the room's own machine",
    });
  // An edit of the text names its hash.
  return { text: read.text, hash: hashText(read.text) };
}

/** Replaces a place of a task file, whatever the file then says. @throws RoomError `conflict`, and as `readFileText` */
export async function saveFileText(deps: RoomHandle, path: string, edit: FileEdit, actor: Actor) {
  assertTaskFile(deps, path);
  const isOpen = OPEN.test(path);
  // What happened to it before is taken in first: else what follows from the edit would be unseen.
  if (isOpen) await refreshPath(deps, path);
  const { changed } = await deps.writer.edit(path, {
    actor: nameOfActor(actor),
    task: deps.ledger.tasks.byPath(path)?.id ?? null,
    isTyped: true,
    edit: (text) => edited(path, text, edit),
  });
  if (changed && isOpen) await announce(deps, path, actor);
  return { changed };
}

function edited(path: string, before: string, { only, ...edit }: FileEdit): string {
  if (hashText(before) !== only) throw changedMeanwhile(path);
  const after = withTextEdit(before, edit);
  if (after === null) throw new RoomError('bad_input', `${path} has no such place`);
  const decoded = decodeDocument(Buffer.from(after), path);
  if (decoded.ok && decoded.text === after) return after;
  throw new RoomError('bad_input', `${path} would be no text any more`, {
    ...(decoded.ok ? {} : { problems: decoded.problems }),
    hint: 'save it as UTF-8, without NUL bytes, and of at most 1 MiB',
  });
}

function assertTaskFile({ room }: TaskRoom, path: string): void {
  const name = OPEN.exec(path)?.[1];
  const isOne = name === undefined ? ARCHIVED.test(path) : passedOver(name) === null;
  const hint = 'expected tasks/<name>.md, or one in archive/';
  if (!isOne) throw new RoomError('bad_input', `${JSON.stringify(path)} is no task file`, hint);
  if (!isTaskFile(room.at(path))) throw gone(path);
}

const gone = (path: string): RoomError => new RoomError('not_found', `${path} is gone`, 'see: taskroom list');
