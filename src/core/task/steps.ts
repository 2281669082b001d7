// The steps of a task (S2): root-level list items with a checkbox in the Steps section. A linked subtask stands as
// `(task:ID)` at the end of the title; what is below the first line are the details.

import { applyEdits, type Edit, lineEndOf } from '../document/edits.ts';
import { RoomError } from '../errors.ts';
import { isTaskId } from '../ids.ts';
import { endWithoutBlanks, lineEndAfter, nextLineAfter, withoutBlankEdges } from '../markdown/blank-space.ts';
import type { ListItem } from '../markdown/blocks.ts';
import { normaliseForeign, safeAgentText } from './foreign-text.ts';
import {
  appendToSection,
  readSections,
  type SectionReading,
  sectionFinder,
  sectionsNamed,
} from './sections.ts';
import type { Step } from './task.ts';

/** Longest title in characters (S2). */
export const MAX_TITLE = 60;

/** A step and its place in the body. */
export interface StepLine extends Step {
  /** The item without the line end of its last line that is not blank. */
  start: number;
  end: number;
  /** The character between the brackets. */
  markStart: number;
  markEnd: number;
  /** Line in the body, from 1. */
  line: number;
}

const BOX = /^\[([ xX])\][ \t]+/;
const LINK = /\(task:([0-9A-Za-z_.-]+)\)$/;

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
  const words = text.slice(box[0].length).trim();
  const link = LINK.exec(words);
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
function dedent(text: string): string {
  const lines = text.split(/\r\n|\r|\n/).map((line) => line.slice(0, endWithoutBlanks(line)));
  const indents = lines
    .filter((line) => line !== '')
    .map((line) => line.length - line.replace(/^[ \t]+/, '').length);
  const least = indents.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  const flat = lines.map((line) => (line === '' ? '' : line.slice(least))).join('\n');
  return withoutBlankEdges(flat);
}

/**
 * Ticks or unticks a step; no edit when it is so already.
 * @param index from 0
 * @param offset added to every span: where `body` starts in the file
 * @throws RoomError `not_found` when there is no such step
 */
export function setStepDone(body: string, index: number, done: boolean, offset: number): Edit[] {
  const steps = readSteps(body);
  const step = steps[index];
  if (!step) throw new RoomError('not_found', `there is no step ${index + 1}; the task has ${steps.length}`);
  if (step.done === done) return [];
  return [{ start: offset + step.markStart, end: offset + step.markEnd, insert: done ? 'x' : ' ' }];
}

/**
 * Adds a step after the last one.
 * @throws RoomError `bad_input` for an empty title, one above MAX_TITLE, one with a line break or a link in it
 */
export function appendStep(body: string, step: Step, offset: number): Edit[] {
  const steps = readSteps(body);
  const last = steps.at(-1);
  // A number above 1 begins no list after some blocks: it only goes on with a list that is the section's last block.
  const section = sectionsNamed(readSections(body), 'Steps').at(-1);
  const goesOn = last && section && endWithoutBlanks(body, section.end) <= last.end;
  const marker = goesOn ? markerFrom(body, last, 1) : '-';
  return appendToSection(body, 'Steps', formatStep(step, marker), offset);
}

/**
 * Makes these the steps. Those that are the same as before keep their bytes; text between steps stays.
 * @throws RoomError `not_allowed` when a step linked to a subtask would be dropped (S10), `bad_input` as
 *   appendStep, `conflict` when the section is written so that its steps can't be replaced
 */
export function replaceSteps(body: string, steps: readonly Step[], offset: number): Edit[] {
  const present = readSteps(body);
  const kept = new Set(steps.map((step) => step.task));
  const dropped = present.find((step) => step.task !== null && !kept.has(step.task));
  if (dropped)
    throw new RoomError(
      'not_allowed',
      `the step "${dropped.title}" is linked to task ${dropped.task} and can't be dropped`,
    );
  const wanted = steps.map((step) =>
    present.some((old) => sameStep(old, step)) ? step : normaliseStep(step),
  );
  for (const keepBytes of [true, false]) {
    const edits = replaceItems(body, present, wanted, keepBytes);
    const result = readSteps(applyEdits(body, edits));
    if (result.length === wanted.length && result.every((step, index) => sameStep(step, wanted[index]!))) {
      return edits.map((edit) => ({ ...edit, start: edit.start + offset, end: edit.end + offset }));
    }
  }
  throw new RoomError('conflict', 'the Steps section is written so that its steps must be changed by hand');
}

