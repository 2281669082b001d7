// Writing what came from upstream into a task file: only the spans that change, foreign text kept from becoming
// structure. Pure; the writer calls it again when the file changed meanwhile.
import type { MirrorConfig } from '../../core/chore/chore.ts';
import { removeKey, setKey, type Value } from '../../core/document/document.ts';
import type { Edit } from '../../core/document/edits.ts';
import { formatPair } from '../../core/document/yaml-scalar.ts';
import type { TaskId } from '../../core/ids.ts';
import { editBody } from '../../core/task/body/body-edit.ts';
import { asNote, formatComment, readComments } from '../../core/task/body/entries.ts';
import { findForeignBody, replaceForeignBody, wrapForeignBody } from '../../core/task/body/foreign-text.ts';
import { formatAnswer } from '../../core/task/body/questions.ts';
import { appendToSection, readSections, sectionsNamed } from '../../core/task/body/sections.ts';
import type { StatusWords } from '../../core/task/key-kinds.ts';
import { MAX_NAME_BYTES, safeFileName, shortenName } from '../../core/task/names.ts';
import { isFinished } from '../../core/task/status.ts';
import type { Profile, RemoteComment, RemoteTask } from '../../providers/provider.ts';
import type { Append } from '../../store/write/writer.ts';
import { entryOf, hashOf, localFields, readLocalSide } from '../plan/base.ts';
import { FACTS, ISSUE_FIELDS, LOCAL_KEYS, type OneField } from '../plan/fields.ts';
import type { Answer, Base, LocalChange, LocalKey } from '../plan/plan-data.ts';
import { gateReason, isTrusted, noteOf } from '../plan/trust.ts';
import { cutTitle } from '../plan/upstream-text.ts';

export interface EditContext {
  provider: string;
  uid: string; // Of the issue: makes the keys of comment entries unique in the room.
  tag: string; // Fresh tag for body markers, should the text hold the present one.
}

/** Applies a plan's change to the text of a task file; its new comments are entries of their own, see commentEntry.
 * @throws RoomError `invalid_file` when the front matter can't be read, `conflict` when a key can't be set by itself */
