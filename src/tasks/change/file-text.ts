// A task file as an editor on another machine reads and saves it, while the file still says what the person was shown.
import { decodeDocument } from '../../core/document/document.ts';
import { type TextEdit, withTextEdit } from '../../core/document/edits.ts';
import { RoomError } from '../../core/errors.ts';
import { hashText } from '../../core/task/read-task.ts';
import { isTaskFile, passedOver } from '../../store/files/scan.ts';
import { readAtRest } from '../observe/read-file-row.ts';
import { announce, refreshPath } from '../observe/refresh.ts';
import type { RoomHandle } from '../room-handle.ts';
import { type Actor, nameOfActor, type TaskRoom } from '../task-room.ts';
import { changedMeanwhile } from './change.ts';

export interface FileText {
  text: string;
  /** Of the text: what an edit of it names. */
  hash: string;
}

export interface FileEdit extends TextEdit {
  only: string;
}

const OPEN = /^tasks\/([^/\0]+)$/;
const ARCHIVED = /^archive\/\d{4}-\d\d\/[^/\0]+\.md$/;

/** @throws RoomError `not_found`, `bad_input` for what is no task file, open or archived, `invalid_file` for bytes that are no text, `io` */
export async function readFileText(deps: TaskRoom, path: string): Promise<FileText> {
  assertTaskFile(deps, path);
  const read = await readAtRest(deps, path);
  if (read === null) throw gone(path);
  if (!read.ok)
    throw new RoomError('invalid_file', `${path} is no text that can be sent`, {
      problems: read.problems,
      hint: "open it on the room's own machine",
    });
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
  if (!isOne)
    throw new RoomError('bad_input', `${JSON.stringify(path)} is no task file`, {
      hint: 'expected tasks/<name>.md, or one in archive/',
    });
  if (!isTaskFile(room.at(path))) throw gone(path);
}

function gone(path: string): RoomError {
  return new RoomError('not_found', `${path} is gone`, 'see: taskroom list');
}
