// Which idempotency keys made a task and its annotations. Taskwarrior has no hidden place in a text, so they stand in
// an attribute of ours on the task: `k:<key>` for the task, `<epoch second>:<key>` for an annotation.
import { createHash } from 'node:crypto';
import { annotationsOf, OWN_ATTRIBUTE, type TaskRecord, textOf, withValue } from './record.ts';

const TOKEN = /^(k|\d{1,12}):([0-9a-z]{8,40})$/;

export interface Keys {
  /** The task's own, when we made it. */
  task: string | null;
  /** By the annotation's second. */
  annotations: ReadonlyMap<number, string>;
}

export function keysOf(record: TaskRecord): Keys {
  let task: string | null = null;
  const annotations = new Map<number, string>();
  for (const token of textOf(record, OWN_ATTRIBUTE).split(' ')) {
    const [, where, key] = TOKEN.exec(token) ?? [];
    if (where === undefined || key === undefined) continue;
    if (where === 'k') task = key;
    else annotations.set(Number(where), key);
  }
  return { task, annotations };
}

/** The record with these keys; those of annotations that are gone are left out. */
export function withKeys(record: TaskRecord, { task, annotations }: Keys): TaskRecord {
  const present = new Set(annotationsOf(record).map(({ second }) => second));
  const tokens = task === null ? [] : [`k:${task}`];
  for (const [second, key] of annotations) if (present.has(second)) tokens.push(`${second}:${key}`);
  return withValue(record, OWN_ATTRIBUTE, tokens.length === 0 ? null : tokens.join(' '));
}

/** The UUID of the task that a key makes: the same on every try. */
export function uuidOfKey(key: string): string {
  const hash = createHash('sha256').update(`taskroom task ${key}`).digest('hex');
  // Version 8 is for values of one's own making (RFC 9562).
  const variant = '89ab'[Number.parseInt(hash[16]!, 16) & 3];
  return [
    hash.slice(0, 8),
    hash.slice(8, 12),
    `8${hash.slice(13, 16)}`,
    `${variant}${hash.slice(17, 20)}`,
    hash.slice(20, 32),
  ].join('-');
}
