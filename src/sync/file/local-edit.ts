// Writing what came from upstream into a task file: only the spans that change, foreign text kept from becoming
// structure. Pure; the writer calls it again when the file changed meanwhile.
import { removeKey, setKey, type Value } from '../../core/document/document.ts';
import type { Edit } from '../../core/document/edits.ts';
import { editBody } from '../../core/task/body/body-edit.ts';
import { asNote, formatComment, readComments } from '../../core/task/body/entries.ts';
import { findForeignBody, replaceForeignBody, wrapForeignBody } from '../../core/task/body/foreign-text.ts';
import { formatAnswer } from '../../core/task/body/questions.ts';
import { appendToSection, readSections, sectionsNamed } from '../../core/task/body/sections.ts';
import type { RemoteComment } from '../../providers/provider.ts';
import type { Append } from '../../store/write/writer.ts';
import { ISSUE_FIELDS, LOCAL_KEYS, type OneField } from '../plan/fields.ts';
import { entryOf, hashOf } from '../plan/keys.ts';
import type { Answer, LocalChange, LocalKey } from '../plan/plan-data.ts';

export interface EditContext {
  provider: string;
  /** Of the issue: makes the keys of comment entries unique in the room. */
  uid: string;
  /** Fresh tag for body markers, should the text hold the present one. */
  tag: string;
}

/**
 * Applies a plan's change to the text of a task file; its new comments are entries of their own, see commentEntry.
 * @throws RoomError `invalid_file` when the front matter can't be read, `conflict` when a key can't be set by itself
 */
export function applyToFile(text: string, path: string, change: LocalChange, context: EditContext): string {
  let edited = text;
  const { paused, milestone, remote } = change;
  for (const [key, value] of [...fieldsOf(change), ...Object.entries({ paused, milestone, remote })])
    if (value !== undefined)
      edited = value === null ? removeKey(edited, key, path) : setKey(edited, key, value, path);
  edited = editBody(edited, path, (body, offset) => [
    ...(change.body === undefined || findForeignBody(body) === null
      ? []
      : replaceForeignBody(body, change.body, context.tag, offset)),
    ...commentEdits(body, offset, change),
  ]);
  for (const line of change.notes) edited = addNote(edited, path, line);
  return edited;
}

/** The keys of fields, as a file has them; null for none. The body stands elsewhere. */
export function fieldsOf(said: Partial<Record<LocalKey, LocalChange[LocalKey]>>): [OneField, Value | null][] {
  return LOCAL_KEYS.flatMap((key): [OneField, Value | null][] => {
    const value = said[key];
    if (key === 'body' || value === undefined) return [];
    return [[ISSUE_FIELDS[key].name, value === null || value.length === 0 ? null : value]];
  });
}

function commentEdits(body: string, offset: number, change: LocalChange): Edit[] {
  const words = new Map(change.editedComments.map(({ entry, text }) => [entry, text]));
  if (words.size === 0) return [];
  const eol = body.includes('\r\n') ? '\r\n' : '\n';
  return readComments(body).flatMap((entry) => {
    const text = words.get(entry.id);
    if (text === undefined || hashOf(text) === hashOf(entry.text)) return [];
    const { author, role, id } = entry;
    const quote = formatComment({ author, role, atMs: 0, id, text }).split('\n').slice(1);
    const header = entry.raw.slice(0, entry.raw.search(/\r?\n/));
    const end = offset + entry.start + entry.raw.trimEnd().length;
    return [{ start: offset + entry.start, end, insert: [header, ...quote].join(eol) }];
  });
}

/** A line in Notes, once. */
export function addNote(text: string, path: string, line: string): string {
  return editBody(text, path, (body, offset) => {
    const has = sectionsNamed(readSections(body), 'Notes').some((section) =>
      body.slice(section.contentStart, section.end).includes(line),
    );
    return has ? [] : appendToSection(body, 'Notes', asNote(`- ${line}`), offset);
  });
}

/** The entry that shows a remote comment, keyed so that a repeat adds nothing. */
export function commentEntry(comment: RemoteComment, { provider, uid }: EditContext): Append {
  const key = `remote:${uid}:${comment.id}:${hashOf(comment.body)}`;
  return { section: 'Comments', block: commentBlock(comment, provider), key };
}

/** The entry of a comment that answers a question, keyed likewise. */
export function answerEntry({ question, comment }: Answer, { provider, uid }: EditContext): Append {
  const { author, role, createdAt: atMs, body: text } = comment;
  const id = entryOf(provider, comment.id);
  const block = formatAnswer({ author, role, atMs, key: question, id, text });
  return { section: 'Questions', block, key: `answer:${uid}:${comment.id}:${question}` };
}

export function commentBlock(comment: RemoteComment, provider: string): string {
  const { author, role, createdAt, id, body } = comment;
  return formatComment({ author, role, atMs: createdAt, id: entryOf(provider, id), text: body });
}

/**
 * Puts body markers around what a local task says, so that it can be mirrored: the content of `## Task`, or all of a
 * body without sections, or what stands above the first of them. A text that has them stays as it is.
 * @param tag fresh and random
 * @throws RoomError `invalid_file`
 */
export function wrapBody(text: string, path: string, tag: string): string {
  return editBody(text, path, (body, offset) => {
    const reading = readSections(body);
    if (reading.foreign) return [];
    const [section] = sectionsNamed(reading, 'Task');
    // Words above the first section of ours are the task, as they are in a body without any.
    const first = reading.sections.find(({ known }) => known);
    if (!section && first && body.slice(0, first.start).trim() === '') {
      return appendToSection(body, 'Task', wrapForeignBody('', tag), offset);
    }
    const start = section?.contentStart ?? 0;
    const end = section?.end ?? first?.start ?? body.length;
    const words = body.slice(start, end);
    const eol = body.includes('\r\n') ? '\r\n' : '\n';
    const wrapped = wrapForeignBody(words.trim(), tag).replaceAll('\n', eol);
    const head = section ? '' : `${eol}## Task${eol}`;
    if (words.trim() === '') {
      // Each marker stands alone on its line, also in a section that has no text, or no line end after its heading.
      const before = start > 0 && body[start - 1] !== '\n' ? eol : '';
      return [{ start: offset + start, end: offset + start, insert: `${before}${head}${wrapped}${eol}` }];
    }
    const from = start + (words.length - words.trimStart().length);
    const to = start + words.trimEnd().length;
    return [{ start: offset + from, end: offset + to, insert: `${head}${wrapped}` }];
  });
}
