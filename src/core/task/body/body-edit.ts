// Edits of what stands below the front matter, as spans of the body applied to the whole file. A front matter that ends
// the file without a line end gets one first, so that nothing is glued to its closing line.
import { parseDocument } from '../../document/document.ts';
import { applyEdits, type Edit, lineEndOf } from '../../document/edits.ts';
import { RoomError } from '../../errors.ts';
import { closeOpenEnd, normaliseForeign, replaceForeignBody } from './foreign-text.ts';
import { appendToSection, readSections, replaceSection, sectionsNamed } from './sections.ts';

type EditsOfBody = (body: string, offset: number) => readonly Edit[];

/** The text with its body edited; the same string where there is nothing to do.
 * @param edits gets the body and where it starts in the file; its spans are offsets in the file
 * @throws RoomError `invalid_file` when the front matter can't be read, and what `edits` throws */
export function editBody(text: string, path: string, edits: EditsOfBody): string {
  const parsed = parseDocument(text, path);
  if (!parsed.ok) throw new RoomError('invalid_file', `${path} can't be read`, { problems: parsed.problems });
  const { bodyStart, frontMatter, eol } = parsed.doc;
  const isOpen = frontMatter !== null && bodyStart === text.length && !text.endsWith('\n');
  const whole = isOpen ? text + eol : text;
  const offset = isOpen ? whole.length : bodyStart;
  const list = edits(whole.slice(offset), offset);
  return list.length === 0 ? text : applyEdits(whole, list);
}

// The text under Task, put in whole: between its markers where somebody else's words stand there, else as the content of
// the section, or of a body that has none.

/** Edits that make `text` what the task says; none when it says so.
 * @param text without a final line end; what it leaves open (a fence, a comment) is closed, so that it takes in nothing below
 * @param freshTag random: for new markers, should the text hold the present ones
 * @param offset added to every span: where `body` starts in the file
 * @throws RoomError as replaceSection and replaceForeignBody */
export function replaceTaskText(body: string, text: string, freshTag: string, offset: number): Edit[] {
  const reading = readSections(body);
  if (reading.foreign) return replaceForeignBody(body, text, freshTag, offset);
  const closed = closeOpenEnd(text);
  if (sectionsNamed(reading, 'Task').length > 0) return replaceSection(body, 'Task', closed, offset);
  // Without the section the words above all sections are the task.
  const end = reading.sections[0]?.start ?? body.length;
  const present = body.slice(0, end);
  if (present.trim() === '') return appendToSection(body, 'Task', closed, offset);
  const start = present.length - present.trimStart().length;
  const stop = present.trimEnd().length;
  const insert = closed.replace(/\r\n?|\n/g, lineEndOf(body));
  if (present.slice(start, stop) === insert) return [];
  return [{ start: offset + start, end: offset + stop, insert }];
}

/** What the task says: the text that `replaceTaskText` replaces, with `\n` line ends and no blank edges. */
export function readTaskText(body: string): string {
  const reading = readSections(body);
  const { foreign } = reading;
  if (foreign !== null) return normaliseForeign(body.slice(foreign.contentStart, foreign.contentEnd));
  const section = sectionsNamed(reading, 'Task').at(-1);
  const text =
    section === undefined
      ? body.slice(0, reading.sections[0]?.start ?? body.length)
      : body.slice(section.contentStart, section.end);
  return normaliseForeign(text).trim();
}
