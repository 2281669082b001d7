// An operation as a request of the API. It uses no packages, because the board uses it too.
import type { HttpPlace } from './operation.ts';

export interface PlacedRequest {
  path: string; // With the query.
  method: string;
  body: object | null;
}

/** Null for an input that a path can't hold: a browser would resolve `..` to another address. */
export function requestOf({ method, path, given = {} }: HttpPlace, input: object): PlacedRequest | null {
  const left = new Map(Object.entries(input).filter(([, value]) => value !== undefined));
  for (const name of Object.keys(given)) if (!left.has(name)) left.set(name, false);
  let isFit = true;
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = String(left.get(name) ?? '');
    left.delete(name);
    isFit &&= !['', '.', '..'].includes(value);
    return encodeURIComponent(value);
  });
  if (!isFit) return null;
  if (method !== 'get' && method !== 'delete')
    return { path: filled, method: method.toUpperCase(), body: Object.fromEntries(left) };
  const words = [...left].flatMap(([name, value]) => [value].flat().map((each) => [name, String(each)]));
  const query = left.size === 0 ? '' : `?${new URLSearchParams(words as [string, string][])}`;
  return { path: `${filled}${query}`, method: method.toUpperCase(), body: null };
}
