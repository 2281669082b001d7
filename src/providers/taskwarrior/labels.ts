// Labels as Taskwarrior holds them: its project is the label `project:<name>`, a tag is a label. What a tag can't hold
// is written with percent signs (`a%2C%20b` for `a, b`), so that every label comes back as it went.
import type { ListChange } from '../provider.ts';
import { listOf, type TaskRecord, textOf, withValue } from './record.ts';

const PROJECT = 'project:';
// Taskwarrior separates tags by commas, `task edit` by spaces, its data file by colons and quotes; `&open;` stands for a
// bracket there. A percent sign counts only where it would be read as an escape.
const UNSAFE = /[\p{Cc}\p{Z},:"'\\&[\]{}()]|%(?=[0-9A-Fa-f]{2})/gu;
const ESCAPES = /(?:%[0-9A-F]{2})+/g;

/** The tag that stands for a label. */
export function tagOf(label: string): string {
  return label
    .toWellFormed()
    .replace(UNSAFE, (char) =>
      [...new TextEncoder().encode(char)]
        .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`)
        .join(''),
    );
}

/** The label a tag stands for; a tag that we would not write stands for itself. */
export function labelOf(tag: string): string {
  let label = tag;
  try {
    label = tag.replace(ESCAPES, (bytes) => decodeURIComponent(bytes));
  } catch {
    return tag;
  }
  return tagOf(label) === tag ? label : tag;
}

/** Project first, then tags in Taskwarrior's order; each label once. */
export function labelsOf(record: TaskRecord): string[] {
  const project = textOf(record, 'project');
  const labels = listOf(record, 'tags').map(labelOf);
  return [...new Set(project === '' ? labels : [PROJECT + project, ...labels])];
}

/**
 * The record with labels added and removed. The first `project:` label becomes the project when there is none; another
 * one becomes a tag, as a task has one project.
 */
export function withLabels(record: TaskRecord, { add, remove }: ListChange): TaskRecord {
  const kept = listOf(record, 'tags').filter((tag) => !remove.includes(labelOf(tag)));
  let project = textOf(record, 'project');
  if (remove.includes(PROJECT + project)) project = '';
  const tags = new Set(kept);
  const held = new Set(kept.map(labelOf));
  if (project !== '') held.add(PROJECT + project);
  for (const label of add) {
    if (label === '' || held.has(label)) continue;
    held.add(label);
    if (project === '' && isProject(label)) project = label.slice(PROJECT.length);
    else tags.add(tagOf(label));
  }
  const withTags = withValue(record, 'tags', tags.size === 0 ? null : [...tags]);
  return withValue(withTags, 'project', project === '' ? null : project);
}

/** Whether a project can hold it: one line, and nothing that Taskwarrior would change. */
function isProject(label: string): boolean {
  const name = label.slice(PROJECT.length);
  return (
    label.startsWith(PROJECT) &&
    name !== '' &&
    name === name.trim() &&
    !/[\p{Cc}&]/u.test(name) &&
    name.isWellFormed()
  );
}
