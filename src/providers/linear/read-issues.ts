// Issues as Linear has them now, complete: what does not fit into one answer is fetched until it is all there. And what every
// part of this provider is handed to speak with Linear.
import { RoomError } from '../../core/errors.ts';
import type { RemoteAct, RemoteRef, RemoteTask } from '../provider.ts';
import { isSameName } from '../tracker-rules.ts';
import type { HistoryAnswer, IssueAnswer, Listed, OldestPage, TeamAnswer } from './documents.ts';
import { createDocuments, PAGE } from './documents.ts';
import { parseRef } from './options.ts';
import { authorOf, FINISHED_TYPES, type Reading, toRemoteTask } from './to-remote-task.ts';
import { type createTransport, isTooComplex, nullIfMissing } from './transport.ts';

type Variables = Record<string, unknown>;
type Teams = { nodes: TeamAnswer[] };

/** What one call of the contract is made with: the source, and the signal that stops the call. */
export type LinearApi = ReturnType<ReturnType<typeof createApi>>;

export function createApi(
  transport: Pick<Awaited<ReturnType<typeof createTransport>>, 'ask'>,
  reading: Reading,
) {
  const { source } = reading.config;
  const documents = createDocuments(reading.fields, reading.isApp);
  let own: TeamAnswer | null = null;
  /** Finds a team in an answer, and keeps the source's. @throws RoomError `not_found` */
  const noteTeam = ({ nodes }: Teams, wanted = source): TeamAnswer => {
    const team = nodes.find(({ key }) => isSameName(key, wanted));
    const hint = 'mend `source:`, or let the account join the team';
    if (!team) throw new RoomError('not_found', `Linear shows these credentials no team ${wanted}`, { hint });
    if (isSameName(wanted, source)) own = team;
    return team;
  };
  return (signal: AbortSignal) => {
    const ask = <T>(document: keyof typeof documents, variables: Variables) =>
      transport.ask<T>(documents[document], variables, signal);
    return {
      ask,
      reading,
      noteTeam,
      /** The source's team with its states, asked for once; or the one of this key: an issue keeps its task when it is moved.
       * @throws RoomError `not_found` */
      async team(key = source): Promise<TeamAnswer> {
        if (own && isSameName(key, source)) return own;
        const variables = { teams: { key: { eq: key.toUpperCase() } } };
        return noteTeam((await ask<{ teams: Teams }>('team', variables)).teams, key);
      },
    };
  };
}

/** The oldest that fit, newest of them first; not complete.
 * @param query `page`: at most so many, Linear charges for as many as are asked for; `archived`: also what Linear has archived */
export async function readIssuePage(
  { ask }: LinearApi,
  query: { filter: Variables; page: number; archived: boolean },
): Promise<OldestPage<IssueAnswer>> {
  for (let { page } = query; ; page = Math.ceil(page / 2)) {
    try {
      return (await ask<{ issues: OldestPage<IssueAnswer> }>('issues', { ...query, page })).issues;
    } catch (error) {
      // What a page costs depends on Linear's prices of the day.
      if (!isTooComplex(error) || page <= 1) throw error;
    }
  }
}

/** An issue by UUID or identifier, an earlier one too, complete; null when it is not there or in the trash. */
export async function readIssue(api: LinearApi, id: string): Promise<IssueAnswer | null> {
  try {
    const { issue } = await api.ask<{ issue: IssueAnswer | null }>('issue', { id });
    return issue && !issue.trashed ? await completeIssue(api, issue) : null;
  } catch (error) {
    return nullIfMissing(error);
  }
}

/** Whether an issue is there, in the trash or not; null when it is not. */
export async function readPresence({ ask }: LinearApi, id: string) {
  type Answer = { issue: { id: string; trashed: boolean | null } | null };
  return await ask<Answer>('presence', { id }).then(({ issue }) => issue, nullIfMissing);
}

/** The task of an issue that an answer brought, completed. */
export const toWholeTask = async (api: LinearApi, issue: IssueAnswer): Promise<RemoteTask> =>
  toRemoteTask(await completeIssue(api, issue), api.reading);

