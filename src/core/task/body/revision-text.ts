// What the requester says, as one text: its hash is the task's revision. Bookkeeping (steps, questions,
// comments, progress, outcome), blank space and the way line ends or headings are written never change it.
import { endWithoutBlanks, withoutBlankEdges } from '../../markdown/blank-space.ts';
import type { ForeignBody } from './foreign-text.ts';
import { readSections, type SectionReading } from './sections.ts';

const BOOKKEEPING = new Set(['Steps', 'Questions', 'Comments', 'Progress', 'Outcome']);

export interface RevisionInput {
  title: string | null;
  owner: string | null;
  body: string;
  reading?: SectionReading;
}

/** The text to hash: the same for two tasks that say the same. */
export function revisionText({ title, owner, body, reading = readSections(body) }: RevisionInput): string {
  const parts: [heading: string | null, content: string][] = [];
  const add = (heading: string | null, start: number, end: number, keepEmpty = false): void => {
    const content = plain(body, reading, start, end);
    if (content !== '' || keepEmpty) parts.push([heading, content]);
  };
  let at = 0;
  for (const section of reading.sections) {
    add(null, at, section.start);
    add(null, section.start, section.ownStart);
    if (!section.known || !BOOKKEEPING.has(section.name)) {
      add(section.name, section.contentStart, section.end, !section.known);
    }
    at = section.end;
  }
  add(null, at, body.length);
  return JSON.stringify([title, owner, parts]);
}

/** A span's text without blank lines around it, trailing space and the tag of the foreign body. */
function plain(body: string, reading: SectionReading, start: number, end: number): string {
  const { foreign, openAtEnd } = reading;
  let text =
    foreign && start <= foreign.start && foreign.end <= end
      ? untagged(body, foreign, start, end)
      : body.slice(start, end);
  text = text.replace(/\r\n?/g, '\n');
  if (end === body.length && openAtEnd !== null) {
    // Appending a section closes what is open: counted as closed from the start, so that it changes nothing.
    const last = endWithoutBlanks(text);
    const lineEnd = text.indexOf('\n', last);
    if (last > 0) text = `${text.slice(0, lineEnd < 0 ? text.length : lineEnd)}\n${openAtEnd}`;
  }
  return withoutBlankEdges(text);
}

function untagged(body: string, foreign: ForeignBody, start: number, end: number): string {
  const inside = body.slice(foreign.contentStart, foreign.contentEnd).replace(/\r\n?/g, '\n');
  return `${body.slice(start, foreign.start)}<!-- body -->\n${inside}\n<!-- /body -->\n${body.slice(foreign.end, end)}`;
}