function replaceItems(
  body: string,
  present: StepLine[],
  wanted: readonly Step[],
  keepBytes: boolean,
): Edit[] {
  const eol = lineEndOf(body);
  const first = present[0];
  const lines = wanted.map((step, index) => {
    const old = keepBytes ? present.find((one) => sameStep(one, { ...step, done: one.done })) : undefined;
    if (old)
      return (
        body.slice(old.start, old.markStart) + markOf(old, step.done, body) + body.slice(old.markEnd, old.end)
      );
    return formatStep(step, first ? markerFrom(body, first, index) : '-', false).replaceAll('\n', eol);
  });
  if (!first) return lines.length === 0 ? [] : appendToSection(body, 'Steps', lines.join('\n'), 0);
  const raw = present.map((step) => body.slice(step.start, step.end));
  let head = 0;
  while (head < Math.min(raw.length, lines.length) && raw[head] === lines[head]) head += 1;
  let tail = 0;
  while (tail < Math.min(raw.length, lines.length) - head && raw.at(-1 - tail) === lines.at(-1 - tail))
    tail += 1;
  const old = present.slice(head, present.length - tail);
  const fresh = lines.slice(head, lines.length - tail).join(eol);
  if (old.length === 0) {
    if (fresh === '') return [];
    const at = head > 0 ? present[head - 1]!.end : first.start;
    return [{ start: at, end: at, insert: head > 0 ? eol + fresh : fresh + eol }];
  }
  return old.map((step, index) => {
    if (index === 0 && fresh !== '') return { start: step.start, end: step.end, insert: fresh };
    return { start: step.start, end: nextLineAfter(body, step.end), insert: '' };
  });
}

function markOf(old: StepLine, done: boolean, body: string): string {
  if (old.done === done) return body.slice(old.markStart, old.markEnd);
  return done ? 'x' : ' ';
}

function sameStep(a: Step, b: Step): boolean {
  return a.title === b.title && a.details === b.details && a.done === b.done && a.task === b.task;
}

/** The list marker of a step, its number moved on by `by`. */
function markerFrom(body: string, step: StepLine, by: number): string {
  const marker = /^[ \t]*([-*+]|(\d{1,9})([.)]))/.exec(body.slice(step.start, step.markStart));
  if (!marker) return '-';
  return marker[2] === undefined
    ? marker[1]!
    : `${Math.min(Number(marker[2]) + by, 999_999_999)}${marker[3]}`;
}

/** The step as it can be written and read back: clean title, safe details. Throws as appendStep. */
function normaliseStep(step: Step): Step {
  const title = normaliseForeign(step.title).trim();
  if (title === '') throw new RoomError('bad_input', 'a step needs a title');
  if (/[\n\0-\x1f\x7f-\x9f]/.test(title))
    throw new RoomError('bad_input', 'a step title is one line of text');
  if ([...title].length > MAX_TITLE) {
    throw new RoomError(
      'bad_input',
      `a step title has at most ${MAX_TITLE} characters; put the rest into its details`,
    );
  }
  if (LINK.test(title)) throw new RoomError('bad_input', 'a step is linked by its task, not by its title');
  if (step.task !== null && !isTaskId(step.task))
    throw new RoomError('bad_input', `"${step.task}" is no task id`);
  return { title, details: dedent(safeAgentText(step.details)), done: step.done, task: step.task };
}

function formatStep(step: Step, marker: string, normalise = true): string {
  const { title, details, done, task } = normalise ? normaliseStep(step) : step;
  const link = task === null ? '' : ` (task:${task})`;
  const indent = ' '.repeat(marker.length + 1);
  const below = details === '' ? [] : details.split('\n').map((line) => (line === '' ? '' : indent + line));
  return [`${marker} [${done ? 'x' : ' '}] ${title}${link}`, ...below].join('\n');
}
