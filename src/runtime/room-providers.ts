// The providers of a room: the built-in ones and those that its settings name, and the secrets they work with.
import { createProviderRegistry, type ProviderRegistry } from '../providers/registry.ts';
import type { TaskRoom } from '../tasks/task-room.ts';

export function providersOf({ room, config }: Pick<TaskRoom, 'room' | 'config'>): ProviderRegistry {
  return createProviderRegistry({ roomDir: room.dir, files: config().providers });
}

/** Names of the secrets of all providers and their webhooks: no agent's program gets to see them. */
export async function withheldSecrets(deps: Pick<TaskRoom, 'room' | 'config'>): Promise<string[]> {
  const registry = providersOf(deps);
  return [...new Set([...(await registry.secretsOf(registry.names)), ...webhookSecrets(deps)])];
}

/** Names of the variables that hold what trackers sign their webhooks with. */
export function webhookSecrets({ config }: Pick<TaskRoom, 'config'>): string[] {
  return Object.values(config().hooks.secrets).filter((name) => name !== null);
}
