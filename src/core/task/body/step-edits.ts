// Changes of a task's steps as edits of its body. All other bytes stay, and the result is read again before it counts.
// Only linkStep links a step to a subtask, and no edit removes a link (S10). Indexes count from 0. `offset`, where `body`
// starts in the file, is added to every span.
import { applyEdits, type Edit, lineEndOf, sharedEnds, shifted } from '../../document/edits.ts';
import { noSuchIndex, RoomError } from '../../errors.ts';
import { isTaskId } from '../../ids.ts';
import { endWithoutBlanks, lineEndAfter, nextLineAfter } from '../../markdown/lines.ts';
import type { Step } from '../task.ts';
import { normaliseForeign, safeAgentText } from './foreign-text.ts';
import { appendToSection, readSections, sectionsNamed } from './sections.ts';
import { dedent, readSteps, STEP_LINK, type StepLine } from './steps.ts';

/** Longest title in characters (S2). */
export const MAX_TITLE = 60;

export type StepChange = Partial<Pick<Step, 'title' | 'details' | 'done'>>;

/**
 * Changes one step, but not its link; no edits when it says so already.
 * @throws RoomError `not_found` without such a step, `bad_input` as appendStep, `conflict` when the step is written so
 *   that this can't be changed alone
 */
export function editStep(body: string, index: number, change: StepChange, offset: number): Edit[] {
  const steps = readSteps(body);
  const step = steps[index];
  if (step === undefined) throw noSuchIndex('step', index, steps.length);
  const { title = step.title, details = step.details, done = step.done } = change;
  const wanted: Step = {
    title: title === step.title ? title : normaliseTitle(title),
    details: details === step.details ? details : normaliseDetails(details),
    done,
    task: step.task,
  };
  const edits: Edit[] = [];
  if (done !== step.done) edits.push({ start: step.markStart, end: step.markEnd, insert: markOf(done) });
  if (wanted.title !== step.title)
    edits.push({ start: step.wordsStart, end: step.wordsEnd, insert: wanted.title + linkOf(step.task) });
  if (wanted.details !== step.details) {
    const eol = lineEndOf(body);
    const start = lineEndAfter(body, step.wordsEnd);
    const lines = detailLines(wanted.details, step.markStart - 1 - step.start);
    edits.push({ start, end: Math.max(start, step.end), insert: lines.map((line) => eol + line).join('') });
  }
  return checked(body, index, wanted, edits, offset);
}

/** Links a step to a subtask (S2).
 * @param read what counts as a step: more in a plan than in a task
 * @throws RoomError `not_found` without such a step, `refused` when it, or another one, has its subtask already */
export function linkStep(body: string, index: number, task: string, offset: number, read = readSteps) {
  const steps = read(body);
  if (steps[index]?.task === task) return [];
  assertLinkable(steps, index, task);
  const step = steps[index]!;
  const insert = step.title === '' ? linkOf(task).trim() : linkOf(task);
  const edits = [{ start: step.wordsEnd, end: step.wordsEnd, insert }];
  return checked(body, index, { ...step, task }, edits, offset, read);
}

/** @throws RoomError `refused` when the step has a subtask, or another step this one */
export function assertLinkable(steps: readonly Step[], index: number, task: string | null): void {
  const step = steps[index];
  if (step === undefined) throw noSuchIndex('step', index, steps.length);
  const hint = 'a step has one subtask at most; add a step for another';
  if (step.task !== null)
    throw new RoomError('refused', `the step "${step.title}" has its subtask already: ${step.task}`, hint);
  const other = task === null ? undefined : steps.find((one) => one.task === task);
  if (other) throw new RoomError('refused', `the step "${other.title}" is linked to ${task} already`);
}

/** The edits, if their result reads as wanted and every other step as before. */
function checked(body: string, index: number, wanted: Step, edits: Edit[], offset: number, read = readSteps) {
  if (edits.length === 0) return [];
  const before: readonly Step[] = read(body);
  const hint = 'taskroom edit <task>';
  if (!sameSteps(read(applyEdits(body, edits)), before.with(index, wanted)))
    throw new RoomError('conflict', `the step "${before[index]!.title}" must be changed by hand`, hint);
  return shifted(edits, offset);
}

/** Adds a step after the last one.
 * @throws RoomError `bad_input` for an empty title, one above MAX_TITLE, one with a line break or a link in it */
export function appendStep(body: string, step: Step, offset: number): Edit[] {
  const last = readSteps(body).at(-1);
  // A number above 1 begins no list after some blocks: it only goes on with a list that is the section's last block.
  const section = sectionsNamed(readSections(body), 'Steps').at(-1);
  const goesOn = last && section && endWithoutBlanks(body, section.end) <= last.end;
  const marker = goesOn ? markerFrom(body, last, 1) : '-';
  return appendToSection(body, 'Steps', formatStep(normaliseStep(step), marker), offset);
}

