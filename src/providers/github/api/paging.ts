// Pages of issues, oldest change first, so that nothing slips through while issues move. github.com gives a cursor that
// stays right. Where a server counts pages, a change moves an issue to the end and all after it one place forward: there
// the next page begins at the time of the last issue, and what comes twice is dropped.

import type { Position } from './cursor.ts';
import type { WireIssue } from './response-shapes.ts';
import type { Listed } from './source.ts';
import { fetchIssuePage, type Source } from './source.ts';

export interface IssuePage {
  items: WireIssue[];
  /** Null after the last page. */
  next: Position | null;
}

/**
 * The next page is asked for while the last one is worked on.
 * @param filter Query parameters that stay the same over all pages.
 */
export async function* pagesFrom(
  source: Source,
  filter: Readonly<Record<string, unknown>>,
  at: Position,
  signal: AbortSignal,
): AsyncGenerator<IssuePage> {
  const stop = new AbortController();
  const whole = AbortSignal.any([signal, stop.signal]);
  const ask = (position: Position) => {
    const query = { ...filter, sort: 'updated', direction: 'asc', ...queryOf(position) };
    const page = fetchIssuePage(source, query, whole);
    // Told where it is waited for, if it still is.
    page.catch(() => {});
    return page;
  };
  const given = new Set<string>();
  const asked = new Set([JSON.stringify(at)]);
  let isRepeated = false;
  let position = at;
  try {
    for (let coming: Promise<Listed<WireIssue>> | null = ask(at); coming !== null; ) {
      const listed: Listed<WireIssue> = await coming;
      const items = listed.items.filter(({ id, updated_at }) => !given.has(`${id}@${updated_at}`));
      for (const { id, updated_at } of items) given.add(`${id}@${updated_at}`);
      // A server that ignores `since`, or leads in a circle, would be asked for ever.
      const isOld = items.length === 0 && listed.items.length > 0;
      const onward = isOld && isRepeated ? null : following(position, listed);
      const next = onward !== null && asked.has(JSON.stringify(onward)) ? null : onward;
      isRepeated = isOld;
      if (next) asked.add(JSON.stringify(next));
      coming = next && ask(next);
      yield { items, next };
      if (next) position = next;
    }
  } finally {
    // Whoever reads no further wants no further page.
    stop.abort();
  }
}

function queryOf(position: Position): Record<string, unknown> {
  if ('after' in position) return { after: position.after };
  const { since, page } = position;
  return {
    ...(since === null ? {} : { since: new Date(since).toISOString() }),
    ...(page > 1 ? { page } : {}),
  };
}

function following(position: Position, { items, links }: Listed<WireIssue>): Position | null {
  const first = items[0];
  const last = items.at(-1);
  if (!links.next || !first || !last) return null;
  // The server's cursor knows its filter's time, but not all servers take both.
  if ('after' in links.next) return { after: links.next.after };
  if ('after' in position) return null;
  // A whole page of one second can only be passed by counting.
  if (last.updated_at === first.updated_at) return { since: position.since, page: position.page + 1 };
  return { since: last.updated_at, page: 1 };
}
