// Words that a person typed and has not sent yet. The browser keeps them until they are sent or discarded, through other views
// and a reload of the page; leaving the page asks while there are some.
import { type Signal, signal } from '@preact/signals';
import { valueOr } from '../../core/errors.ts';

const PREFIX = 'taskroom.draft.';
/** Holds the drafts also where the browser stores nothing for pages, or has no room left. */
const drafts = new Map<string, Signal<unknown>>();
const typedHere = new Set<string>();

addEventListener('beforeunload', (event) => {
  if (typedHere.size > 0) event.preventDefault();
});

export interface Draft<T> {
  value: T | null; // Null where nothing unsent was typed.
  keep(value: T): void;
  /** @param sent with it the draft goes only where nothing else was typed since */
  discard(sent?: T | null): void;
}

/** @param key names the field and the task that the words belong to */
export function useDraft<T>(key: string): Draft<T> {
  return {
    value: readDraft(key) as T | null,
    keep: (value) => writeDraft(key, value),
    discard: (sent) => void ((sent === undefined || sent === readDraft(key)) && writeDraft(key, null)),
  };
}

/** What is drawn with it is drawn anew when it changes. */
export const readDraft = (key: string): unknown => draftOf(key).value;

function draftOf(key: string): Signal<unknown> {
  // A browser may store nothing for pages.
  const read = () => JSON.parse(localStorage.getItem(PREFIX + key) ?? 'null') as unknown;
  const draft = drafts.get(key) ?? signal(valueOr(null, read));
  drafts.set(key, draft);
  return draft;
}

function writeDraft(key: string, value: unknown): void {
  draftOf(key).value = value;
  if (value === null) typedHere.delete(key);
  else typedHere.add(key);
  try {
    if (value === null) localStorage.removeItem(PREFIX + key);
    else localStorage.setItem(PREFIX + key, JSON.stringify(value));
  } catch {
    // The draft lasts until the page is closed.
  }
}
