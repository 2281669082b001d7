// Changes of a task's steps as spans of its body: what is not meant keeps its bytes, and the result is read again before
// it counts. A link to a subtask is made by linkStep alone, and nothing here takes one away (S10). Indexes count from 0; an
// `offset` is added to every span: where `body` starts in the file.
import { applyEdits, type Edit, lineEndOf, shifted } from '../../document/edits.ts';
import { RoomError } from '../../errors.ts';
import { isTaskId } from '../../ids.ts';
import { endWithoutBlanks, lineEndAfter, nextLineAfter } from '../../markdown/blank-space.ts';
import { noSuchIndex } from '../../no-such-index.ts';
import type { Step } from '../task.ts';
import { normaliseForeign, safeAgentText } from './foreign-text.ts';
import { appendToSection, readSections, sectionsNamed } from './sections.ts';
import { dedent, readSteps, STEP_LINK, type StepLine } from './steps.ts';

/** Longest title in characters (S2). */
export const MAX_TITLE = 60;

/**
 * Ticks or unticks a step; no edit when it is so already.
 * @throws RoomError `not_found` when there is no such step
 */
export function setStepDone(body: string, index: number, done: boolean, offset: number): Edit[] {
  const step = stepAt(body, index);
  if (step.done === done) return [];
  return [{ start: offset + step.markStart, end: offset + step.markEnd, insert: done ? 'x' : ' ' }];
}

export interface StepChange {
  title?: string;
  details?: string;
  done?: boolean;
}

/**
 * Changes one step; no edits when it is so already. Its link stays.
 * @throws RoomError `not_found` when there is no such step, `bad_input` as appendStep, `conflict` when it is written so
 *   that this can't be changed by itself
 */
export function editStep(body: string, index: number, change: StepChange, offset: number): Edit[] {
  const step = stepAt(body, index);
  const { title, details, done } = change;
  const wanted: Step = {
    title: title === undefined || title === step.title ? step.title : normaliseTitle(title),
    details: details === undefined || details === step.details ? step.details : normaliseDetails(details),
    done: done ?? step.done,
    task: step.task,
  };
  const edits: Edit[] = [];
  if (wanted.done !== step.done)
    edits.push({ start: step.markStart, end: step.markEnd, insert: wanted.done ? 'x' : ' ' });
  if (wanted.title !== step.title) edits.push(titleEdit(step, wanted.title));
  if (wanted.details !== step.details) edits.push(detailsEdit(body, step, wanted.details));
  return checked(body, index, wanted, edits, offset);
}

/**
 * Links a step to a subtask (S2).
 * @param read what counts as a step: of a plan more than of a task
 * @throws RoomError `not_found` when there is no such step, `refused` when it, or another one, has its subtask already
 */
export function linkStep(
  body: string,
  index: number,
  task: string,
  offset: number,
  read: (body: string) => StepLine[] = readSteps,
): Edit[] {
  const steps = read(body);
  const step = steps[index];
  if (step?.task === task) return [];
  assertLinkable(steps, index, task);
  const { wordsEnd, title } = step!;
  const insert = `${title === '' ? '' : ' '}(task:${task})`;
  const edits = [{ start: wordsEnd, end: wordsEnd, insert }];
  return checked(body, index, { ...step!, task }, edits, offset, read);
}

/** @throws RoomError `refused` when the step has a subtask, or another step this one */
export function assertLinkable(steps: readonly Step[], index: number, task: string | null): void {
  const step = steps[index];
  if (step === undefined) throw noSuchIndex('step', index, steps.length);
  if (step.task !== null)
    throw new RoomError('refused', `the step "${step.title}" has its subtask already: ${step.task}`, {
      hint: 'a step has one subtask at most; add a step for another',
    });
  const other = task === null ? undefined : steps.find((one) => one.task === task);
  if (other) throw new RoomError('refused', `the step "${other.title}" is linked to ${task} already`);
}

function stepAt(body: string, index: number): StepLine {
  const steps = readSteps(body);
  const step = steps[index];
  if (step === undefined) throw noSuchIndex('step', index, steps.length);
  return step;
}

function titleEdit({ wordsStart, wordsEnd, task }: StepLine, title: string): Edit {
  return { start: wordsStart, end: wordsEnd, insert: task === null ? title : `${title} (task:${task})` };
}

/** In the place of the lines below the first one, as far in as the step's text. */
function detailsEdit(body: string, step: StepLine, details: string): Edit {
  const eol = lineEndOf(body);
  const indent = ' '.repeat(step.markStart - 1 - step.start);
  const start = lineEndAfter(body, step.wordsEnd);
  const lines = details === '' ? [] : details.split('\n').map((line) => (line === '' ? '' : indent + line));
  return { start, end: Math.max(start, step.end), insert: lines.map((line) => eol + line).join('') };
}

