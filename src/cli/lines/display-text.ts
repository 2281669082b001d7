// Text as cells of a terminal: its width, cutting and padding, and removal of what would steer the terminal. Wide characters (East
// Asian, emoji) take two cells, combining ones none.
import { eastAsianWidth } from 'get-east-asian-width';

const PRINTABLE_ASCII = /^[\x20-\x7e]*$/;
// Emoji by how they are written: by nature, with U+FE0F or a skin colour, or several joined into one.
const EMOJI =
  /^(?:\p{Emoji_Presentation}|[\p{Extended_Pictographic}\d#*]\uFE0F|\p{Emoji_Modifier_Base}\p{Emoji_Modifier}|\p{Extended_Pictographic}.*\u200D\p{Extended_Pictographic})/su;
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\p{Mn}\p{Me}]/u;
// The letters of a syllable are drawn as one block.
const HANGUL = /[\u1100-\u11FF\uA960-\uA97C\uAC00-\uD7FB]/;
const JOINER = '\u200D';
// Direction overrides and line separators reorder or break a line; joiners stay, emoji are made with them.
const STEERING = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;
// Made when first needed: it costs more than most commands do altogether.
let segmenter: Intl.Segmenter | null = null;

function graphemesOf(text: string): Iterable<{ segment: string }> {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  return segmenter.segment(text);
}

// Not imported: the module with all its names takes a twentieth of a small command's start.
const withoutEscapes = (text: string) => process.getBuiltinModule('node:util').stripVTControlCharacters(text);

/** Text as one line that can't steer a terminal: escape sequences and control characters are gone. */
export function cleanLine(text: string): string {
  if (PRINTABLE_ASCII.test(text)) return text;
  return withoutEscapes(text)
    .replace(/[\t\r\n]+/g, ' ')
    .replace(STEERING, '');
}

/** Text of several lines that can't steer a terminal; line ends and tabs stay. */
export const cleanText = (text: string): string =>
  withoutEscapes(text).replace(STEERING, (found) => (found === '\n' || found === '\t' ? found : ''));

function widthOf(grapheme: string): number {
  if (EMOJI.test(grapheme)) return 2;
  let width = 0;
  for (const char of grapheme) {
    if (char === JOINER && width > 0) break;
    if (INVISIBLE.test(char)) continue;
    width += eastAsianWidth(char.codePointAt(0)!);
    if (HANGUL.test(char)) break;
  }
  return width;
}

/** Cells that a clean, uncoloured text takes. */
export function displayWidth(text: string): number {
  if (PRINTABLE_ASCII.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemesOf(text)) width += widthOf(segment);
  return width;
}

/** Cuts to at most `cells`, the last of them an ellipsis when something is cut; null cuts nothing. */
export function truncate(text: string, cells: number | null): string {
  if (cells === null || displayWidth(text) <= cells) return text;
  if (cells <= 0) return '';
  let result = '';
  let width = 0;
  for (const { segment } of graphemesOf(text)) {
    const next = widthOf(segment);
    if (width + next > cells - 1) break;
    result += segment;
    width += next;
  }
  return `${result}…`;
}

/** Cut and padded with spaces to exactly `cells`. */
export function fit(text: string, cells: number): string {
  const cut = truncate(text, cells);
  return cut + ' '.repeat(Math.max(0, cells - displayWidth(cut)));
}

export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`;

// JSON.stringify itself escapes those below U+0020, and leaves these. In JSON they stand in texts alone.
const STEERING_IN_JSON = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

/** JSON as it is printed: what would steer a terminal or turn a line round stands as an escape, which reads as the same value. */
export const printableJson = (json: string): string =>
  json.replace(STEERING_IN_JSON, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** What prints JSON so. */
export const jsonPrinter =
  (write: (text: string) => void) =>
  (json: string): void =>
    write(printableJson(json));

// CSI, OSC/DCS/PM/APC/SOS strings up to their end, other two-byte escapes, and lone control characters.
const ESCAPES =
  /\u001b\[[0-?]*[ -/]*[@-~]|\u001b[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\)?|\u001b[ -/]*[0-~]?|[\u0000-\u0008\u000b\u000c\u000e-\u001a\u001c-\u001f\u007f-\u009f]/g;
const COLOR = /^\u001b\[[0-9;:]*m$/;
const UNFINISHED = /\u001b(?:\[[0-?]*[ -/]*|[\]PX^_][^\u0007\u001b]*\u001b?|[ -/]*)?$/;
const MAX_HELD = 4096;

/** A filter for output of foreign programs, piece by piece: colours pass, everything else that steers the terminal does not. */
export function createOutputFilter(): (piece: string) => string {
  let held = '';
  return (piece) => {
    const text = held + piece;
    const cut = UNFINISHED.exec(text);
    held = cut !== null && text.length - cut.index <= MAX_HELD ? text.slice(cut.index) : '';
    return text
      .slice(0, text.length - held.length)
      .replace(ESCAPES, (found) => (COLOR.test(found) ? found : ''));
  };
}
