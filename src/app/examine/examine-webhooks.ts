// What arrives as webhooks and what is missing for more to arrive, as far as settings, files and ledger know: nobody is
// asked over a network.
import { isTold, readListening } from '../../chores/webhook-health.ts';
import type { Chore, MirrorConfig } from '../../core/chore/chore.ts';
import { WEBHOOK_SOURCES, type WebhookSource } from '../../core/config/built-in-providers.ts';
import type { Webhooks } from '../../providers/provider.ts';
import { createChoreFiles } from '../../store/files/chore-files.ts';
import type { WebhookCount } from '../../store/ledger/mirrors/sources.ts';
import { currentHolder } from '../../store/lock/locks.ts';
import type { WebhookExam } from '../../tasks/room-handle.ts';
import type { TaskRoom } from '../../tasks/task-room.ts';
import { providersOf } from '../mirrors/room-providers.ts';

type Found = WebhookExam['checks'];

interface Facts {
  deps: TaskRoom;
  address: string | null;
  hears: readonly string[];
  deliveries: readonly WebhookCount[];
}

/** @throws RoomError `io` when chores/ can't be read */
export async function examineWebhooks(deps: TaskRoom): Promise<WebhookExam> {
  const { room, ledger, config } = deps;
  const listening = currentHolder(room) === null ? null : readListening(ledger);
  const address = listening?.address ?? null;
  const deliveries = ledger.webhooks.list();
  const facts: Facts = { deps, address, hears: listening?.hears ?? [], deliveries };
  const found = checkListener(facts);
  const files = await createChoreFiles(deps).read();
  const chores = [...files.chores.values()].map(({ chore }) => chore);
  const registry = providersOf(deps);
  for (const source of WEBHOOK_SOURCES) {
    const mirrored = chores.filter(({ mirror, paused }) => mirror?.provider === source && !paused);
    const { webhooks } = await registry.factory(source);
    if (webhooks === undefined || (mirrored.length === 0 && config().hooks[source] === null)) continue;
    found.push(...checkTracker(facts, source));
    if (facts.hears.includes(source))
      found.push(...mirrored.flatMap((chore) => checkChore(facts, chore, chore.mirror!, webhooks)));
  }
  return {
    ...{ healthy: found.every(({ state }) => state !== 'fail'), address, checks: found },
    deliveries: deliveries.map(({ provider, chore, what, count, at }) => ({
      ...{ provider, chore: chore === '' ? null : chore, what, count },
      at: new Date(at).toISOString(),
    })),
  };
}

function checkListener({ deps, address }: Facts): Found {
  const { port } = deps.config().hooks;
  const about = 'listener';
  if (port === null) {
    const hint = 'set hooks.port in room.yaml, such as 8787: docs/webhooks.md';
    return [{ about, state: 'fail', text: 'webhooks are off: no port is set', hint }];
  }
  if (address !== null) return [{ about, state: 'ok', text: `hears at ${address}`, hint: null }];
  const hint =
    currentHolder(deps.room) === null
      ? 'start the room: taskroom up'
      : 'taskroom status says what keeps the room that runs from it';
  return [{ about, state: 'fail', text: `nothing listens at port ${port}`, hint }];
}

function checkTracker({ deps, address, hears, deliveries }: Facts, source: WebhookSource): Found {
  const { hooks } = deps.config();
  const variable = hooks[source];
  if (variable === null) {
    const hint = `set hooks.${source} in room.yaml to the name of the variable that holds its secret`;
    return [{ about: source, state: 'warn', text: 'it is mirrored, and its webhooks are not heard', hint }];
  }
  // Only the process that listens knows what stands in its environment.
  if (address !== null && !hears.includes(source)) {
    const hint = `set ${variable} where the room runs, and start it again`;
    return [{ about: source, state: 'fail', text: `${variable} is not set where the room runs`, hint }];
  }
  const ofIt = deliveries.filter(({ provider }) => provider === source);
  const takenAt = Math.max(0, ...ofIt.filter(({ what }) => !isRefused(what)).map(({ at }) => at));
  return ofIt
    .filter(({ what, at }) => isRefused(what) && at > takenAt)
    .map(({ what, count }) => ({
      about: source,
      state: 'warn' as const,
      text: `${count} refused since the last good one: ${what.slice(REFUSED.length)}`,
      hint: HINTS[what.slice(REFUSED.length)] ?? null,
    }));
}

const REFUSED = 'refused:';
const isRefused = (what: string) => what.startsWith(REFUSED);

const HINTS: Readonly<Record<string, string>> = {
  unsigned: 'set the secret at the tracker; if it is not the tracker that calls, this is as it should be',
  wrong_signature: 'the secret at the tracker and the one here differ',
  old: "this machine's clock is off by more than a minute, or somebody sent it again",
  not_json: 'choose application/json as content type at the tracker',
  too_large: 'the tunnel or somebody else sends what no tracker does',
  malformed: 'somebody with the secret sends what no tracker does',
};

function checkChore(
  { deps, deliveries }: Facts,
  { name }: Chore,
  mirror: MirrorConfig,
  { wanted: wantedOf, settingsOf }: Webhooks,
): Found {
  const about = name;
  const events = deliveries.filter((one) => one.chore === name && one.provider === mirror.provider);
  const wanted = wantedOf(mirror);
  const lacking = wanted.filter(({ event }) => !events.some(({ what }) => what.split('.')[0] === event));
  if (events.length === 0) {
    const hint = `add a webhook at ${settingsOf(mirror)}: address <your tunnel>/hooks/${mirror.provider}, JSON, the secret, events ${wanted.map(({ choose }) => choose).join(' and ')}`;
    return [{ about, state: 'warn', text: `nothing came for ${mirror.source} so far`, hint }];
  }
  const count = events.reduce((sum, one) => sum + one.count, 0);
  const memory = deps.ledger.chores.get(name);
  const isSlower = memory !== null && isTold(deps.ledger, memory);
  const text = `${count} came for ${mirror.source}; its syncs come ${isSlower ? 'less often, since webhooks tell' : 'as often as its schedule says'}`;
  const hint =
    lacking.length === 0
      ? null
      : `none of ${lacking.map(({ choose }) => choose).join(', ')} so far: chosen at ${settingsOf(mirror)}?`;
  return [{ about, state: 'ok', text, hint }];
}
