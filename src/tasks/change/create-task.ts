// Making a task file from its parts: a safe name, front matter, and the recommended sections (T4, T5).
import { existsSync, mkdirSync } from 'node:fs';
import { MAX_FILE_BYTES, setKeys } from '../../core/document/document.ts';
import { applyEdits } from '../../core/document/edits.ts';
import { isRoomError, RoomError } from '../../core/errors.ts';
import { type TaskId, threadOfTask } from '../../core/ids.ts';
import { closeOpenEnd, normaliseForeign, safeAgentText } from '../../core/task/body/foreign-text.ts';
import { readSections, type SectionName } from '../../core/task/body/sections.ts';
import { appendStep } from '../../core/task/body/step-edits.ts';
import { MAX_NAME_BYTES, nameOfPath, safeFileName, shortenName, titleBeside } from '../../core/task/names.ts';
import { readTask } from '../../core/task/read-task.ts';
import type { Status } from '../../core/task/status.ts';
import { onDisk } from '../../store/room.ts';
import { freshTaskId } from '../observe/give-id.ts';
import { readFileRow } from '../observe/read-file-row.ts';
import { announce, refresh } from '../observe/refresh.ts';
import { saidStatus } from '../references.ts';
import type { NewTask } from '../shapes/change.ts';
import type { Actor, RoomHandle, TaskRoom } from '../task-room.ts';
import { callOf, isAgent, nameOfActor, requestOf } from '../task-room.ts';
import { assertMayChange } from './change.ts';
import { frontMatterOf, nameOf, type Siblings } from './new-front-matter.ts';

const LATER_SECTIONS: readonly SectionName[] = ['Notes', 'Progress', 'Outcome'];

/** Creates a task file. An agent's second task of one name gets a number; a person is told of the first.
 * @param given.id of a task whose making was intended before
 * @throws RoomError `conflict`, `bad_input` (name, owner, reference, value), `not_allowed`, `io`, `locked` */
export async function createTask(deps: RoomHandle, task: NewTask, actor: Actor, given: { id?: TaskId } = {}) {
  assertMayChange(deps, actor, null, 'create');
  const { key } = requestOf(actor);
  const before = key === undefined ? null : deps.writer.known(key);
  // A file that was to be made stands there, or did: its process may have died before it could record that.
  if (before !== null && (before.written || (await holds(deps, before.path, before.task)))) {
    const { task: id, path } = before;
    return { id: id as TaskId, name: nameOfPath(path), path, changed: true };
  }
  makeFolder(deps);
  const id = given.id ?? (before?.task as TaskId | undefined) ?? freshTaskId(deps);
  const mayNumber = given.id !== undefined || isAgent(actor);
  for (const name of namesFor(nameOf(task))) {
    const path = `tasks/${name}.md`;
    // The first command in a room, and a file that went unseen whose name is to be used again.
    if (!deps.ledger.meta.wasLookedAt() || deps.ledger.tasks.byPath(path) !== null) await refresh(deps);
    const text = await textOfTask(deps, task, { id, name, path }, actor);
    try {
      await noteCall(deps, [{ id, ...saidStatus(deps, task.status ?? 'todo') }], actor, () =>
        deps.writer.create(path, text, { actor: nameOfActor(actor), task: id, ...requestOf(actor) }),
      );
      await announce(deps, path, actor);
      const title = titleBeside({ title: deps.ledger.tasks.get(id)?.title, name });
      return { id, name, ...title, path, changed: true };
    } catch (error) {
      if (!isRoomError(error, 'conflict') || !mayNumber) throw error;
      // Made by another process, or by one that died before it could say so.
      if (given.id !== undefined && (await holds(deps, path, id))) return { id, name, path, changed: true };
    }
  }
  throw new RoomError('conflict', `no file name is left for ${JSON.stringify(nameOf(task))}`);
}

const MAX_OF_ONE_NAME = 10_000;

/** The file name for these words, then the same with a number. @throws RoomError `bad_input` */
function* namesFor(words: string): Iterable<string> {
  const name = nameFor(words);
  yield name;
  for (let nth = 2; nth <= MAX_OF_ONE_NAME; nth += 1)
    yield `${shortenName(name, MAX_NAME_BYTES - 6).trimEnd()} ${nth}`;
}

