// Listings from servers that can neither filter nor order: everything is read each time and compared here.
import { RoomError } from '../../core/errors.ts';
import type { Page } from '../provider.ts';
import { formatCursor, issueFingerprint, type Mark, OVERLAP_MS, START, type Standing } from './cursor.ts';
import { PAGE } from './documents.ts';
import type { Reader } from './read-issues.ts';
import type { IssueAnswer } from './response-shapes.ts';
import { toRemoteTask } from './to-remote-task.ts';

/** Pages of what is news, oldest change first; everything the filter lets in when there is no standing. */
export async function* listPlain(
  reader: Reader,
  standing: Standing | null,
  signal: AbortSignal,
): AsyncGenerator<Page> {
  const all = await reader.everything(signal);
  all.sort((a, b) => timeOf(a) - timeOf(b) || (a.id < b.id ? -1 : 1));
  const before = standing?.issues ?? START;
  const seen = new Set(before.seen);
  const news = all.filter(
    (issue) => timeOf(issue) >= before.at - OVERLAP_MS && !seen.has(fingerprint(issue)),
  );
  const tasks = news.filter((issue) => !issue.trashed).map((issue) => toRemoteTask(issue, reader.reading));
  const items = standing === null ? tasks.filter(({ admitted }) => admitted) : tasks;
  const at = Math.max(before.at, ...all.slice(-1).map(timeOf));
  const near = all.filter((issue) => timeOf(issue) >= at - OVERLAP_MS);
  const issues: Mark = { at, seen: near.map(fingerprint).sort().slice(0, 2_000) };
  const next = formatCursor({ issues, comments: START, full: null, paging: null, except: [] });
  // Until the last page the listing has come nowhere: taken up, it begins again.
  const start = formatCursor(
    standing ?? { issues: START, comments: START, full: null, paging: null, except: [] },
  );
  for (let from = 0; ; from += PAGE) {
    const isLast = from + PAGE >= items.length;
    yield { items: items.slice(from, from + PAGE), next: isLast ? next : start };
    if (isLast) return;
    if (signal.aborted) throw new RoomError('interrupted', 'stopped between two pages');
  }
}

/** A comment is a change of its issue. */
function timeOf(issue: IssueAnswer): number {
  return Math.max(
    Date.parse(issue.updatedAt),
    ...(issue.comments?.nodes ?? []).map(({ updatedAt }) => Date.parse(updatedAt)),
  );
}

function fingerprint(issue: IssueAnswer): string {
  const comments = issue.comments?.nodes.map(({ id, updatedAt, body }) => [id, updatedAt, body]) ?? [];
  return issueFingerprint({ ...issue, description: JSON.stringify([issue.description, comments]) });
}
