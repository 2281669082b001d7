// A task file's text → the facts in it, or every problem with its place. Pure: the same text gives the same Task.
import { hash as digest } from 'node:crypto';
import { type Budget, readBudget } from '../config/budget.ts';
import { parseChecks } from '../config/check-list.ts';
import { type ParsedDocument, parseDocument } from '../document/document.ts';
import { suggest } from '../document/suggest.ts';
import type { Problem } from '../errors.ts';
import { isTaskId, type TaskId } from '../ids.ts';
import { onOneLine } from '../markdown/blank-space.ts';
import { type LooseText, readLooseText } from './body/loose-text.ts';
import { isOpen, type Question, readQuestions } from './body/questions.ts';
import { revisionText } from './body/revision-text.ts';
import { readSections } from './body/sections.ts';
import { readSteps } from './body/steps.ts';
import { createKeyReader, type KeyReader } from './key-reader.ts';
import { nearKey } from './odd-keys.ts';
import { providerOfRemote, REMOTE_EXAMPLES } from './remote-word.ts';
import { parseStatus, STATUSES, type Status, saysDeleted } from './status.ts';
import {
  type InvalidFile,
  PRIORITIES,
  type Priority,
  type Resource,
  type Step,
  type Task,
  type TaskQuestion,
  type TaskReading,
} from './task.ts';
import { nameOfPath } from './task-name.ts';

/** Keys the runtime knows; every other key is kept and shown to the agent. */
export const KNOWN_KEYS = [
  'id',
  'requester',
  'status',
  'paused',
  'title',
  'owner',
  'priority',
  'blocked_by',
  'parent',
  'sprint',
  'artifact',
  'labels',
  'resources',
  'due',
  'created_by',
  'completed_by',
  'created',
  'updated',
  'remote',
  'checks',
  'budget',
  'scope',
  'sort',
  'active_form',
] as const;

/** First 32 hex digits of a SHA-256: what `hash` and `revision` hold. */
export function hashText(text: string): string {
  return digest('sha256', text).slice(0, 32);
}

/**
 * Reads a task.
 * @param path path inside the room, for names and problems
 * @param text the whole file, BOM included
 * @param hash of the text, where it is known already
 * @param parsed the text as a document, where it was read already
 */
export function readTask(
  path: string,
  text: string,
  hash = hashText(text),
  parsed = parseDocument(text, path),
): TaskReading {
  if (!parsed.ok) return { ok: false, invalid: { path, problems: parsed.problems } };
  const keys = createKeyReader(parsed.doc, path);
  if (saysDeleted(keys.text('status') ?? '')) return { ok: false, invalid: deletedFile(keys, path) };
  const body = text.slice(parsed.doc.bodyStart);
  const reading = readSections(body);
  const title = keys.text('title');
  const owner = keys.text('owner');
  const task: Task = {
    path,
    name: nameOfPath(path),
    id: readId(keys),
    title,
    status: readStatus(keys),
    paused: keys.flag('paused'),
    requester: keys.text('requester') ?? 'owner',
    owner,
    priority: readPriority(keys),
    blockedBy: keys.list('blocked_by'),
    parent: keys.text('parent'),
    labels: keys.list('labels'),
    sprint: keys.text('sprint'),
    artifact: keys.text('artifact'),
    scope: keys.text('scope'),
    sort: keys.number('sort'),
    due: keys.text('due'),
    activeForm: keys.text('active_form'),
    created: keys.text('created'),
    createdBy: keys.text('created_by'),
    completedBy: keys.text('completed_by'),
    updated: keys.text('updated'),
    budget: readTaskBudget(keys),
    remote: readRemote(keys),
    steps: readSteps(body, reading).map(toStep),
    resources: readResources(keys),
    revision: hashText(revisionText({ title, owner, body, reading })),
    hash,
  };
  const questions = readQuestions(body, reading).map(toQuestion);
  if (questions.length > 0) task.questions = questions;
  const checks = readChecks(keys);
  if (checks.length > 0) task.checks = checks;
  if (keys.problems.length > 0) return { ok: false, invalid: { path, problems: keys.problems } };
  const oddKeys = [
    ...readOddKeys(parsed.doc, path),
    ...readMisplaced(parsed.doc, body, path),
    ...readLooseText(body, reading, task.status).map((loose) => unheard(loose, path, text, body)),
  ];
  return { ok: true, task: oddKeys.length === 0 ? task : { ...task, oddKeys } };
}

function deletedFile({ report, problems }: KeyReader, path: string): InvalidFile {
  report('status', 'the task is deleted', STATUSES.join(', '), 'give it another status to keep it');
  return { path, problems, deleted: true };
}

function readOddKeys(doc: ParsedDocument, path: string): Problem[] {
  return Object.keys(doc.data).flatMap((key) => {
    const near = nearKey(key, KNOWN_KEYS);
    if (near === null) return [];
    const message = `unknown key ${JSON.stringify(key)}, kept as it is`;
    return [{ path, ...doc.places(key), message, hint: `did you mean ${near}?` }];
  });
}

