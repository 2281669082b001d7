// Edits of what stands below the front matter, as spans of the body applied to the whole file. A front matter that ends
// the file without a line end gets one first, so that nothing is glued to its closing line.
import { parseDocument } from '../../document/document.ts';
import { applyEdits, type Edit } from '../../document/edits.ts';
import { RoomError } from '../../errors.ts';

/**
 * The text with its body edited; the same string where there is nothing to do.
 * @param edits gets the body and where it starts in the file; its spans are offsets in the file
 * @throws RoomError `invalid_file` when the front matter can't be read, and what `edits` throws
 */
export function editBody(
  text: string,
  path: string,
  edits: (body: string, offset: number) => readonly Edit[],
): string {
  const parsed = parseDocument(text, path);
  if (!parsed.ok) throw new RoomError('invalid_file', `${path} can't be read`, { problems: parsed.problems });
  const { bodyStart, frontMatter, eol } = parsed.doc;
  const isOpen = frontMatter !== null && bodyStart === text.length && !text.endsWith('\n');
  const whole = isOpen ? text + eol : text;
  const offset = isOpen ? whole.length : bodyStart;
  const list = edits(whole.slice(offset), offset);
  return list.length === 0 ? text : applyEdits(whole, list);
}
