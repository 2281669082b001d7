// Where the page is: everything that can be linked to, and what a list filters by, stands after the `#` of the address.
import { signal } from '@preact/signals';
import { valueOr } from '../core/errors.ts';

export interface Place {
  path: readonly string[]; // `task/3npr` is ['task', '3npr'].
  query: URLSearchParams;
}

function readPlace(): Place {
  const [path = '', query = ''] = location.hash.replace(/^#\/?/, '').split('?', 2);
  return { path: path.split('/').filter(Boolean).map(decoded), query: new URLSearchParams(query) };
}

const decoded = (word: string): string => valueOr(word, () => decodeURIComponent(word));
export const place = signal<Place>(readPlace());

/** How many places of the board stand before this one in the browser's history. */
const depth = () => (history.state as { depth?: number } | null)?.depth ?? 0;
let lastDepth = depth();
history.replaceState({ depth: lastDepth }, '');

addEventListener('hashchange', () => {
  // A place that was just gone to has no state yet.
  if (history.state === null) history.replaceState({ depth: lastDepth + 1 }, '');
  lastDepth = depth();
  place.value = readPlace();
});

type Query = Readonly<Record<string, string | null | undefined>>;

/** `#/task/3npr`; what is null or empty is left out of the query. */
export function addressOf(path: readonly string[], query: Query = {}): string {
  const said = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) if (value) said.set(key, value);
  const text = said.toString();
  return `#/${path.map(encodeURIComponent).join('/')}${text === '' ? '' : `?${text}`}`;
}

export function goTo(path: readonly string[], query?: Query): void {
  location.hash = addressOf(path, query);
}

/** Changes the query of this place without a new entry in the browser's history. */
export function setQuery(changes: Readonly<Record<string, string | null>>): void {
  const { path, query } = place.value;
  history.replaceState(history.state, '', addressOf(path, { ...Object.fromEntries(query), ...changes }));
  place.value = readPlace();
}

/** To the place before; from a task, say, that was opened by its address, to the first view. Never out of the board. */
export function goBack(): void {
  if (depth() > 0) history.back();
  else if (place.value.path.length > 1) goTo([]);
}
