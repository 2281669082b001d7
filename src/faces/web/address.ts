// Where the page is: everything that can be linked to, and what a list filters by, stands after the `#` of the address.
import { signal } from '@preact/signals';

export interface Place {
  /** `task/3npr` is ['task', '3npr']. */
  path: readonly string[];
  query: URLSearchParams;
}

function readPlace(): Place {
  const text = location.hash.replace(/^#\/?/, '');
  const [path = '', query = ''] = text.split('?', 2);
  return {
    path: path.split('/').filter(Boolean).map(decoded),
    query: new URLSearchParams(query),
  };
}

function decoded(word: string): string {
  try {
    return decodeURIComponent(word);
  } catch {
    return word;
  }
}

export const place = signal<Place>(readPlace());

addEventListener('hashchange', () => {
  place.value = readPlace();
});

/** `#/task/3npr`; what is null or empty is left out of the query. */
export function addressOf(
  path: readonly string[],
  query: Readonly<Record<string, string | null | undefined>> = {},
): string {
  const said = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) if (value) said.set(key, value);
  const text = said.toString();
  return `#/${path.map(encodeURIComponent).join('/')}${text === '' ? '' : `?${text}`}`;
}

export function goTo(
  path: readonly string[],
  query?: Readonly<Record<string, string | null | undefined>>,
): void {
  location.hash = addressOf(path, query);
}

/** Changes the query of this place without a new entry in the browser's history. */
export function setQuery(changes: Readonly<Record<string, string | null>>): void {
  const { path, query } = place.value;
  const next = { ...Object.fromEntries(query), ...changes };
  history.replaceState(null, '', addressOf(path, next));
  place.value = readPlace();
}

export function goBack(): void {
  if (history.length > 1) history.back();
  else goTo([]);
}
