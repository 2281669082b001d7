// Words that a person typed and has not sent yet. The browser keeps them until they are sent or discarded, through other views
// and a reload of the page; leaving the page asks while there are some.
import { useState } from 'preact/hooks';
import { valueOr } from '../../core/errors.ts';

const PREFIX = 'taskroom.draft.';
/** Holds the drafts also where the browser stores nothing for pages, or has no room left. */
const drafts = new Map<string, unknown>();
const typedHere = new Set<string>();

addEventListener('beforeunload', (event) => {
  if (typedHere.size > 0) event.preventDefault();
});

export interface Draft<T> {
  value: T | null; // Null where nothing unsent was typed.
  keep(value: T): void;
  discard(): void;
}

/** @param key names the field and the task that the words belong to */
export function useDraft<T>(key: string): Draft<T> {
  const [, redraw] = useState(0);
  const set = (value: T | null) => {
    writeDraft(key, value);
    redraw((count) => count + 1);
  };
  return { value: readDraft(key) as T | null, keep: set, discard: () => set(null) };
}

export const hasDraft = (key: string): boolean => Boolean(readDraft(key));

export function readDraft(key: string): unknown {
  // A browser may store nothing for pages.
  const read = () => JSON.parse(localStorage.getItem(PREFIX + key) ?? 'null') as unknown;
  if (!drafts.has(key)) drafts.set(key, valueOr(null, read));
  return drafts.get(key);
}

function writeDraft(key: string, value: unknown): void {
  drafts.set(key, value);
  if (value === null) typedHere.delete(key);
  else typedHere.add(key);
  try {
    if (value === null) localStorage.removeItem(PREFIX + key);
    else localStorage.setItem(PREFIX + key, JSON.stringify(value));
  } catch {
    // The draft lasts until the page is closed.
  }
}
