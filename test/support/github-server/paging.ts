// Pages of a listing and the Link header that leads from one to the next: by page number, or, as github.com does for
// issues, by a cursor that stays right while items move, and without a last page.
import { Refused } from './answer.ts';

/** GitHub refuses page numbers beyond this many items where it has cursors. */
const MAX_PAGED_ITEMS = 10_000;
/** Where it has none the list ends after this many. */
const MAX_LISTED_ITEMS = 50_000;

export interface Keyed<T> {
  item: T;
  /** What the listing is sorted by, then what decides between equals. */
  key: number;
  id: number;
}

export type Slice<T> = { items: T[]; link: string | null };

function perPage(query: URLSearchParams): number {
  const asked = Number(query.get('per_page') ?? 30);
  return Number.isInteger(asked) && asked >= 1 ? Math.min(asked, 100) : 30;
}

function linkTo(url: URL, change: Record<string, string | null>, rel: string): string {
  const to = new URL(url);
  for (const [name, value] of Object.entries(change)) {
    if (value === null) to.searchParams.delete(name);
    else to.searchParams.set(name, value);
  }
  return `<${to.href}>; rel="${rel}"`;
}

export function slicePages<T>(sorted: readonly Keyed<T>[], url: URL): Slice<T> {
  const size = perPage(url.searchParams);
  const page = Math.max(1, Math.floor(Number(url.searchParams.get('page') ?? 1)) || 1);
  if (page * size > MAX_LISTED_ITEMS)
    throw new Refused(
      422,
      'In order to keep the API fast for everyone, pagination is limited for this resource.',
    );
  const last = Math.max(1, Math.ceil(Math.min(sorted.length, MAX_LISTED_ITEMS) / size));
  const links: string[] = [];
  const to = (number: number, rel: string) => links.push(linkTo(url, { page: String(number) }, rel));
  if (page > 1) to(page - 1, 'prev');
  if (page < last) {
    to(page + 1, 'next');
    to(last, 'last');
  }
  if (page > 1) to(1, 'first');
  const items = sorted.slice((page - 1) * size, page * size).map(({ item }) => item);
  return { items, link: links.length > 0 ? links.join(', ') : null };
}

export function sliceByCursor<T>(sorted: readonly Keyed<T>[], url: URL, descending: boolean): Slice<T> {
  const size = perPage(url.searchParams);
  const page = Number(url.searchParams.get('page') ?? 1);
  if (page > 1 && !url.searchParams.has('after')) {
    if (page * size > MAX_PAGED_ITEMS) {
      const hint = 'please use cursor based pagination (after/before)';
      throw new Refused(
        422,
        `Pagination with the page parameter is not supported for large datasets, ${hint}`,
      );
    }
    return slicePages(sorted, url);
  }
  const rest = sorted.filter(after(url.searchParams.get('after'), descending));
  const items = rest.slice(0, size);
  const end = items.at(-1);
  if (rest.length <= size || !end) return { items: items.map(({ item }) => item), link: null };
  const cursor = Buffer.from(`cursor:v2:${end.key}:${end.id}`).toString('base64');
  const link = linkTo(url, { after: cursor, page: String((page || 1) + 1) }, 'next');
  return { items: items.map(({ item }) => item), link };
}

function after(cursor: string | null, descending: boolean): (entry: Keyed<unknown>) => boolean {
  if (cursor === null) return () => true;
  const [, , key, id] = Buffer.from(cursor, 'base64').toString().split(':');
  if (key === undefined || id === undefined) throw new Refused(422, 'The after parameter is not a cursor');
  const sign = descending ? -1 : 1;
  return (entry) => (sign * (entry.key - Number(key)) || sign * (entry.id - Number(id))) > 0;
}

/** Sorted by key, then id, both in the direction asked for. */
export function sortKeyed<T>(entries: Keyed<T>[], descending: boolean): Keyed<T>[] {
  const sign = descending ? -1 : 1;
  return entries.sort((a, b) => sign * (a.key - b.key || a.id - b.id));
}