/** The edits, if what they give reads as meant and every other step as before. */
function checked(
  body: string,
  index: number,
  wanted: Step,
  edits: Edit[],
  offset: number,
  read: (body: string) => StepLine[] = readSteps,
): Edit[] {
  if (edits.length === 0) return [];
  const before = read(body);
  const after = read(applyEdits(body, edits));
  const fits =
    after.length === before.length &&
    after.every((step, at) => sameStep(step, at === index ? wanted : before[at]!));
  if (!fits)
    throw new RoomError('conflict', `the step "${before[index]!.title}" must be changed by hand`, {
      hint: 'taskroom edit <task>',
    });
  return shifted(edits, offset);
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
 * @throws RoomError `not_allowed` when a step linked to a subtask would be dropped, or one linked that is not (S10),
 *   `bad_input` as appendStep, `conflict` when the section is written so that its steps can't be replaced
 */
export function replaceSteps(body: string, steps: readonly Step[], offset: number): Edit[] {
  const present = readSteps(body);
  assertLinksKept(present, steps);
  const wanted = steps.map((step) =>
    present.some((old) => sameStep(old, step)) ? step : normaliseStep(step),
  );
  for (const keepBytes of [true, false]) {
    const edits = replaceItems(body, present, wanted, keepBytes);
    const result = readSteps(applyEdits(body, edits));
    if (result.length === wanted.length && result.every((step, index) => sameStep(step, wanted[index]!)))
      return shifted(edits, offset);
  }
  throw new RoomError('conflict', 'the Steps section is written so that its steps must be changed by hand');
}

/** S10: the links are those there were, each once. */
function assertLinksKept(present: readonly Step[], steps: readonly Step[]): void {
  const linked = steps.flatMap(({ task }) => task ?? []);
  const dropped = present.find(({ task }) => task !== null && !linked.includes(task));
  if (dropped)
    throw new RoomError(
      'not_allowed',
      `the step "${dropped.title}" is linked to task ${dropped.task} and can't be dropped`,
      { hint: 'keep it, with its task' },
    );
  const count = (task: string) => present.filter((step) => step.task === task).length;
  for (const task of linked) {
    if (count(task) === 0)
      throw new RoomError('not_allowed', `no step is linked to task ${task} yet, and this links none`, {
        hint: 'create a subtask for that step',
      });
    if (linked.filter((other) => other === task).length > count(task))
      throw new RoomError('not_allowed', `task ${task} would be linked more than once`);
  }
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

function markerFrom(body: string, step: StepLine, by: number): string {
  const marker = /^[ \t]*([-*+]|(\d{1,9})([.)]))/.exec(body.slice(step.start, step.markStart));
  if (!marker) return '-';
  return marker[2] === undefined
    ? marker[1]!
    : `${Math.min(Number(marker[2]) + by, 999_999_999)}${marker[3]}`;
}

/** The step as it can be written and read back: clean title, safe details. Throws as appendStep. */
function normaliseStep(step: Step): Step {
  if (step.task !== null && !isTaskId(step.task))
    throw new RoomError('bad_input', `"${step.task}" is no task id`);
  const { title, details, done, task } = step;
  return { title: normaliseTitle(title), details: normaliseDetails(details), done, task };
}

function normaliseTitle(given: string): string {
  const title = normaliseForeign(given).trim();
  if (title === '') throw new RoomError('bad_input', 'title: a step needs one');
  if (/[\n\0-\x1f\x7f-\x9f]/.test(title))
    throw new RoomError('bad_input', 'title: that of a step is one line of text');
  const length = [...title].length;
  if (length > MAX_TITLE) {
    throw new RoomError(
      'bad_input',
      `title: it has ${length} characters, that of a step at most ${MAX_TITLE}`,
      { hint: 'put the rest into its details' },
    );
  }
  if (STEP_LINK.test(title))
    throw new RoomError('bad_input', 'title: a step is linked by its task, not by its title');
  return title;
}

function normaliseDetails(details: string): string {
  return dedent(safeAgentText(details));
}

function formatStep(step: Step, marker: string, normalise = true): string {
  const { title, details, done, task } = normalise ? normaliseStep(step) : step;
  const link = task === null ? '' : ` (task:${task})`;
  const indent = ' '.repeat(marker.length + 1);
  const below = details === '' ? [] : details.split('\n').map((line) => (line === '' ? '' : indent + line));
  return [`${marker} [${done ? 'x' : ' '}] ${title}${link}`, ...below].join('\n');
}