export function applyToFile(text: string, path: string, change: LocalChange, context: EditContext): string {
  let edited = text;
  const others = (['paused', ...FACTS, 'remote'] as const).map((key) => [key, change[key]] as const);
  for (const [key, value] of [...fieldsOf(change), ...others])
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
export const fieldsOf = (
  said: Partial<Record<LocalKey, LocalChange[LocalKey]>>,
): [OneField, Value | null][] =>
  LOCAL_KEYS.flatMap((key): [OneField, Value | null][] => {
    const value = said[key];
    if (key === 'body' || value === undefined) return [];
    return [[ISSUE_FIELDS[key].name, value === null || value.length === 0 ? null : value]];
  });

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
export const addNote = (text: string, path: string, line: string): string =>
  editBody(text, path, (body, offset) => {
    const has = sectionsNamed(readSections(body), 'Notes').some((section) =>
      body.slice(section.contentStart, section.end).includes(line),
    );
    return has ? [] : appendToSection(body, 'Notes', asNote(`- ${line}`), offset);
  });

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

/** Puts body markers around what a local task says, so that it can be mirrored: the content of `## Task`, or all of a
 * body without sections, or what stands above the first of them. A text that has them stays as it is.
 * @param tag fresh and random
 * @throws RoomError `invalid_file` */
export const wrapBody = (text: string, path: string, tag: string): string =>
  editBody(text, path, (body, offset) => {
    const reading = readSections(body);
    if (reading.foreign) return [];
    const [section] = sectionsNamed(reading, 'Task');
    // Words above the first section of ours are the task, as they are in a body without any.
    const first = reading.sections.find(({ known }) => known);
    if (!section && first && body.slice(0, first.start).trim() === '')
      return appendToSection(body, 'Task', wrapForeignBody('', tag), offset);
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

// The file of an issue that was never mirrored: its name, its text and the first base.

export interface NewTaskInput {
  remote: RemoteTask;
  config: MirrorConfig;
  words: StatusWords;
  profile: Profile;
  provider: string;
  id: TaskId;
  tag: string; // Fresh and random.
  shortRef: string; // `web#12` for `acme/web#12`.
  taskOf(ref: string): TaskId | null;
}

export interface NewTaskFile {
  name: string; // Without `.md`.
  text: string;
  base: Base;
  trusted: boolean;
  /** Comments that did not fit beside the others, to be appended one by one. */
  later: RemoteTask['comments']['items'];
}

// Room for what people and agents add before the oldest entries are moved out of the file.
const MAX_COMMENT_BYTES = 256 * 1024;

/** Makes the file of an issue; an untrusted author's arrives paused. */
export function newTaskFile(input: NewTaskInput): NewTaskFile {
  const { remote, config, profile, provider, id } = input;
  const trusted = isTrusted(remote, config, profile) || isFinished(remote.status);
  const name = fileNameFor(remote.title, input.shortRef);
  const path = `tasks/${name}.md`;
  const { first, later } = fitting(remote.comments.items, provider);
  const notes = trusted ? [] : [`- ${noteOf(remote, 'opened')}`];
  const sections = [
    `## Task\n${wrapForeignBody(remote.body, input.tag)}`,
    ['## Notes', ...notes].join('\n'),
    ...(first.length > 0 ? [`## Comments\n\n${first.join('\n\n')}`] : []),
    '## Progress',
    '## Outcome',
  ];
  const text = `---\n${frontMatter(input, trusted)}---\n\n${sections.join('\n\n')}\n`;
  const local = readLocalSide(path, text, input.words);
  const asMeant =
    local?.id === id &&
    (local.title ?? '') === cutTitle(remote.title, Number.POSITIVE_INFINITY) &&
    trimmed(local.labels) === trimmed(remote.labels) &&
    trimmed(local.assignees) === trimmed(remote.assignees);
  if (!asMeant) throw new Error(`the file made for ${remote.ref} can't be read`);
  // Both sides are equal. A task that arrives finished waits for its reader once it is opened again.
  const gate = isTrusted(remote, config, profile) ? null : gateReason(remote);
  const { comments, ...fields } = remote;
  const known = comments.items.map(({ id: comment, body }) => {
    const hash = hashOf(body);
    return [comment, { remote: hash, text: hash, local: null, deleted: false }] as const;
  });
  const agreed = { remote: fields, local: localFields(local), comments: Object.fromEntries(known) };
  return { name, text, trusted, later, base: { ...agreed, own: {}, name, gate } };
}

/** Blanks around a name are no part of it. */
const trimmed = (names: readonly string[]): string => JSON.stringify(names.map((name) => name.trim()));

/** `Fix the login redirect (web#12)`: the title made safe, then the short reference. */
export function fileNameFor(title: string, shortRef: string): string {
  const suffix = `(${safeFileName(shortRef) ?? 'issue'})`;
  const words = safeFileName(cutTitle(title, Number.POSITIVE_INFINITY));
  if (words === null) return suffix;
  const room = MAX_NAME_BYTES - new TextEncoder().encode(suffix).length - 1;
  return `${shortenName(words, room).trimEnd()} ${suffix}`;
}

/** Its lines. Written as they are: nothing stands there yet that an edit could harm. */
function frontMatter(input: NewTaskInput, trusted: boolean): string {
  const { remote, config, provider, id } = input;
  const said = LOCAL_KEYS.map((key) => [key, ISSUE_FIELDS[key].inFile(remote, input)]);
  const { status, title, ...others } = Object.fromEntries(fieldsOf(Object.fromEntries(said)));
  const author = remote.author.replace(/[\p{Cc}\s\u2028\u2029]+/gu, ' ').trim();
  const keys: Record<string, Value | null> = {
    id,
    requester: provider === 'taskwarrior' ? provider : `${provider}:${author}`,
    status: status!,
    paused: !trusted,
    title: title!,
    remote: `task:${provider}:${remote.ref}`,
    owner: config.owner,
    ...others,
    ...Object.fromEntries(FACTS.map((key) => [key, remote[key] ?? null])),
  };
  const lines = Object.entries(keys).map(([key, value]) =>
    value === null ? '' : `${formatPair(key, value, false)}\n`,
  );
  return lines.join('');
}

function fitting(items: RemoteTask['comments']['items'], provider: string) {
  const first: string[] = [];
  let size = 0;
  for (const [index, comment] of items.entries()) {
    const block = commentBlock(comment, provider);
    size += Buffer.byteLength(block);
    if (size > MAX_COMMENT_BYTES) return { first, later: items.slice(index) };
    first.push(block);
  }
  return { first, later: [] };
}
