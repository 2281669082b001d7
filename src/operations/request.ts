// An operation as a request of the API. Without packages: a page in a browser makes its requests so, too.
import type { HttpPlace } from './operation.ts';

export interface PlacedRequest {
  /** `/api/turns/b1/output?limit=4` */
  path: string;
  /** In capitals. */
  method: string;
  /** Of one that takes none, null. */
  body: object | null;
}

/** @returns null where what is to stand in the path can not: a browser would read it as a step to another address */
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
