// From a delivery to what is fetched for it: proven by its provider, read for the issues it names, told to the loop, and
// counted. Its words go nowhere else.
import { noteListening } from '../../chores/webhook-health.ts';
import { WEBHOOK_SOURCES, type WebhookSource } from '../../core/config/built-in-providers.ts';
import { isRoomError } from '../../core/errors.ts';
import type { ProviderFactory, WebhookDelivery, Webhooks } from '../../providers/provider.ts';
import type { ProviderRegistry } from '../../providers/registry.ts';
import type { RunningPulse } from '../../pulse/ports.ts';
import type { TaskRoom } from '../../tasks/task-room.ts';
import { createTally } from './tally.ts';

/** Why a delivery counts for nothing. */
export type WebhookRefusal =
  | 'unsigned'
  | 'wrong_signature'
  | 'old'
  | 'malformed'
  | 'not_json'
  | 'too_large'
  | 'too_slow'
  | 'too_many';

/** What a listener hands deliveries to. */
export interface WebhookReceiver {
  /** From now on deliveries come in at `address`; loads what the first one needs. */
  open(address: string): Promise<void>;
  /** The tracker of that name, when its deliveries can be proven; null for any other word. */
  sourceOf(name: string): WebhookSource | null;
  /** Why it was refused, null when it was taken. Quick: what it leads to comes later. */
  receive(source: WebhookSource, delivery: WebhookDelivery): Promise<WebhookRefusal | null>;
  /** Counts a delivery that the listener refused unread. */
  refuse(source: WebhookSource, why: WebhookRefusal): void;
  /** Deliveries come in no more. */
  close(): void;
}

export interface ReceiverOptions {
  deps: Pick<TaskRoom, 'ledger' | 'effects' | 'events' | 'config'>;
  providers: Pick<ProviderRegistry, 'factory'>;
  told: RunningPulse['told'];
}

type Reader = ProviderFactory & { readonly webhooks: Webhooks };

export function createWebhookReceiver({ deps, providers, told }: ReceiverOptions): WebhookReceiver {
  const { ledger, effects, events } = deps;
  const tally = createTally(ledger, effects);
  const secretOf = (source: WebhookSource): string => webhookSecret(deps, source);
  const hears = (): WebhookSource[] => {
    return WEBHOOK_SOURCES.filter((source) => secretOf(source) !== '');
  };
  return {
    async open(address) {
      for (const source of hears()) await (await readerOf(providers, source)).webhooks.prepare();
      noteListening(ledger, { since: effects.now(), address, hears: hears() });
      events.emit({ type: 'webhooks.listening', address, hears: hears() });
    },
    sourceOf: (name) => hears().find((source) => source === name) ?? null,
    async receive(source, delivery) {
      const factory = await readerOf(providers, source);
      const read = await factory.webhooks.read(delivery, secretOf(source));
      if ('refused' in read) {
        tally.count(source, '', `refused:${read.refused}`);
        return read.refused;
      }
      const chores = new Set<string>();
      for (const issue of read.issues) {
        const mirror = issue.uid === null ? null : ledger.mirrors.byUid(source, issue.uid);
        const concerned = told(source, issue, (chore, config) =>
          mirror === null || mirror.chore !== chore
            ? issue.ref !== null &&
              factory.owns(issue.ref, config) &&
              factory.webhooks.concerns?.(issue, config) !== false
            : true,
        );
        for (const chore of concerned) chores.add(chore);
      }
      for (const chore of chores) tally.count(source, chore, read.event);
      if (chores.size === 0) tally.count(source, '', read.event);
      events.emit({ type: 'webhook.received', provider: source, event: read.event, chores: [...chores] });
      return null;
    },
    refuse: (source, why) => tally.count(source, '', `refused:${why}`),
    close() {
      try {
        tally.flush();
        noteListening(ledger, null);
      } catch (error) {
        // Where the room is gone nobody asks any more; the next start notes it otherwise.
        if (!isRoomError(error)) throw error;
      }
    },
  };
}

/** What the tracker signs with; '' when it is not set. */
export function webhookSecret(
  { config, effects }: Pick<TaskRoom, 'config' | 'effects'>,
  source: WebhookSource,
): string {
  const name = config().hooks[source];
  return name === null ? '' : (effects.env[name]?.trim() ?? '');
}

async function readerOf(
  providers: Pick<ProviderRegistry, 'factory'>,
  source: WebhookSource,
): Promise<Reader> {
  const factory = await providers.factory(source);
  if (factory.webhooks === undefined) throw new Error(`${source} has no webhooks`);
  return factory as Reader;
}