/** Those that are still there, as tasks. What lies in the trash is gone. */
export async function toWholeTasks(api: LinearApi, issues: readonly IssueAnswer[]): Promise<RemoteTask[]> {
  const tasks: RemoteTask[] = [];
  for (const issue of issues) {
    // Null when it was destroyed while the rest of it was fetched.
    const task = issue.trashed ? null : await toWholeTask(api, issue).catch(nullIfMissing);
    if (task) tasks.push(task);
  }
  return tasks;
}

/** The issue with all of its comments, labels and relations. */
async function completeIssue(api: LinearApi, issue: IssueAnswer): Promise<IssueAnswer> {
  const { id, labels, inverseRelations, comments } = issue;
  const isFull = !labels?.pageInfo?.hasNextPage && !inverseRelations?.pageInfo?.hasNextPage;
  type Links = { issue: Pick<IssueAnswer, 'labels' | 'inverseRelations'> };
  const links = isFull ? {} : (await api.ask<Links>('links', { id })).issue;
  if (!comments) return { ...issue, ...links };
  type More = { issue: { comments: typeof comments } };
  const readMore = async (after: string | null) =>
    (await api.ask<More>('moreComments', { id, after })).issue.comments;
  const found = await readToEnd(readMore, comments);
  // Once each: one that moved between pages may have come twice; the later reading stands.
  const nodes = [...new Map(found.map((comment) => [comment.id, comment])).values()];
  return { ...issue, ...links, comments: { nodes, pageInfo: { hasNextPage: false } } };
}

/** All of a list, page by page. A page that leads back to one that was read is the last. */
export async function readToEnd<T>(
  readPage: (after: string | null) => Promise<Listed<T>>,
  first?: Listed<T>,
): Promise<T[]> {
  const found: T[] = [];
  const asked = new Set<string>();
  for (let page = first ?? (await readPage(null)); ; ) {
    found.push(...page.nodes);
    const { hasNextPage, endCursor } = page.pageInfo;
    if (!hasNextPage || !endCursor || asked.has(endCursor)) return found;
    asked.add(endCursor);
    page = await readPage(endCursor);
  }
}

/** The contract's `get`: page by page by number; what is missing there may have moved to another team, and is asked for by name. */
export async function getIssues(api: LinearApi, refs: readonly RemoteRef[]) {
  const wanted = new Map(refs.map((ref) => [ref, parseRef(ref)]));
  const found = new Map<RemoteRef, RemoteTask>();
  for (const [team, numbers] of Map.groupBy(wanted.values(), (one) => one.team)) {
    for (let at = 0; at < numbers.length; at += PAGE) {
      const some = numbers.slice(at, at + PAGE).map(({ number }) => number);
      const filter = { team: { key: { eq: team } }, number: { in: some } };
      const { nodes } = await readIssuePage(api, { filter, page: some.length, archived: true });
      for (const task of await toWholeTasks(api, nodes)) found.set(task.ref, task);
    }
  }
  for (const ref of wanted.keys()) {
    const issue = found.has(ref) ? null : await readIssue(api, ref);
    if (issue) found.set(ref, toRemoteTask(issue, api.reading));
  }
  return found;
}

/** The contract's `acts`. Linear makes one entry of several edits that follow each other: it counts by the time of the last one. */
export async function readActs({ ask }: LinearApi, { uid }: RemoteTask, since: number): Promise<RemoteAct[]> {
  const { issue } = await ask<{ issue: { history: { nodes: HistoryAnswer[] } } }>('acts', { id: uid });
  const isOver = (state: { type: string } | null) => state !== null && FINISHED_TYPES.includes(state.type);
  const isNew = ({ updatedAt }: HistoryAnswer) => Date.parse(updatedAt) > since;
  return issue.history.nodes.filter(isNew).flatMap((entry): RemoteAct[] => {
    const doer = authorOf(entry.actor, entry.botActor, null);
    const writers = (entry.descriptionUpdatedBy ?? []).map((user) => authorOf(user, null, null));
    const editors = [
      ...(entry.fromTitle === null ? [] : [doer]),
      ...(entry.updatedDescription !== true ? [] : writers.length > 0 ? writers : [doer]),
    ];
    const isReopened = isOver(entry.fromState) && entry.toState !== null && !isOver(entry.toState);
    return [
      ...editors.map((editor) => ({ what: 'edited' as const, ...editor })),
      ...(isReopened ? [{ what: 'reopened' as const, ...doer }] : []),
    ];
  });
}
