// Tokens as their person makes, lists and revokes them: references become ids, agents are the room's, and no token makes one that
// outlives it.
import { RoomError } from '../../core/errors.ts';
import type { TaskId } from '../../core/ids.ts';
import { isoOrNull } from '../../core/time/iso-time.ts';
import { showTask } from '../read/task-detail.ts';
import type { RoomHandle } from '../room-handle.ts';
import type { TokenJson } from '../shapes/token.ts';
import type { Actor, TaskRoom } from '../task-room.ts';
import { type ApiToken, createApiTokens } from './api-tokens.ts';

export interface TokenWish {
  name: string;
  access: ApiToken['access'];
  /** References of the only tasks it is for. */
  tasks?: readonly string[];
  agents?: string[];
  expires_at?: string;
}

/** Those that are still good, oldest first. */
export function listTokens(deps: TaskRoom): TokenJson[] {
  return createApiTokens(deps).list().map(shown);
}

/** @throws RoomError `bad_input`, `not_found` for a task or an agent, `ambiguous`, `refused`, `not_allowed` */
export async function createToken(
  on: RoomHandle,
  { name, access, tasks, agents = [], expires_at }: TokenWish,
  actor: Actor,
): Promise<TokenJson & { token: string }> {
  for (const agent of agents) assertAgent(on.deps, agent);
  const wanted = expires_at === undefined ? null : Date.parse(expires_at);
  const { token, row } = createApiTokens(on.deps).create({
    ...{ name, access },
    agents: agents.length === 0 ? null : agents,
    expiresAt: endOf(wanted, actor.kind === 'person' ? (actor.until ?? null) : null),
    tasks: tasks === undefined ? null : await Promise.all(tasks.map((ref) => idOf(on, ref))),
  });
  return { ...shown(row), token };
}

/** By id or name. @throws RoomError `not_found` */
export function revokeToken(deps: TaskRoom, name: string): TokenJson {
  return shown(createApiTokens(deps).revoke(name));
}

function shown({ createdAt, expiresAt, usedAt, ...token }: ApiToken): TokenJson {
  const { id, kind, name, access, tasks, agents } = token;
  return {
    ...{ id, kind, name, access, tasks, agents },
    created_at: isoOrNull(createdAt),
    expires_at: isoOrNull(expiresAt),
    used_at: isoOrNull(usedAt),
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

async function idOf(on: RoomHandle, ref: string): Promise<TaskId> {
  const { id, name } = await showTask(on, ref);
  if (id !== null) return id;
  throw new RoomError('refused', `${name} has no id yet`, { hint: 'taskroom up or once gives it one' });
}