/**
 * Replaces all steps. Those that say the same as before keep their bytes; text between steps stays.
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
    if (sameSteps(readSteps(applyEdits(body, edits)), wanted)) return shifted(edits, offset);
  }
  throw new RoomError('conflict', 'the Steps section is written so that its steps must be changed by hand');
}

/** S10: the links stay as they are, each once. */
function assertLinksKept(present: readonly Step[], steps: readonly Step[]): void {
  const count = (all: readonly Step[], task: string) => all.filter((step) => step.task === task).length;
  const dropped = present.find(({ task }) => task !== null && count(steps, task) === 0);
  if (dropped)
    throw new RoomError(
      'not_allowed',
      `the step "${dropped.title}" is linked to task ${dropped.task} and can't be dropped`,
      { hint: 'keep it, with its task' },
    );
  for (const task of steps.flatMap((step) => step.task ?? [])) {
    const hint = 'create a subtask for that step';
    if (count(present, task) === 0)
      throw new RoomError('not_allowed', `no step is linked to task ${task} yet, and this links none`, hint);
    if (count(steps, task) > count(present, task))
      throw new RoomError('not_allowed', `task ${task} would be linked more than once`);
  }
}

function replaceItems(body: string, present: StepLine[], wanted: readonly Step[], keepBytes: boolean) {
  const eol = lineEndOf(body);
  const first = present[0];
  const lines = wanted.map((step, index) => {
    const old = keepBytes && present.find((one) => sameStep(one, { ...step, done: one.done }));
    if (!old) return formatStep(step, first ? markerFrom(body, first, index) : '-').replaceAll('\n', eol);
    const raw = body.slice(old.start, old.end);
    const at = old.markStart - old.start;
    return old.done === step.done ? raw : raw.slice(0, at) + markOf(step.done) + raw.slice(at + 1);
  });
  if (!first) return lines.length === 0 ? [] : appendToSection(body, 'Steps', lines.join('\n'), 0);
  const raw = present.map((step) => body.slice(step.start, step.end));
  const { head, tail } = sharedEnds(raw, lines);
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

const sameSteps = (some: readonly Step[], others: readonly Step[]): boolean =>
  some.length === others.length && some.every((step, at) => sameStep(step, others[at]!));

const sameStep = (a: Step, b: Step): boolean =>
  a.title === b.title && a.details === b.details && a.done === b.done && a.task === b.task;

function markerFrom(body: string, step: StepLine, by: number): string {
  const [, bullet = '-', number, after] =
    /^[ \t]*([-*+]|(\d{1,9})([.)]))/.exec(body.slice(step.start, step.markStart)) ?? [];
  return number === undefined ? bullet : `${Math.min(Number(number) + by, 999_999_999)}${after}`;
}

/** The step with a clean title and safe details, as it reads back. Throws as appendStep. */
function normaliseStep({ title, details, done, task }: Step): Step {
  if (task !== null && !isTaskId(task)) throw new RoomError('bad_input', `"${task}" is no task id`);
  return { title: normaliseTitle(title), details: normaliseDetails(details), done, task };
}

function normaliseTitle(given: string): string {
  const title = normaliseForeign(given).trim();
  const refuse = (why: string, hint?: string) => new RoomError('bad_input', `title: ${why}`, { hint });
  if (title === '') throw refuse('a step needs one');
  if (/[\n\0-\x1f\x7f-\x9f]/.test(title)) throw refuse('that of a step is one line of text');
  const length = [...title].length;
  const tooLong = `it has ${length} characters, that of a step at most ${MAX_TITLE}`;
  if (length > MAX_TITLE) throw refuse(tooLong, 'put the rest into its details');
  if (STEP_LINK.test(title)) throw refuse('a step is linked by its task, not by its title');
  return title;
}

const normaliseDetails = (details: string): string => dedent(safeAgentText(details));

function formatStep({ title, details, done, task }: Step, marker: string): string {
  const below = detailLines(details, marker.length + 1);
  return [`${marker} [${markOf(done)}] ${title}${linkOf(task)}`, ...below].join('\n');
}

const detailLines = (details: string, indent: number): string[] =>
  details === '' ? [] : details.split('\n').map((line) => (line === '' ? '' : ' '.repeat(indent) + line));

const markOf = (done: boolean) => (done ? 'x' : ' ');
const linkOf = (task: string | null) => (task === null ? '' : ` (task:${task})`);
