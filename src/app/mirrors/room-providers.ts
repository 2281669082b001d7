// The providers of a room: the built-in ones and those that its settings name, and the secrets they work with.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { WEBHOOK_SOURCES } from '../../core/config/built-in-providers.ts';
import { RoomError } from '../../core/errors.ts';
import { createProviderRegistry, type ProviderRegistry } from '../../providers/registry.ts';
import { textsInForce } from '../../store/files/trusted-words.ts';
import type { TaskRoom } from '../../tasks/task-room.ts';

export function providersOf({
  room,
  config,
  ledger,
}: Pick<TaskRoom, 'room' | 'config' | 'ledger'>): ProviderRegistry {
  const inForce = textsInForce(room, ledger);
  return createProviderRegistry({
    roomDir: room.dir,
    files: config().providers,
    assertMayLoad(path) {
      const text = readIfThere(resolve(room.dir, path));
      if (text === null || inForce(path, text) === text) return;
      throw new RoomError(
        'refused',
        `${path} was changed while a turn ran: it is not loaded before you say so`,
        {
          hint: `look at it, then: taskroom accept ${path}`,
        },
      );
    },
  });
}

/** What is wrong with a file that can't be read is said by whoever loads it. */
function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

/** What leads a command to a daemon elsewhere, and opens it. */
const WAY_ELSEWHERE = ['TASKROOM_URL', 'TASKROOM_TOKEN'];

/** The secrets of all providers, their webhooks, the API and the queue: no agent's program gets to see them. */
export async function withholdSecrets(
  deps: Pick<TaskRoom, 'room' | 'config' | 'ledger' | 'effects'>,
): Promise<void> {
  const registry = providersOf(deps);
  const ofProviders = await registry.secretsOf(registry.names);
  const { postgres } = deps.config().queue;
  const ofQueue = postgres === null ? [] : [postgres];
  for (const name of [...WAY_ELSEWHERE, ...ofQueue, ...ofProviders]) deps.effects.withheld.add(name);
  withholdWebhookSecrets(deps);
}

/** The variables that hold what trackers sign their webhooks with, as the settings are now. */
export function withholdWebhookSecrets({ config, effects }: Pick<TaskRoom, 'config' | 'effects'>): void {
  for (const source of WEBHOOK_SOURCES) {
    const name = config().hooks[source];
    if (name !== null) effects.withheld.add(name);
  }
}