/** Before a daemon sees new files, the turn that makes them is on record, and the call that asks for the first turn of each todo. */
export async function noteCall<Result>(
  { ledger }: TaskRoom,
  made: readonly { id: TaskId; status: Status }[],
  actor: Actor,
  make: () => Promise<Result>,
): Promise<Result> {
  const call = callOf(actor);
  const maker = actor.kind === 'agent' ? (ledger.turns.get(actor.turn)?.thread ?? null) : null;
  if (maker !== null)
    ledger.transaction(() => {
      for (const { id } of made) ledger.makers.put({ task: id, thread: maker });
    });
  const threads = made.filter(({ status }) => status !== 'draft').map(({ id }) => threadOfTask(id));
  if (call === null) return make();
  const note = (what: string | null) =>
    ledger.transaction(() => {
      for (const thread of threads) ledger.turns.setToolCall(thread, what);
    });
  note(call);
  try {
    return await make();
  } catch (error) {
    note(null);
    throw error;
  }
}

/** A file that may be made, as far as can be told before it is. */
export type NewFile = { id: TaskId } & Record<'name' | 'path' | 'text', string>;

/** As `createTask`, up to the write; it may refer to `siblings`. @param isTaken whether another task of this call has that path */
export async function prepareTask(
  deps: RoomHandle,
  task: NewTask & { id: TaskId },
  actor: Actor,
  siblings: Siblings,
  isTaken: (path: string) => boolean,
): Promise<NewFile> {
  assertMayChange(deps, actor, null, 'create');
  makeFolder(deps);
  for (const name of namesFor(nameOf(task))) {
    const file = { id: task.id, name, path: `tasks/${name}.md` };
    const free = !isTaken(file.path) && !existsSync(deps.room.at(file.path));
    if (free) return { ...file, text: await textOfTask(deps, task, file, actor, siblings) };
    if (!isAgent(actor)) throw new RoomError('conflict', `${file.path} exists already`);
  }
  throw new RoomError('conflict', `no file name is left for ${JSON.stringify(nameOf(task))}`);
}

async function textOfTask(
  deps: RoomHandle,
  task: NewTask,
  { id, name, path }: Omit<NewFile, 'text'>,
  actor: Actor,
  siblings: Siblings = new Map(),
): Promise<string> {
  const keys = { id, ...(await frontMatterOf(deps, task, name, actor, siblings)) };
  const body = (task.steps ?? []).reduce(
    (text, step) => applyEdits(text, appendStep(text, { details: '', done: false, task: null, ...step }, 0)),
    bodyFor(task.description ?? '', actor),
  );
  const text = setKeys(body, keys, path);
  assertReadable(deps, path, text, id);
  return text;
}

async function holds(deps: TaskRoom, path: string, id: string | null): Promise<boolean> {
  const row = await readFileRow(deps, path);
  return row !== null && row !== 'unstable' && row.reading.ok && row.reading.task.id === id;
}

/** A clone of a room without tasks has no tasks/, since git keeps no empty folders. */
function makeFolder(deps: RoomHandle): void {
  if (existsSync(deps.room.tasksDir) || deps.ledger.files.stamps().size > 0) return;
  onDisk(deps.room.tasksDir, () => mkdirSync(deps.room.tasksDir, { recursive: true }));
}

/** The file name that a new task gets where it is free, without `.md`. @throws RoomError `bad_input` */
export function nameFor(words: string): string {
  const name = safeFileName(words);
  if (name !== null) return name;
  const hint = 'give the task a name with letters or digits in it';
  throw new RoomError('bad_input', `${JSON.stringify(words)} can't be a file name`, hint);
}

/** The recommended sections around a body; a body that brings sections of its own keeps them. */
function bodyFor(given: string, actor: Actor): string {
  const text = (isAgent(actor) ? safeAgentText(given) : normaliseForeign(given))
    .replace(/^\s*\n/, '')
    .trimEnd();
  const { sections, preamble } = readSections(text);
  const has = (name: SectionName) => sections.some((section) => section.name === name);
  const hasOwn = sections.some((section) => section.known);
  const bare = hasOwn && (has('Task') || text.slice(preamble.start, preamble.end).trim() === '');
  const start = bare ? text : `## Task\n${text}`.trimEnd();
  const missing = LATER_SECTIONS.filter((name) => !has(name));
  return `${[closeOpenEnd(start), ...missing.map((name) => `## ${name}`)].join('\n\n')}\n`;
}

function assertReadable({ config }: TaskRoom, path: string, text: string, id: TaskId): void {
  if (Buffer.byteLength(text) > MAX_FILE_BYTES) {
    const hint = 'put long text into artifacts/ and link to it';
    throw new RoomError('bad_input', 'the task would be larger than 1 MiB', hint);
  }
  const reading = readTask(path, text, config);
  if (!reading.ok)
    throw new RoomError('bad_input', `${path} could not be read as a task`, {
      problems: reading.invalid.problems,
    });
  if (reading.task.id !== id) throw new RoomError('bad_input', `${path} would not keep its id`);
}
