// Labels and people by the names the room knows them by.
import { RoomError } from '../../core/errors.ts';
import { personFilter } from './filters.ts';
import type { LinearApi } from './linear-api.ts';
import type { PageInfo, UserAnswer } from './response-shapes.ts';
import { isPerson } from './to-remote-task.ts';

interface LabelAnswer {
  id: string;
  name: string;
  isGroup: boolean;
  team: { id: string } | null;
}

type Connection<T> = { nodes: T[]; pageInfo: PageInfo };

/** Ids of labels that an issue of this team can bear, in the order of the names; one nobody made yet is made in the team. */
export async function labelIds(
  api: LinearApi,
  names: readonly string[],
  signal: AbortSignal,
  teamKey?: string,
): Promise<string[]> {
  if (names.length === 0) return [];
  const team = await api.teams.get(signal, teamKey);
  const filter = {
    or: names.map((name) => ({ name: { eqIgnoreCase: name } })),
    and: [{ or: [{ team: { id: { eq: team.id } } }, { team: { null: true } }] }],
  };
  const known = await all<LabelAnswer>(api, api.documents.labels, 'issueLabels', filter, signal);
  const ids: string[] = [];
  for (const name of names) {
    const named = known.filter(
      (label) => sameName(label.name, name) && (label.team?.id ?? team.id) === team.id,
    );
    if (named.some(({ isGroup }) => isGroup)) {
      throw new RoomError(
        'refused',
        `${JSON.stringify(name)} is a group of labels in Linear, which no issue can bear`,
      );
    }
    // The team's own label before one of the whole workspace.
    const label = named.find((one) => one.team !== null) ?? named[0];
    ids.push(label?.id ?? (await makeLabel(api, name, team.id, signal)));
  }
  return ids;
}

async function makeLabel(api: LinearApi, name: string, teamId: string, signal: AbortSignal): Promise<string> {
  type Answer = { issueLabelCreate: { issueLabel: { id: string } } };
  const answer = await api.ask<Answer>(api.documents.labelCreate, { input: { name, teamId } }, signal);
  return answer.issueLabelCreate.issueLabel.id;
}

export function sameName(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

/** @throws RoomError `refused` when Linear knows nobody by that name, or several */
export async function userId(api: LinearApi, name: string, signal: AbortSignal): Promise<string> {
  const { users } = api.documents;
  const found = await all<UserAnswer>(api, users, 'users', personFilter(name), signal);
  const fit = found.filter((user) => isPerson(user, name));
  // A display name is unique in a workspace; names and addresses only mostly.
  const exact =
    fit.find((user) => sameName(user.displayName, name)) ?? (fit.length === 1 ? fit[0] : undefined);
  if (exact) return exact.id;
  const said = fit.length === 0 ? 'knows nobody' : 'knows several people';
  throw new RoomError('refused', `Linear ${said} named ${JSON.stringify(name)}`);
}

async function all<T>(
  api: LinearApi,
  document: string,
  field: 'issueLabels' | 'users',
  filter: Record<string, unknown>,
  signal: AbortSignal,
): Promise<T[]> {
  const found: T[] = [];
  const asked = new Set<string>();
  for (let after: string | null = null; ; ) {
    const answer: Record<string, Connection<T>> = await api.ask(document, { filter, after }, signal);
    const { nodes, pageInfo } = answer[field]!;
    found.push(...nodes);
    if (!pageInfo.hasNextPage || !pageInfo.endCursor || asked.has(pageInfo.endCursor)) return found;
    asked.add(pageInfo.endCursor);
    after = pageInfo.endCursor;
  }
}
