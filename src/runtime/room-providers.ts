// The providers of a room: the built-in ones and those that its settings name, and the secrets they work with.
import { createProviderRegistry, type ProviderRegistry } from '../providers/registry.ts';
import type { TaskRoom } from '../tasks/task-room.ts';

export function providersOf({ room, config }: Pick<TaskRoom, 'room' | 'config'>): ProviderRegistry {
  return createProviderRegistry({ roomDir: room.dir, files: config().providers });
}

/** What leads a command to a daemon elsewhere, and opens it. */
const WAY_ELSEWHERE = ['TASKROOM_URL', 'TASKROOM_TOKEN'];

/** Names of the secrets of all providers, their webhooks, the API and the queue: no agent's program gets to see them. */
export async function withheldSecrets(deps: Pick<TaskRoom, 'room' | 'config'>): Promise<string[]> {
  const registry = providersOf(deps);
  const ofProviders = await registry.secretsOf(registry.names);
  const { postgres } = deps.config().queue;
  const ofQueue = postgres === null ? [] : [postgres];
  return [...new Set([...WAY_ELSEWHERE, ...ofQueue, ...ofProviders, ...webhookSecrets(deps)])];
}

/** Names of the variables that hold what trackers sign their webhooks with. */
export function webhookSecrets({ config }: Pick<TaskRoom, 'config'>): string[] {
  return Object.values(config().hooks.secrets).filter((name) => name !== null);
}
