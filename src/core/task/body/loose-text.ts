// Text that a person typed where only entries count: it is kept, is no input, and so starts no turn.
import type { Status } from '../status.ts';
import { readQuoted } from './quoted-entries.ts';
import { type Section, type SectionName, type SectionReading, sectionsNamed } from './sections.ts';

export interface LooseText {
  section: SectionName;
  start: number;
  line: string;
}

interface Span {
  start: number;
  end: number;
}

const MAX_FOUND = 5;
/** What the runtime leaves where it moved entries away, and what readers of the file do not see. */
const NO_TEXT = /<!--[\s\S]*?-->|^\*\d{1,9} older entries: .*\*[ \t]*$/gm;
const DATED = /^\*\*\d{4}-\d\d-\d\d \d\d:\d\d\*\* · /;

/**
 * The first pieces of such text. A paragraph in Progress and an outcome without a date are told while the task is open:
 * of one that is finished they are what the person says of it.
 */
export function readLooseText(body: string, reading: SectionReading, status: Status): LooseText[] {
  const foreign: Span[] = reading.foreign === null ? [] : [reading.foreign];
  const find = (name: SectionName, entries: (section: Section) => readonly Span[]) =>
    sectionsNamed(reading, name).flatMap((section) =>
      gapsOf(body, section, [...foreign, ...entries(section)]).map((gap) => ({ section: name, ...gap })),
    );
  const found = find('Comments', () => readQuoted(body, reading, 'Comments'));
  if (status === 'todo' || status === 'doing') found.push(...find('Progress', () => reading.scan.items));
  if (status === 'todo')
    found.push(
      ...find('Outcome', ({ contentStart, end }) => {
        const dated = reading.scan.paragraphs.find(
          ({ start }) => start >= contentStart && start < end && DATED.test(body.slice(start, end)),
        );
        return dated === undefined ? [] : [{ start: dated.start, end }];
      }),
    );
  return found.slice(0, MAX_FOUND);
}

/** What of a section no entry covers, a piece between two entries. */
function gapsOf(body: string, section: Section, entries: readonly Span[]): Omit<LooseText, 'section'>[] {
  const within = entries
    .filter(({ start, end }) => start < section.end && end > section.contentStart)
    .sort((a, b) => a.start - b.start);
  const gaps: Omit<LooseText, 'section'>[] = [];
  let at = section.contentStart;
  for (const { start, end } of [...within, { start: section.end, end: section.end }]) {
    if (start > at) {
      const gap = body.slice(at, start).replace(NO_TEXT, (hidden) => hidden.replace(/[^\r\n]/g, ' '));
      const first = /^[ \t]*\S.*$/m.exec(gap);
      if (first !== null) gaps.push({ start: at + first.index, line: first[0].trim() });
    }
    at = Math.max(at, end);
  }
  return gaps;
}
