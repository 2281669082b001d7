// Issues as Linear has them now, complete: what does not fit into one answer is fetched until it is all there.
import { RoomError } from '../../core/errors.ts';
import type { RemoteTask } from '../provider.ts';
import { isMissing } from './api-errors.ts';
import type { Documents } from './documents.ts';
import { teamFilter } from './filters.ts';
import type { CommentAnswer, IssueAnswer, OldestPage, PageInfo, TeamAnswer } from './response-shapes.ts';
import { type Reading, toRemoteTask } from './to-remote-task.ts';
import type { Ask } from './transport.ts';

export interface ReaderParts {
  ask: Ask;
  documents: Documents;
  reading: Reading;
}

export interface IssueQuery {
  filter: Record<string, unknown>;
  /** At most so many; Linear charges for as many as are asked for. */
  page: number;
  /** Also what Linear has archived. */
  archived: boolean;
}

export type Reader = ReturnType<typeof createReader>;

export function createReader({ ask, documents, reading }: ReaderParts) {
  const { config, options } = reading;
  let known: TeamAnswer | null = null;

  function teamIn(teams: { nodes: TeamAnswer[] }, source: string): TeamAnswer {
    const team = teams.nodes.find(({ key }) => key.toUpperCase() === source.toUpperCase());
    if (team) return team;
    throw new RoomError('not_found', `Linear shows these credentials no team ${source}`, {
      hint: 'mend `source:`, or let the account join the team',
    });
  }

  /** Notes the team an answer brought. Throws RoomError `not_found` when the source names none. */
  function noteTeam(teams: { nodes: TeamAnswer[] }): TeamAnswer {
    known = teamIn(teams, config.source);
    return known;
  }

  /** The source's team, or the one of this key: an issue keeps its task when it is moved to another. */
  async function team(signal: AbortSignal, source = config.source): Promise<TeamAnswer> {
    const isOwn = source.toUpperCase() === config.source.toUpperCase();
    if (isOwn && known) return known;
    type Answer = { teams: { nodes: TeamAnswer[] } };
    const { teams } = await ask<Answer>(documents.team, { teams: teamFilter({ source }) }, signal);
    return isOwn ? noteTeam(teams) : teamIn(teams, source);
  }

  /** The issue with all of its comments, labels and relations. */
  async function complete(issue: IssueAnswer, signal: AbortSignal): Promise<IssueAnswer> {
    const isFull = !issue.labels?.pageInfo?.hasNextPage && !issue.inverseRelations?.pageInfo?.hasNextPage;
    type Links = { issue: Pick<IssueAnswer, 'labels' | 'inverseRelations'> };
    const links = isFull ? {} : (await ask<Links>(documents.links, { id: issue.id }, signal)).issue;
    const comments = issue.comments ? [...issue.comments.nodes] : [];
    let page: PageInfo | undefined = issue.comments?.pageInfo;
    while (page?.hasNextPage) {
      type More = { issue: { comments: { nodes: CommentAnswer[]; pageInfo: PageInfo } } };
      const variables: Record<string, unknown> = { id: issue.id, after: page.endCursor };
      const more: More = await ask<More>(documents.moreComments, variables, signal);
      comments.push(...more.issue.comments.nodes);
      page = more.issue.comments.pageInfo;
    }
    const whole = { nodes: unique(comments), pageInfo: { hasNextPage: false } };
    return { ...issue, ...links, ...(issue.comments ? { comments: whole } : {}) };
  }

  async function toTask(issue: IssueAnswer, signal: AbortSignal): Promise<RemoteTask> {
    return toRemoteTask(await complete(issue, signal), reading);
  }

  /** Those that are still there, as tasks. What lies in the trash is gone. */
  async function toTasks(issues: readonly IssueAnswer[], signal: AbortSignal): Promise<RemoteTask[]> {
    const tasks: RemoteTask[] = [];
    for (const issue of issues) {
      if (issue.trashed) continue;
      try {
        tasks.push(await toTask(issue, signal));
      } catch (error) {
        // Destroyed while the rest of it was fetched.
        if (!isMissing(error)) throw error;
      }
    }
    return tasks;
  }

  /** The oldest that fit, newest of them first. */
  async function page(query: IssueQuery, signal: AbortSignal): Promise<OldestPage<IssueAnswer>> {
    return (await ask<{ issues: OldestPage<IssueAnswer> }>(documents.issues, { ...query }, signal)).issues;
  }

  /** An issue by UUID or identifier, an earlier one too; null when it is not there or in the trash. */
  async function one(id: string, signal: AbortSignal): Promise<IssueAnswer | null> {
    try {
      const { issue } = await ask<{ issue: IssueAnswer | null }>(documents.issue, { id }, signal);
      return issue && !issue.trashed ? await complete(issue, signal) : null;
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  }

  /** Whether an issue is there, in the trash or not; null when it is not. */
  async function presence(id: string, signal: AbortSignal) {
    type Answer = { issue: { id: string; trashed: boolean | null } | null };
    try {
      return (await ask<Answer>(documents.presence, { id }, signal)).issue;
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  }

  async function isInTrash(id: string, signal: AbortSignal): Promise<boolean> {
    return (await presence(id, signal))?.trashed === true;
  }

  return {
    ask,
    documents,
    reading,
    options,
    noteTeam,
    team,
    toTask,
    toTasks,
    page,
    one,
    presence,
    isInTrash,
  };
}

/** Once each: something that moved between pages may have come twice; the later reading stands. */
function unique<T extends { id: string }>(nodes: readonly T[]): T[] {
  return [...new Map(nodes.map((node) => [node.id, node])).values()];
}
