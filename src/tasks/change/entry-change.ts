// Entries that people and agents add to a task: comments, progress, outcome.

import { parseDocument } from '../../core/document/document.ts';
import { RoomError } from '../../core/errors.ts';
import { newTag } from '../../core/ids.ts';
import { defined } from '../../core/plain-data.ts';
import { editBody, replaceTaskText } from '../../core/task/body/body-edit.ts';
import { asNote, formatComment, formatOutcome, formatProgress } from '../../core/task/body/entries.ts';
import { normaliseForeign, safeAgentText } from '../../core/task/body/foreign-text.ts';
import type { Task } from '../../core/task/task.ts';
import { findHarm, harmOfWords } from '../../core/task/write-check.ts';
import type { Append } from '../../store/write/writer.ts';
import { invalidFile } from '../observe/read-file-row.ts';
import { untroubled } from '../observe/untroubled.ts';
import type { RoomHandle } from '../room-handle.ts';
import type { Changed, EntryInput } from '../shapes/change.ts';
import { type Actor, isAgent, ownKey, requestOf, signatureOf } from '../task-room.ts';
import { wakeForComment } from './ask-for-turns.ts';
import { changeTask } from './change.ts';
import { withUnreached } from './gates.ts';

/** Longest text of one entry in characters: longer ones belong into a file of their own. */
const MAX_ENTRY = 64 * 1024;

/** @throws RoomError `bad_input` for a text that is empty or has more than `most` characters */
export function checkText(
  text: string,
  most = MAX_ENTRY,
  hint = 'write it to a file under artifacts/ and name that file',
): void {
  if (text.trim() === '')
    throw new RoomError(
      'bad_input',
      'the text is empty',
      'say something, or give - to read it from standard input',
    );
  if (text.length > most)
    throw new RoomError('bad_input', `the text has ${text.length} characters, ${most} at most`, hint);
}

type EntryKind = 'comment' | 'progress' | 'note' | 'outcome' | 'output';

/** The same `key` again adds nothing. A comment that is not an agent's asks for a turn. @throws RoomError `bad_input`, and as `changeTask` */
export async function addEntry(
  deps: RoomHandle,
  kind: EntryKind,
  { ref, text, key: said }: EntryInput,
  actor: Actor,
): Promise<Changed> {
  const key = ownKey(actor, said);
  const entry = { ...entryOf(deps, kind, text, actor), ...defined({ key }) };
  const isComment = kind === 'comment';
  const change = { append: [entry], entersFinished: isComment };
  const result = await changeTask(deps, ref, actor, () => change, isComment ? 'comment' : 'write');
  const isAsked = actor.kind === 'person' || actor.kind === 'assistant';
  if (isComment && isAsked && result.changed) await untroubled(deps, () => wakeForComment(deps, result.id));
  // What the runtime itself notes goes nowhere.
  if (kind === 'note' || kind === 'output') return result;
  return withUnreached(deps, result, isComment ? 'comment' : 'write');
}

/** A comment that begins with the place it is about. @param at `path:line` @throws RoomError `bad_input` */
export function placed(text: string, at: string): string {
  checkText(text);
  if (!/^[^\n].*:[1-9]\d{0,8}$/s.test(at))
    throw new RoomError('bad_input', `at: ${JSON.stringify(at.slice(0, 80))} names no line of a file`, {
      hint: 'expected path:line, such as src/build.js:12',
    });
  // In a code span, which ends at a backtick; a name may hold anything.
  const shown = /[`\p{Cc}]/u.test(at) ? JSON.stringify(at).replaceAll('`', '\\u0060') : at;
  return `\`${shown}\`\n\n${text}`;
}

/** What is to be appended. @throws RoomError `bad_input` */
export function entryOf(deps: RoomHandle, kind: EntryKind, text: string, actor: Actor): Append {
  checkText(text);
  return { ...makeEntry(deps, kind, text, actor), ...keyFor(actor, kind) };
}

/** The key of an entry that an actor's request adds beside its change of the file. */
export function keyFor(actor: Actor, what: string): { key?: string } {
  const { key } = requestOf(actor);
  return key === undefined ? {} : { key: `${key}:${what}` };
}

/** An entry without a key. */
export function makeEntry(deps: RoomHandle, kind: EntryKind, text: string, actor: Actor): Append {
  const { effects } = deps;
  const atMs = effects.now();
  const author = signatureOf(actor);
  switch (kind) {
    case 'progress':
      return { section: 'Progress', block: formatProgress({ atMs, text }) };
    case 'note':
      return { section: 'Progress', block: asNote(formatProgress({ atMs, text })) };
    case 'outcome':
      return { section: 'Outcome', block: formatOutcome({ atMs, author, text }) };
    case 'output':
      return { section: 'Outcome', block: asNote(formatOutcome({ atMs, author, text })) };
    case 'comment': {
      const id = newTag(effects.randomBytes);
      // Before it is written: what a person types by hand is no comment to be sent upstream.
      deps.ledger.postedComments.add(id, atMs);
      const role = isAgent(actor) ? 'agent' : null;
      return { section: 'Comments', block: formatComment({ author, role, atMs, id, text }) };
    }
  }
}

/** What stands below the front matter. @throws RoomError `invalid_file` */
export function bodyOf(path: string, text: string): string {
  const parsed = parseDocument(text, path);
  if (!parsed.ok) throw invalidFile(path, parsed.problems);
  return text.slice(parsed.doc.bodyStart);
}

/** Replaces the text under Task. @throws RoomError `bad_input` for an empty text, or, when applied, one with a heading of the task */
export function textEdit(
  deps: RoomHandle,
  text: string,
  actor: Actor,
): (task: Task, before: string) => string {
  checkText(text);
  const words = actor.kind === 'person' ? normaliseForeign(text).trim() : safeAgentText(text);
  const tag = newTag(deps.effects.randomBytes);
  return (task, before) => {
    const after = editBody(before, task.path, (body, offset) => replaceTaskText(body, words, tag, offset));
    const harm = findHarm(task.path, before, after, harmOfWords);
    if (harm === null) return after;
    throw new RoomError('bad_input', `text: with it ${harm}`, {
      hint: 'leave out headings such as ## Progress, which are sections of the task; or: taskroom edit',
    });
  };
}
