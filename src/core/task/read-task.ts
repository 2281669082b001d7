// A task file's text → the facts in it, or every problem with its place. Pure: the same text gives the same Task.
import { hash as digest } from 'node:crypto';
import { type ParsedDocument, parseDocument } from '../document/document.ts';
import { suggest } from '../document/suggest.ts';
import type { Problem } from '../errors.ts';
import { isTaskId } from '../ids.ts';
import { revisionText } from './revision-text.ts';
import { readSections } from './sections.ts';
import { parseStatus, STATUSES } from './status.ts';
import { readSteps } from './steps.ts';
import { PRIORITIES, type Priority, type Resource, type Step, type Task, type TaskReading } from './task.ts';
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
  'scope',
  'sort',
  'active_form',
] as const;

const TRUE = new Set(['true', 'yes', 'on']);
const FALSE = new Set(['false', 'no', 'off']);

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
  const keys = keyReader(parsed.doc, path);
  const body = text.slice(parsed.doc.bodyStart);
  const reading = readSections(body);
  const title = keys.text('title');
  const owner = keys.text('owner');
  const task: Task = {
    path,
    name: nameOfPath(path),
    id: keys.id(),
    title,
    status: keys.status(),
    paused: keys.flag('paused'),
    requester: keys.text('requester') ?? 'owner',
    owner,
    priority: keys.priority(),
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
    remote: keys.text('remote'),
    steps: readSteps(body, reading).map(toStep),
    resources: keys.resources(),
    revision: hashText(revisionText({ title, owner, body, reading })),
    hash,
  };
  if (keys.problems.length > 0) return { ok: false, invalid: { path, problems: keys.problems } };
  return { ok: true, task };
}

function toStep(step: Step): Step {
  return { title: step.title, details: step.details, done: step.done, task: step.task };
}

/** The front matter keys the runtime does not know, as data. */
export function unknownKeys(doc: ParsedDocument): Record<string, unknown> {
  const known = new Set<string>(KNOWN_KEYS);
  return Object.fromEntries(Object.entries(doc.data).filter(([key]) => !known.has(key)));
}

function keyReader(doc: ParsedDocument, path: string) {
  const problems: Problem[] = [];
  const report = (key: string, message: string, expected?: string, hint?: string): null => {
    const place = doc.places(key);
    const problem: Problem = { path, line: place.line, col: place.col, message };
    if (expected) problem.expected = expected;
    if (hint) problem.hint = hint;
    problems.push(problem);
    return null;
  };
  const value = (key: string): unknown => (Object.hasOwn(doc.data, key) ? doc.data[key] : null);
  const text = (key: string): string | null => {
    const found = value(key);
    if (found === null || found === undefined) return null;
    if (typeof found === 'object')
      return report(key, `${key} holds a ${Array.isArray(found) ? 'list' : 'map'}`, 'one text');
    // A number or a boolean is taken as it was written: `id: 007` is "007".
    return (doc.sources[key] ?? String(found)).trim() === ''
      ? null
      : typeof found === 'string'
        ? found
        : (doc.sources[key] ?? String(found));
  };
  return {
    problems,
    text,
    id() {
      const id = text('id');
      if (id === null || isTaskId(id)) return id;
      return report(
        'id',
        `id ${JSON.stringify(id)} can't be used`,
        'letters, digits, - and _, at most 64',
        'remove the line to get a new id',
      );
    },
    status() {
      const word = text('status');
      const status = word === null ? 'todo' : parseStatus(word);
      if (status !== null) return status;
      const near = suggest(word!, STATUSES);
      report(
        'status',
        `unknown status ${JSON.stringify(word)}`,
        STATUSES.join(', '),
        near ? `did you mean ${near}?` : undefined,
      );
      return 'todo' as const;
    },
    flag(key: string): boolean {
      const found = value(key);
      if (found === null || found === undefined) return false;
      if (typeof found === 'boolean') return found;
      const word = String(found).trim().toLowerCase();
      if (TRUE.has(word)) return true;
      if (!FALSE.has(word))
        report(key, `${key} is ${JSON.stringify(found)}`, 'true or false (yes/no and on/off too)');
      return false;
    },
    priority(): Priority | null {
      const word = text('priority')?.toLowerCase() ?? null;
      if (word === null || (PRIORITIES as readonly string[]).includes(word)) return word as Priority | null;
      return report('priority', `unknown priority ${JSON.stringify(word)}`, PRIORITIES.join(', '));
    },
    number(key: string): number | null {
      const found = value(key);
      if (found === null || found === undefined || typeof found === 'number') return found ?? null;
      return report(key, `${key} is ${JSON.stringify(found)}`, 'a number');
    },
    list(key: string): string[] {
      const found = value(key);
      if (found === null || found === undefined) return [];
      const items = Array.isArray(found) ? found : String(found).split(',');
      if (items.some((item) => typeof item === 'object' && item !== null))
        report(key, `${key} holds more than texts`, 'a list of texts');
      return items.map((item) => String(item ?? '').trim()).filter((item) => item !== '');
    },
    resources(): Resource[] {
      const found = value('resources');
      if (found === null || found === undefined) return [];
      const items = Array.isArray(found) ? found : [found];
      return items.flatMap(
        (item) =>
          toResource(item) ??
          report('resources', "a resource that can't be read", 'a URL, a path, or {url|file, label}') ??
          [],
      );
    },
  };
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
