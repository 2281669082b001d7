// From a webhook's delivery to what is fetched for it: the provider proves it and reads which issues it names, the loop is told of them, and
// the delivery is counted. Its words go nowhere else.
import { noteListening } from '../../chores/due.ts';
import { WEBHOOK_SOURCES, type WebhookSource } from '../../core/config/names.ts';
import { isRoomError } from '../../core/errors.ts';
import type { Timer } from '../../effects.ts';
import type { ProviderFactory, WebhookDelivery, Webhooks } from '../../providers/provider.ts';
import type { ProviderRegistry } from '../../providers/registry.ts';
import type { RunningPulse } from '../../pulse/pulse.ts';
import type { WebhookCount } from '../../store/ledger/mirrors/sources.ts';
import type { TaskRoom } from '../../tasks/task-room.ts';

/** Why a delivery counts for nothing. */
export type WebhookRefusal =
  | ('unsigned' | 'wrong_signature' | 'old' | 'malformed')
  | ('not_json' | 'too_large' | 'too_slow' | 'too_many');

export interface ReceiverOptions extends Pick<RunningPulse, 'told' | 'pullTold'> {
  deps: Pick<TaskRoom, 'ledger' | 'effects' | 'events' | 'config'>;
  providers: Pick<ProviderRegistry, 'factory'>;
}

export type WebhookReceiver = ReturnType<typeof createWebhookReceiver>;

export function createWebhookReceiver({ deps, providers, told, pullTold }: ReceiverOptions) {
  const { ledger, effects, events, config } = deps;
  const counts = createCounts(deps);
  const secretOf = (source: WebhookSource): string => effects.env[config().hooks[source] ?? '']?.trim() ?? '';
  const hears = () => WEBHOOK_SOURCES.filter((source) => secretOf(source) !== '');
  const readerOf = async (source: WebhookSource) => {
    const factory = await providers.factory(source);
    if (factory.webhooks === undefined) throw new Error(`${source} has no webhooks`);
    return factory as ProviderFactory & { readonly webhooks: Webhooks };
  };
  function lookAtPull(ref: string): void {
    const at = ref.lastIndexOf('#');
    const row = ledger.pulls.byNumber(ref.slice(0, at), Number(ref.slice(at + 1)));
    if (row !== null) pullTold(row.task);
  }
  return {
    /** From now on deliveries come in at `address`, if any can be proven; loads what the first one needs. */
    async open(address: string): Promise<void> {
      if (hears().length === 0) return;
      for (const source of hears()) await (await readerOf(source)).webhooks.prepare();
      noteListening(ledger, { since: effects.now(), address, hears: hears() });
      events.emit({ type: 'webhooks.listening', address, hears: hears() });
    },
    /** The tracker of that name, when its deliveries can be proven; null for any other word. */
    sourceOf: (name: string): WebhookSource | null => hears().find((source) => source === name) ?? null,
    /** Returns why it was refused, null when it was taken. Quick: fetching comes later. */
    async receive(source: WebhookSource, delivery: WebhookDelivery): Promise<WebhookRefusal | null> {
      const { webhooks, owns } = await readerOf(source);
      const read = await webhooks.read(delivery, secretOf(source));
      if ('refused' in read) {
        counts.add(source, '', `refused:${read.refused}`);
        return read.refused;
      }
      const { event, issues } = read;
      for (const { ref, isPull } of issues) if (isPull && ref !== null) lookAtPull(ref);
      const concerned = issues.flatMap((issue) => {
        const mirror = issue.uid === null ? null : ledger.mirrors.byUid(source, issue.uid);
        return told(
          source,
          issue,
          (chore, wanted) =>
            mirror?.chore === chore ||
            (issue.ref !== null && owns(issue.ref, wanted) && webhooks.concerns?.(issue, wanted) !== false),
        );
      });
      const chores = [...new Set(concerned)];
      for (const chore of chores.length === 0 ? [''] : chores) counts.add(source, chore, event);
      events.emit({ type: 'webhook.received', provider: source, event, chores });
      return null;
    },
    /** Counts a delivery that the listener refused unread. */
    refuse: (source: WebhookSource, why: WebhookRefusal) => counts.add(source, '', `refused:${why}`),
    close: counts.close, // Deliveries come in no more.
  };
}

const EVERY_MS = 1_000;
const MOST_KINDS = 500; // Events that nobody knows yet must not grow the ledger for ever.

/** Counts of deliveries, put into the ledger once a second, so that no delivery costs a write. */
function createCounts({ ledger, effects }: ReceiverOptions['deps']) {
  let counts = new Map<string, WebhookCount>();
  let timer: Timer | null = null;

  function flush(): void {
    timer?.cancel();
    timer = null;
    const counted = [...counts.values()];
    if (counted.length === 0) return;
    ledger.transaction(() => {
      ledger.webhooks.add(counted);
      for (const { chore, at } of counted) if (chore !== '') ledger.webhooks.mark(chore, 'heardAt', at);
    });
    counts = new Map();
  }
  /** Returns whether the disk took the counts. */
  function tryTo(work: () => void): boolean {
    try {
      work();
      return true;
    } catch (error) {
      if (!isRoomError(error)) throw error;
      return false;
    }
  }
  function flushLater(): void {
    timer ??= effects.setTimer(EVERY_MS, () => void (tryTo(flush) || flushLater()), true);
  }
  return {
    /** @param chore '' when the delivery concerns none */
    add(provider: string, chore: string, what: string): void {
      const key = JSON.stringify([provider, chore, what]);
      const known = counts.get(key);
      const at = effects.now();
      if (known) Object.assign(known, { count: known.count + 1, at });
      else if (counts.size < MOST_KINDS) counts.set(key, { provider, chore, what, count: 1, at });
      flushLater();
    },
    // Where the room is gone nobody asks any more; the next start notes it otherwise.
    close(): void {
      tryTo(() => {
        flush();
        noteListening(ledger, null);
      });
    },
  };
}
