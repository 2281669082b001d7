// The steps of a task (S2): root-level list items with a checkbox in the Steps section. A linked subtask stands as
// `(task:ID)` at the end of the title; what is below the first line are the details. Changing them: step-edits.ts.

import { isTaskId } from '../../ids.ts';
import {
  endWithoutBlanks,
  lineEndAfter,
  nextLineAfter,
  withoutBlankEdges,
} from '../../markdown/blank-space.ts';
import type { ListItem } from '../../markdown/blocks.ts';
import type { Step } from '../task.ts';
import { readSections, type SectionReading, sectionFinder, sectionsNamed } from './sections.ts';

/** A step and its place in the body. */
export interface StepLine extends Step {
  /** The item without the line end of its last line that is not blank. */
  start: number;
  end: number;
  /** The character between the brackets. */
  markStart: number;
  markEnd: number;
  /** Where the title, or the link in its place, begins, and where the first line's words end. */
  wordsStart: number;
  wordsEnd: number;
  /** Line in the body, from 1. */
  line: number;
}

const BOX = /^\[([ xX])\][ \t]+/;
/** The linked subtask at the end of a step's first line. */
export const STEP_LINK = /\(task:([0-9A-Za-z_.-]+)\)$/;

/**
 * All steps of a body, in order; of every Steps section when there are more.
 * @param reading the sections of this body, where they were read already
 */
export function readSteps(body: string, reading: SectionReading = readSections(body)): StepLine[] {
  const spans = sectionsNamed(reading, 'Steps');
  if (spans.length === 0) return [];
  const sectionAt = sectionFinder(spans);
  const countLines = lineCounter(body);
  const steps: StepLine[] = [];
  for (const item of reading.scan.items) {
    if (!sectionAt(item.start)) continue;
    const step = readStep(body, item);
    if (step) steps.push({ ...step, line: countLines(item.start) });
  }
  return steps;
}

function readStep(body: string, item: ListItem): Omit<StepLine, 'line'> | null {
  const firstEnd = lineEndAfter(body, item.contentStart);
  const text = body.slice(item.contentStart, firstEnd);
  const box = BOX.exec(text);
  if (!box) return null;
  const rest = text.slice(box[0].length);
  const words = rest.trim();
  const wordsStart = item.contentStart + box[0].length + (rest.length - rest.trimStart().length);
  const link = STEP_LINK.exec(words);
  const task = link && isTaskId(link[1]!) ? link[1]! : null;
  const end = lineEndAfter(body, endWithoutBlanks(body, item.end, firstEnd));
  const markStart = item.contentStart + 1;
  return {
    title: task === null ? words : words.slice(0, link!.index).trimEnd(),
    details: dedent(body.slice(nextLineAfter(body, firstEnd), Math.max(end, nextLineAfter(body, firstEnd)))),
    done: box[1] !== ' ',
    task,
    start: item.start,
    end,
    markStart,
    markEnd: markStart + 1,
    wordsStart,
    wordsEnd: wordsStart + words.length,
  };
}

/** Counts lines up to growing offsets, passing each character once. */
function lineCounter(body: string): (offset: number) => number {
  let line = 1;
  let at = 0;
  return (offset) => {
    while (at < offset) {
      const end = lineEndAfter(body, at);
      if (end >= offset) break;
      at = nextLineAfter(body, end);
      line += 1;
    }
    return line;
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
