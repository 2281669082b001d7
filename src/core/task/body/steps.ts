// The steps of a task (S2): root-level list items with a checkbox in the Steps section. A linked subtask stands as
// `(task:ID)` at the end of the title; what is below the first line are the details. Changing them: step-edits.ts.
import { isTaskId } from '../../ids.ts';
import type { ListItem } from '../../markdown/blocks.ts';
import type { Heading } from '../../markdown/leaf-starts.ts';
import { endWithoutBlanks, lineEndAfter, nextLineAfter, withoutBlankEdges } from '../../markdown/lines.ts';
import type { Step } from '../task.ts';
import { readSections, type SectionReading, sectionFinder, sectionsNamed } from './sections.ts';

export interface StepLine extends Step {
  start: number; // The item without the line end of its last line that is not blank.
  end: number;
  markStart: number; // The character between the brackets; empty where a plan's step has none.
  markEnd: number;
  /** Where the title, or the link in its place, begins, and where the first line's words end. */
  wordsStart: number;
  wordsEnd: number;
}

const BOX = /^\[([ xX])\][ \t]+/;
/** The linked subtask at the end of a step's first line. */
export const STEP_LINK = /\(task:([0-9A-Za-z_.-]+)\)$/;

/** Of every Steps section when there are more, in order. @param reading the sections, where they were read already */
export const readSteps = (body: string, reading: SectionReading = readSections(body)): StepLine[] =>
  itemsInSteps(reading).flatMap((item) => readStep(body, item, true) ?? []);

const PLAN_WORD = /(?<!\p{L})(?:sub)?(?:steps?|plans?|to-?dos?|tasks?)(?!\p{L})/iu;

/** The steps of a plan (C3): the list in its Steps section, else those under headings that speak of steps, plans, todos or
 * tasks; numbered, with boxes or without. Where one has a box, those without are notes. */
export function readPlanSteps(body: string): StepLine[] {
  const reading = readSections(body);
  const own = itemsInSteps(reading);
  const items = own.length > 0 ? own : itemsOfPlan(reading);
  const boxed = items.flatMap((item) => readStep(body, item, true) ?? []);
  return boxed.length > 0 ? boxed : items.flatMap((item) => readStep(body, item, false) ?? []);
}

function itemsInSteps(reading: SectionReading): ListItem[] {
  const sectionAt = sectionFinder(sectionsNamed(reading, 'Steps'));
  return reading.scan.items.filter((item) => sectionAt(item.start) !== null);
}

/** Under a heading below the document's own title, or right under that title. */
function itemsOfPlan({ scan: { headings, items } }: SectionReading): ListItem[] {
  let above: Heading[] = [];
  let next = 0;
  return items.filter(({ start }) => {
    for (; next < headings.length && headings[next]!.start < start; next += 1) {
      const heading = headings[next]!;
      above = [...above.filter(({ depth }) => depth < heading.depth), heading];
    }
    return above.some(
      ({ depth, text }, at) => (depth > 1 || at === above.length - 1) && PLAN_WORD.test(text),
    );
  });
}

function readStep(body: string, item: ListItem, needsBox: boolean): StepLine | null {
  const firstEnd = lineEndAfter(body, item.contentStart);
  const text = body.slice(item.contentStart, firstEnd);
  const box = BOX.exec(text);
  if (!box && needsBox) return null;
  const rest = text.slice(box?.[0].length ?? 0);
  const words = rest.trim();
  const wordsStart =
    item.contentStart + (text.length - rest.length) + (rest.length - rest.trimStart().length);
  const link = STEP_LINK.exec(words);
  const task = link && isTaskId(link[1]!) ? link[1]! : null;
  const end = lineEndAfter(body, endWithoutBlanks(body, item.end, firstEnd));
  const markStart = item.contentStart + (box ? 1 : 0);
  return {
    title: task === null ? words : words.slice(0, link!.index).trimEnd(),
    details: dedent(body.slice(nextLineAfter(body, firstEnd), Math.max(end, nextLineAfter(body, firstEnd)))),
    done: box !== null && box[1] !== ' ',
    task,
    start: item.start,
    end,
    markStart,
    markEnd: markStart + (box ? 1 : 0),
    wordsStart,
    wordsEnd: wordsStart + words.length,
  };
}

/** The lines without the indent all of them share, blank lines around them and trailing space. */
export function dedent(text: string): string {
  const lines = text.split(/\r\n|\r|\n/).map((line) => line.slice(0, endWithoutBlanks(line)));
  const indents = lines
    .filter((line) => line !== '')
    .map((line) => line.length - line.replace(/^[ \t]+/, '').length);
  const least = indents.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  const flat = lines.map((line) => (line === '' ? '' : line.slice(least))).join('\n');
  return withoutBlankEdges(flat);
}
