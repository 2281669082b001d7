// Issues as Linear has them now, complete: what does not fit into one answer is fetched until it is all there.
import type { RemoteTask } from '../provider.ts';
import { isMissing, isTooComplex } from './api-errors.ts';
import type { LinearApi } from './linear-api.ts';
import type { CommentAnswer, IssueAnswer, OldestPage } from './response-shapes.ts';
import { toRemoteTask } from './to-remote-task.ts';

interface IssueQuery {
  filter: Record<string, unknown>;
  /** At most so many; Linear charges for as many as are asked for. */
  page: number;
  /** Also what Linear has archived. */
  archived: boolean;
}

/** The oldest that fit, newest of them first; not complete. */
export async function readIssuePage(
  { ask, documents }: LinearApi,
  query: IssueQuery,
  signal: AbortSignal,
): Promise<OldestPage<IssueAnswer>> {
  type Answer = { issues: OldestPage<IssueAnswer> };
  for (let { page } = query; ; page = Math.ceil(page / 2)) {
    try {
      return (await ask<Answer>(documents.issues, { ...query, page }, signal)).issues;
    } catch (error) {
      // What a page costs depends on Linear's prices of the day.
      if (!isTooComplex(error) || page <= 1) throw error;
    }
  }
}

/** An issue by UUID or identifier, an earlier one too, complete; null when it is not there or in the trash. */
export async function readIssue(
  api: LinearApi,
  id: string,
  signal: AbortSignal,
): Promise<IssueAnswer | null> {
  return await orNull(async () => {
    const { issue } = await api.ask<{ issue: IssueAnswer | null }>(api.documents.issue, { id }, signal);
    return issue && !issue.trashed ? await completeIssue(api, issue, signal) : null;
  });
}

/** Whether an issue is there, in the trash or not; null when it is not. */
export async function readPresence({ ask, documents }: LinearApi, id: string, signal: AbortSignal) {
  type Answer = { issue: { id: string; trashed: boolean | null } | null };
  return await orNull(async () => (await ask<Answer>(documents.presence, { id }, signal)).issue);
}

/** The task of an issue that an answer brought, completed. */
export async function toWholeTask(
  api: LinearApi,
  issue: IssueAnswer,
  signal: AbortSignal,
): Promise<RemoteTask> {
  return toRemoteTask(await completeIssue(api, issue, signal), api.reading);
}

/** Those that are still there, as tasks. What lies in the trash is gone. */
export async function toWholeTasks(
  api: LinearApi,
  issues: readonly IssueAnswer[],
  signal: AbortSignal,
): Promise<RemoteTask[]> {
  const tasks: RemoteTask[] = [];
  for (const issue of issues) {
    if (issue.trashed) continue;
    // Null when it was destroyed while the rest of it was fetched.
    const task = await orNull(() => toWholeTask(api, issue, signal));
    if (task) tasks.push(task);
  }
  return tasks;
}

/** The issue with all of its comments, labels and relations. */
async function completeIssue(api: LinearApi, issue: IssueAnswer, signal: AbortSignal): Promise<IssueAnswer> {
  const { labels, inverseRelations } = issue;
  const isFull = !labels?.pageInfo?.hasNextPage && !inverseRelations?.pageInfo?.hasNextPage;
  type Links = { issue: Pick<IssueAnswer, 'labels' | 'inverseRelations'> };
  const links = isFull ? {} : (await api.ask<Links>(api.documents.links, { id: issue.id }, signal)).issue;
  if (!issue.comments) return { ...issue, ...links };
  const nodes = await allComments(api, issue.id, issue.comments, signal);
  return { ...issue, ...links, comments: { nodes, pageInfo: { hasNextPage: false } } };
}

async function allComments(
  { ask, documents }: LinearApi,
  id: string,
  first: NonNullable<IssueAnswer['comments']>,
  signal: AbortSignal,
): Promise<CommentAnswer[]> {
  const comments = [...first.nodes];
  let page = first.pageInfo;
  const asked = new Set<unknown>();
  // A page that leads back to one that was read is the last.
  while (page.hasNextPage && page.endCursor && !asked.has(page.endCursor)) {
    asked.add(page.endCursor);
    type More = { issue: { comments: typeof first } };
    const more: More = await ask<More>(documents.moreComments, { id, after: page.endCursor }, signal);
    comments.push(...more.issue.comments.nodes);
    page = more.issue.comments.pageInfo;
  }
  // Once each: one that moved between pages may have come twice; the later reading stands.
  return [...new Map(comments.map((comment) => [comment.id, comment])).values()];
}

/** Null when Linear said that the id leads nowhere. */
async function orNull<T>(read: () => Promise<T>): Promise<T | null> {
  try {
    return await read();
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}
