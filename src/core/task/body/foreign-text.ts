// Text that others wrote, kept from becoming structure: the tagged body of a mirrored task, what agents write into
// sections, and what is shown to agents. Nothing here trusts a single character of such a text.
import type { Edit } from '../../document/edits.ts';
import { RoomError } from '../../errors.ts';
import { scanBlocks } from '../../markdown/blocks.ts';
import { endWithoutBlanks, onOneLine } from '../../markdown/lines.ts';

export interface ForeignBody {
  tag: string;
  start: number; // Of the opening marker's line.
  end: number; // After the closing marker's line end.
  contentStart: number; // The text itself, without the line end before the closing marker.
  contentEnd: number;
}

const TAG = /^[0-9a-z]{10}$/;
const OPENER = '<!-- body ';
const MARKER_END = /[ \t]*(\r\n|\r|\n|$)/y;

/** Line ends as `\n`, and none of the two characters no task file can hold: NUL and half a surrogate pair. */
export const normaliseForeign = (text: string): string =>
  text.replace(/\r\n?/g, '\n').replaceAll('\0', '\ufffd').toWellFormed();

/** The text between markers, each alone on its line, with `\n` line ends and none after the last marker.
 * @param tag 10 of `[0-9a-z]`, random, new for each body
 * @throws RoomError `bad_input` for another tag, `conflict` when the text holds this very tag's closing marker */
export function wrapForeignBody(text: string, tag: string): string {
  if (!TAG.test(tag)) throw new RoomError('bad_input', `a body tag is 10 of 0-9 and a-z, not "${tag}"`);
  if (text.includes(closerOf(tag)))
    throw new RoomError('conflict', 'the text holds its own closing marker; take a new tag');
  return `${OPENER}${tag} -->\n${normaliseForeign(text)}\n${closerOf(tag)}`;
}

/** The first opening marker decides, wherever it stands; only the closing one with its tag ends it, so that a
 * foreign text can neither close its own body nor open another. Null without its closing marker: then headings rule. */
export function findForeignBody(body: string): ForeignBody | null {
  for (let start = body.indexOf(OPENER); start >= 0; start = body.indexOf(OPENER, start + 1)) {
    const tag = body.slice(start + OPENER.length, start + OPENER.length + 10);
    const marker = `${OPENER}${tag} -->`;
    if (!TAG.test(tag) || !body.startsWith(marker, start)) continue;
    const contentStart = endOfMarkerLine(body, start, marker);
    if (contentStart === null) continue;
    const closer = closerOf(tag);
    for (let at = body.indexOf(closer, contentStart); at >= 0; at = body.indexOf(closer, at + 1)) {
      const end = endOfMarkerLine(body, at, closer);
      if (end === null) continue;
      const contentEnd = Math.max(contentStart, at - (body.endsWith('\r\n', at) ? 2 : 1));
      return { tag, start, end, contentStart, contentEnd };
    }
    return null;
  }
  return null;
}

/** Edits that put another text into the foreign body; none when it says the same.
 * @param freshTag taken for both markers when the new text holds the present tag's closing marker
 * @param offset added to every span: where `body` starts in the file
 * @throws RoomError `not_found` without a foreign body; `conflict`, `bad_input` as wrapForeignBody */
export function replaceForeignBody(body: string, text: string, freshTag: string, offset: number): Edit[] {
  const foreign = findForeignBody(body);
  if (!foreign) throw new RoomError('not_found', 'the body has no foreign text between its markers');
  const tag = text.includes(closerOf(foreign.tag)) ? freshTag : foreign.tag;
  const eol = body.startsWith('\r\n', foreign.contentStart - 2) ? '\r\n' : '\n';
  const opener = body.slice(foreign.start, foreign.contentStart).trimEnd();
  const closer = body.slice(foreign.contentEnd, foreign.end).trim();
  const insert = wrapForeignBody(text, tag).replaceAll('\n', eol);
  const present = [opener, body.slice(foreign.contentStart, foreign.contentEnd), closer].join('\n');
  if (tag === foreign.tag && normaliseForeign(present) === wrapForeignBody(text, tag)) return [];
  const end = body.indexOf(closerOf(foreign.tag), foreign.contentEnd) + closerOf(foreign.tag).length;
  return [{ start: offset + foreign.start, end: offset + end, insert }];
}

const closerOf = (tag: string): string => `<!-- /body ${tag} -->`;

/** After the line end of a marker that stands alone on its line, or null. */
function endOfMarkerLine(body: string, at: number, marker: string): number | null {
  if (at > 0 && body[at - 1] !== '\n' && body[at - 1] !== '\r') return null;
  MARKER_END.lastIndex = at + marker.length;
  return MARKER_END.test(body) ? MARKER_END.lastIndex : null;
}

const CONTROLS = /[\0-\x08\x0b-\x1f\x7f-\x9f]/g;
const OUR_MARKERS = /<!--(?=\s*(?:\/?\s*body\b|note\b|[cqa]:))/gi;

/** A text from an agent that can stand in any section and stays inside it: headings at its root are of depth 4 or
 * more, fences and HTML blocks are closed, our own markers are escaped, line ends are `\n`, control characters
 * and surrounding blank space are gone. Giving it a text it made changes nothing. */
export function safeAgentText(text: string): string {
  const clean = text
    .toWellFormed()
    .replace(/\r\n?/g, '\n')
    .replace(CONTROLS, '')
    .replace(OUR_MARKERS, '&lt;!--')
    // An indented first line would go on with a list that stands before it.
    .replace(/^[ \t\n\ufeff]+/, '')
    .replace(/\n[ \t]+(?=\n|$)/g, '\n');
  const trimmed = clean.slice(0, endWithoutBlanks(clean));
  const scan = scanBlocks(trimmed);
  let safe = '';
  let at = 0;
  for (const heading of scan.headings) {
    if (heading.depth > 3) continue;
    safe += `${trimmed.slice(at, heading.start)}#### ${onOneLine(heading.text)}`.trimEnd();
    at = trimmed[heading.end - 1] === '\n' ? heading.end - 1 : heading.end;
  }
  return closeOpenEnd(safe + trimmed.slice(at));
}

/** The text with the line that closes what it leaves open at its end: a fence, a comment, an element such as `<pre>`. */
export function closeOpenEnd(text: string): string {
  const { openAtEnd } = scanBlocks(text);
  return openAtEnd === null ? text : `${text}\n${openAtEnd}`;
}

export const fenceOutput = (output: string): string | null =>
  output.trim() === '' ? null : `Last lines of the output:\n\n${fenced(output)}`;

/** The text as a fenced block that nothing in it ends. */
export function fenced(text: string, language = ''): string {
  const runs = text.match(/`+/g) ?? [];
  const fence = '`'.repeat(Math.max(3, ...runs.map((run) => run.length + 1)));
  return `${fence}${language}\n${text}\n${fence}`;
}
