// A field of a task file as one text, for people who compare two of them, and such a text as a change of the file.
import type { Field } from '../../core/chore/chore.ts';
import { ISSUE_FIELDS, keyOf, type OneField, textOf } from './fields.ts';
import type { LocalChange, LocalSide } from './plan-data.ts';

/** @param entry of a comment: its id in the file; a comment that is no entry there is an empty text */
export function textOfField(local: LocalSide, field: Field, entry: string | null): string {
  if (field === 'comments') return local.comments.find(({ id }) => id === entry)?.text ?? '';
  return textOf(local[keyOf(field)], field);
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
export function changeFromText(field: OneField, text: string): Partial<LocalChange> {
  const key = keyOf(field);
  return { [key]: ISSUE_FIELDS[key].parse(text) };
}