const LOOKS_LIKE_KEYS = /^---[ \t]*\r?\n((?:[A-Za-z_][\w-]*:.*\r?\n|[ \t].*\r?\n|#.*\r?\n)+)---[ \t]*\r?$/m;
// Only near the top is it a slip of the hand.
const NEAR_CHARS = 4_096;

/** Front matter below a text is text: nobody means that who wrote `status:` there. */
function readMisplaced(doc: ParsedDocument, body: string, path: string): Problem[] {
  if (doc.frontMatter !== null || !body.includes('\n---')) return [];
  const found = LOOKS_LIKE_KEYS.exec(body.slice(0, NEAR_CHARS));
  if (found === null) return [];
  const above = body.slice(0, found.index);
  const keys = [...found[1]!.matchAll(/^([A-Za-z_][\w-]*):/gm)].map(([, key]) => key!);
  // In an example of a file it is meant as text.
  if (/^ {0,3}(?:```|~~~)/m.test(above) || !keys.some((key) => KNOWN_KEYS.includes(key as never))) return [];
  const message = 'front matter below other text is read as text';
  const line = above.split('\n').length;
  return [
    {
      path,
      line,
      col: 1,
      message,
      hint: 'move what stands above it below it, so that the file begins with ---',
    },
  ];
}

const MAX_SHOWN = 60;

function unheard({ section, start, line }: LooseText, path: string, text: string, body: string): Problem {
  const shown = line.length > MAX_SHOWN ? `${line.slice(0, MAX_SHOWN).toWellFormed()}…` : line;
  return {
    path,
    line: text.slice(0, text.length - body.length + start).split(/\r\n|\r|\n/).length,
    col: 1,
    message: `text under ${section} that is no entry starts no turn: ${JSON.stringify(shown)}`,
    hint: 'say it with `taskroom comment`, or move it to the task’s text or under Notes',
  };
}

function toStep(step: Step): Step {
  return { title: step.title, details: step.details, done: step.done, task: step.task };
}

const MAX_QUESTION_LINE = 300;

function toQuestion(question: Question): TaskQuestion {
  const { key, author, at, text, answers } = question;
  const typed = answers.flatMap((answer) => (answer.kind === 'typed' ? answer.text : []));
  return {
    ...{ key, author, at },
    text: onOneLine(text).slice(0, MAX_QUESTION_LINE).toWellFormed(),
    answer: isOpen(question) ? null : hashOfAnswers(question),
    answerIds: answers.flatMap((answer) => (answer.kind === 'entry' ? answer.id : [])),
    typed: typed.length === 0 ? null : hashText(JSON.stringify(typed)),
  };
}

/** Other words, or one answer more, and it is another. */
export function hashOfAnswers({ answers }: Pick<Question, 'answers'>): string {
  return hashText(JSON.stringify(answers));
}

/** The front matter keys the runtime does not know, as data. */
export function unknownKeys(doc: ParsedDocument): Record<string, unknown> {
  const known = new Set<string>(KNOWN_KEYS);
  return Object.fromEntries(Object.entries(doc.data).filter(([key]) => !known.has(key)));
}

function readId(keys: KeyReader): TaskId | null {
  const id = keys.text('id');
  if (id === null || isTaskId(id)) return id;
  const message = `id ${JSON.stringify(id)} can't be used`;
  return keys.report(
    'id',
    message,
    'letters, digits, `.`, `-` and `_`, a letter or digit first, at most 64',
    'remove the line to get a new id',
  );
}

function readStatus(keys: KeyReader): Status {
  const word = keys.text('status');
  const status = word === null ? 'todo' : parseStatus(word);
  if (status !== null) return status;
  const near = suggest(word!, STATUSES);
  const hint = near && `did you mean ${near}?`;
  keys.report('status', `unknown status ${JSON.stringify(word)}`, STATUSES.join(', '), hint);
  return 'todo';
}

function readPriority(keys: KeyReader): Priority | null {
  const word = keys.text('priority')?.toLowerCase() ?? null;
  if (word === null || (PRIORITIES as readonly string[]).includes(word)) return word as Priority | null;
  return keys.report('priority', `unknown priority ${JSON.stringify(word)}`, PRIORITIES.join(', '));
}

/** A mirrored task must never look like one of the person's own. */
function readRemote(keys: KeyReader): string | null {
  const word = keys.text('remote');
  if (word === null || providerOfRemote(word) !== null) return word;
  const hint = 'write it so, or remove it';
  return keys.report('remote', `${JSON.stringify(word)} names no tracker`, REMOTE_EXAMPLES, hint);
}

/** One text is one command, commas and all. */
function readChecks(keys: KeyReader): string[] {
  const found = keys.value('checks');
  if (found === null || found === '') return [];
  return (
    parseChecks(found) ??
    keys.report('checks', 'checks that can not be run', 'a shell command, or a list of them') ??
    []
  );
}

function readTaskBudget(keys: KeyReader): Budget | null {
  const value = keys.value('budget');
  if (value === null) return null;
  const found = readBudget(value);
  return 'value' in found ? found.value : keys.report('budget', `budget: ${found.fault}`, found.expected);
}

function readResources(keys: KeyReader): Resource[] {
  const found = keys.value('resources');
  if (found === null) return [];
  const items = Array.isArray(found) ? found : [found];
  return items.flatMap((item) => {
    const resource = toResource(item);
    if (resource === null)
      keys.report('resources', "a resource that can't be read", 'a URL, a path, or {url|file, label}');
    return resource ?? [];
  });
}

function toResource(item: unknown): Resource | null {
  if (typeof item === 'string')
    return { kind: /^[a-z][a-z0-9+.-]*:\/\//i.test(item) ? 'url' : 'file', value: item, label: null };
  if (typeof item !== 'object' || item === null) return null;
  const record = item as Record<string, unknown>;
  const kind = typeof record.url === 'string' ? 'url' : 'file';
  const value = record[kind];
  if (typeof value !== 'string') return null;
  return { kind, value, label: typeof record.label === 'string' ? record.label : null };
}
