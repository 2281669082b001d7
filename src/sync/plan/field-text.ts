// A field of a task file as one text, for people who compare two of them, and such a text as a change of the file.
import type { Field } from '../../core/chore/chore.ts';
import { RoomError } from '../../core/errors.ts';
import { parseStatus, STATUSES } from '../../core/task/status.ts';
import { PRIORITIES, type Priority } from '../../core/task/task.ts';
import { readDue } from '../../core/time/due-date.ts';
import type { LocalChange, LocalSide } from './plan-data.ts';

const NONE = 'none';

/** @param entry of a comment: its id in the file; a comment that is no entry there is an empty text */
export function textOfField(local: LocalSide, field: Field, entry: string | null): string {
  switch (field) {
    case 'labels':
    case 'assignees':
      return local[field].join('\n');
    case 'blocked_by':
      return local.blockedBy.join('\n');
    case 'comments':
      return local.comments.find(({ id }) => id === entry)?.text ?? '';
    case 'title':
    case 'body':
      return local[field] ?? '';
    default:
      return local[field] ?? NONE;
  }
}

/** What a plan makes of a field, as {@link textOfField} says it. */
export function textAfter(
  local: LocalSide,
  change: LocalChange | null,
  field: Field,
  entry: string | null,
): string {
  if (change === null) return textOfField(local, field, entry);
  if (field !== 'comments') return textOfField({ ...local, ...defined(change) }, field, entry);
  const edited = change.editedComments.find((one) => one.entry === entry);
  return edited?.text ?? textOfField(local, field, entry);
}

function defined(change: LocalChange): Partial<LocalSide> {
  return Object.fromEntries(
    Object.entries(change).filter(([, value]) => value !== undefined),
  ) as Partial<LocalSide>;
}

/**
 * The change that makes a file say this of a field.
 * @throws RoomError `bad_input` for a text that the field can't be
 */
export function changeFromText(field: Exclude<Field, 'comments'>, text: string): Partial<LocalChange> {
  const word = text.trim();
  switch (field) {
    case 'title':
      if (word === '' || /[\r\n]/.test(word)) throw notOf(field, text, 'one line with words');
      return { title: word };
    case 'body':
      return { body: text.replaceAll('\r\n', '\n') };
    case 'status': {
      const status = parseStatus(word);
      if (status === null) throw notOf(field, text, `one of ${STATUSES.join(', ')}`);
      return { status };
    }
    case 'priority':
      return { priority: priorityOf(word) };
    case 'due':
      if (!isNone(word) && readDue(word) === null) throw notOf(field, text, 'a date such as 2026-11-30');
      return { due: isNone(word) ? null : word };
    case 'parent':
      if (/[\r\n]/.test(word)) throw notOf(field, text, 'one task');
      return { parent: isNone(word) ? null : word };
    case 'labels':
      return { labels: listOf(text) };
    case 'assignees':
      return { assignees: listOf(text) };
    case 'blocked_by':
      return { blockedBy: listOf(text) };
  }
}

function priorityOf(word: string): Priority | null {
  if (isNone(word)) return null;
  const found = PRIORITIES.find((one) => one === word.toLowerCase());
  if (found === undefined) throw notOf('priority', word, `one of ${PRIORITIES.join(', ')}, ${NONE}`);
  return found;
}

function isNone(word: string): boolean {
  return word === '' || word.toLowerCase() === NONE;
}

function listOf(text: string): string[] {
  const items = text.split(/[\n,]/).map((item) => item.trim());
  return [...new Set(items.filter((item) => item !== '' && item.toLowerCase() !== NONE))];
}

function notOf(field: Field, text: string, expected: string): RoomError {
  const shown = text.length > 80 ? `${text.slice(0, 79)}…` : text;
  return new RoomError('bad_input', `${JSON.stringify(shown)} can't be the ${field}`, {
    hint: `expected ${expected}`,
  });
}
