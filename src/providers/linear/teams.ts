// Teams with their states, by key. The source's own is asked for once.
import { RoomError } from '../../core/errors.ts';
import { teamFilter } from './filters.ts';
import type { TeamAnswer } from './response-shapes.ts';
import type { Ask } from './transport.ts';

type Found = { nodes: TeamAnswer[] };

export type Teams = ReturnType<typeof createTeams>;

/**
 * @param document asks for teams by a filter `$teams`
 * @param source key of the source's team, in any case
 */
export function createTeams(ask: Ask, document: string, source: string) {
  let own: TeamAnswer | null = null;
  return {
    /**
     * Keeps the source's team, which an answer brought along.
     * @throws RoomError `not_found` when it brought none
     */
    note(found: Found): void {
      own = teamIn(found, source);
    },
    /**
     * The source's team, or the one of this key: an issue keeps its task when it is moved to another.
     * @throws RoomError `not_found` when there is none
     */
    async get(signal: AbortSignal, key = source): Promise<TeamAnswer> {
      const isOwn = isSameKey(key, source);
      if (isOwn && own) return own;
      const variables = { teams: teamFilter({ source: key }) };
      const { teams } = await ask<{ teams: Found }>(document, variables, signal);
      const team = teamIn(teams, key);
      if (isOwn) own = team;
      return team;
    },
  };
}

function teamIn({ nodes }: Found, wanted: string): TeamAnswer {
  const team = nodes.find(({ key }) => isSameKey(key, wanted));
  if (team) return team;
  throw new RoomError('not_found', `Linear shows these credentials no team ${wanted}`, {
    hint: 'mend `source:`, or let the account join the team',
  });
}

function isSameKey(one: string, other: string): boolean {
  return one.toUpperCase() === other.toUpperCase();
}
