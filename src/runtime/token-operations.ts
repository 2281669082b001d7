// Tokens as their person makes, lists and revokes them, from whatever machine: references become ids, agents are the room's,
// and no token makes one that outlives it.
import { RoomError } from '../core/errors.ts';
import type { TaskId } from '../core/ids.ts';
import type { Client } from '../operations/client.ts';
import type { TaskRoom } from '../tasks/task-room.ts';
import { type ApiToken, createApiTokens, type NewToken } from './api-tokens.ts';

/** `tasks`: references of the only tasks it is for. */
export type TokenWish = Omit<NewToken, 'tasks'> & { tasks: readonly string[] | null };

export interface TokenOperations {
  /** Those that are still good, oldest first. */
  list(): Promise<ApiToken[]>;
  /**
   * @param maker the token it is made with, which may do all that the person may; null beside the room
   * @throws RoomError `bad_input`, `not_found` for a task or an agent, `ambiguous`, `refused`, `not_allowed`
   */
  create(
    wish: TokenWish,
    maker?: Pick<ApiToken, 'expiresAt'> | null,
  ): Promise<{ token: string; row: ApiToken }>;
  /** By id or name. @throws RoomError `not_found` */
  revoke(name: string): Promise<ApiToken>;
}

export function createTokenOperations(deps: TaskRoom, tasks: Pick<Client, 'show'>): TokenOperations {
  const tokens = createApiTokens(deps);
  return {
    list: async () => tokens.list(),
    async create({ tasks: refs, ...wish }, maker = null) {
      for (const agent of wish.agents ?? []) assertAgent(deps, agent);
      const expiresAt = endOf(wish.expiresAt, maker?.expiresAt ?? null);
      return tokens.create({ ...wish, expiresAt, tasks: refs === null ? null : await idsOf(tasks, refs) });
    },
    revoke: async (name) => tokens.revoke(name),
  };
}

/** Epoch ms; one that is to last for good ends with the token it is made with. */
function endOf(wanted: number | null, makersEnd: number | null): number | null {
  if (makersEnd === null || (wanted !== null && wanted <= makersEnd)) return wanted;
  if (wanted === null) return makersEnd;
  throw new RoomError('not_allowed', 'a token makes none that outlives it', {
    hint: `this one ends at ${new Date(makersEnd).toISOString()}; ask for less, or make it beside the room`,
  });
}

function assertAgent({ agents }: TaskRoom, agent: string): void {
  if (agents().has(agent)) return;
  throw new RoomError('not_found', `there is no agent ${JSON.stringify(agent)}`, {
    hint: `there are: ${[...agents().keys()].join(', ')}`,
  });
}

async function idsOf({ show }: Pick<Client, 'show'>, refs: readonly string[]): Promise<TaskId[]> {
  const ids: TaskId[] = [];
  for (const ref of refs) {
    const { id, name } = await show(ref);
    if (id === null)
      throw new RoomError('refused', `${name} has no id yet`, { hint: 'taskroom up or once gives it one' });
    ids.push(id);
  }
  return ids;
}
