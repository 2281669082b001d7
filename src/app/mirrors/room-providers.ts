// The providers of a room: the built-in ones and those that its settings name, and the secrets they work with.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { WEBHOOK_SOURCES } from '../../core/config/names.ts';
import { RoomError, valueOr } from '../../core/errors.ts';
import { createProviderRegistry, type ProviderRegistry } from '../../providers/registry.ts';
import { textsInForce } from '../../store/files/trusted-words.ts';
import type { TaskRoom } from '../../tasks/task-room.ts';

export function providersOf({ room, config, ledger }: TaskRoom): ProviderRegistry {
  const inForce = textsInForce(room, ledger);
  return createProviderRegistry({
    roomDir: room.dir,
    files: config().providers,
    assertMayLoad(path) {
      // The registry says what is wrong when it loads the file.
      const text = valueOr(null, () => readFileSync(resolve(room.dir, path), 'utf8'));
      if (text === null || inForce(path, text) === text) return;
      const why = `${path} was changed while a turn ran: it is not loaded before you say so`;
      throw new RoomError('refused', why, { hint: `look at it, then: taskroom accept ${path}` });
    },
  });
}

/** No agent's program gets to see the secrets of providers, their webhooks, the API and the queue. */
export async function withholdSecrets(deps: TaskRoom): Promise<void> {
  const registry = providersOf(deps);
  const { postgres } = deps.config().queue;
  const ofProviders = await registry.secretsOf(registry.names);
  for (const name of ['TASKROOM_URL', 'TASKROOM_TOKEN', postgres, ...ofProviders])
    if (name !== null) deps.effects.withheld.add(name);
  withholdWebhookSecrets(deps);
}

/** Withholds the secrets that trackers sign their webhooks with, as the settings are now. */
export function withholdWebhookSecrets({ config, effects }: TaskRoom): void {
  for (const source of WEBHOOK_SOURCES) {
    const name = config().hooks[source];
    if (name !== null) effects.withheld.add(name);
  }
}
