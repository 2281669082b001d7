// What stands in the way of a room's mirrors and their webhooks, as far as this machine, settings, files and the ledger know: nobody is asked
// over a network.
import { isTold, readListening } from '../../chores/due.ts';
import type { Chore, MirrorConfig } from '../../core/chore/chore.ts';
import { WEBHOOK_SOURCES, type WebhookSource } from '../../core/config/names.ts';
import { isRoomError } from '../../core/errors.ts';
import { isFinished } from '../../core/task/status.ts';
import type { Webhooks } from '../../providers/provider.ts';
import { createChoreFiles } from '../../store/files/chore-files.ts';
import type { MirrorListing } from '../../store/ledger/mirrors/mirrors.ts';
import { currentHolder } from '../../store/lock/locks.ts';
import type { Finding, TaskRoom, WebhookExam } from '../../tasks/task-room.ts';
import { providersOf } from '../mirrors/room-providers.ts';

export type Found = Omit<Finding, 'name'>;

const choresOf = async (deps: TaskRoom) =>
  [...(await createChoreFiles(deps).read()).chores.values()].map(({ chore }) => chore);

/** Returns what is wrong, and how many mirrors there are. @throws RoomError `io` when chores/ can't be read */
export async function checkMirrors(deps: TaskRoom): Promise<{ count: number; found: Found[] }> {
  const sources = await Promise.all((await choresOf(deps)).map((chore) => checkSource(deps, chore)));
  const mirrors = deps.ledger.mirrors.list();
  return { count: mirrors.length, found: [...sources.flat(), ...mirrors.flatMap(checkMirror)] };
}

async function checkSource(deps: TaskRoom, { name, path, mirror, paused }: Chore): Promise<Found[]> {
  if (mirror === null || paused) return [];
  const fail = (text: string, hint: string | null = null): Found => ({ state: 'fail', text, hint });
  try {
    const factory = await providersOf(deps).factory(mirror.provider);
    const wrong = factory
      .check({ ...mirror, statuses: deps.config().statuses })
      .map(({ message, expected, hint }) => {
        const wanted = expected === undefined ? '' : `; expected ${expected}`;
        return fail(`${path}: ${message}${wanted}`, hint);
      });
    if (wrong.length > 0) return wrong;
    const missing = await factory.missing(mirror, deps.effects);
    if (missing.length > 0) return missing.map(({ what, set }) => fail(`${path} lacks ${what}`, set));
  } catch (error) {
    if (!isRoomError(error)) throw error;
    return [fail(`${path}: ${error.message}`, error.hint)];
  }
  const error = deps.ledger.sources.get(name)?.error ?? null;
  if (error === null) return [];
  return [{ state: 'warn', text: `${path}: the last sync failed: ${error.message}`, hint: error.hint }];
}

const STATES: Readonly<Record<string, readonly [words: string, hint: string]>> = {
  detached: [
    'detached',
    'taskroom mirror unlink makes it a local task; taskroom mirror link points it to another issue after that',
  ],
  conflict: ['in conflict', 'look at both texts and settle it: taskroom mirror settle'],
  error: ['not taken by the tracker', 'mend what the tracker refuses, or take the field out of `push:`'],
  untrusted: ['paused by trust', 'read it, then let it run: taskroom resume'],
};

/** A deleted file, and a finished task whose issue is gone, are as somebody wanted them; a broken file has a finding of its own. */
function checkMirror(mirror: MirrorListing): Found[] {
  const { state, cause, status, provider, ref, name, task, message, unreadable } = mirror;
  const known = unreadable ? undefined : STATES[state];
  const over = state === 'detached' && (cause === 'file_gone' || status === null || isFinished(status));
  if (known === undefined || over) return [];
  const [words, hint] = known;
  const why = message === null ? '' : `: ${message}`;
  return [{ state: 'warn', text: `${name ?? task} (${provider}:${ref}) is ${words}${why}`, hint }];
}

type Checks = WebhookExam['checks'];
type Facts = ReturnType<typeof readFacts>;

function readFacts(deps: TaskRoom) {
  const listening = currentHolder(deps.room) === null ? null : readListening(deps.ledger);
  const { address = null, hears = [] } = listening ?? {};
  return { deps, address, hears: hears as readonly string[], deliveries: deps.ledger.webhooks.all() };
}

/** What arrives as webhooks, and what is missing for more to arrive. @throws RoomError `io` when chores/ can't be read */
export async function examineWebhooks(deps: TaskRoom): Promise<WebhookExam> {
  const facts = readFacts(deps);
  const { address, deliveries } = facts;
  const checks = checkListener(facts);
  const chores = await choresOf(deps);
  for (const source of WEBHOOK_SOURCES) {
    const mirrored = chores.filter(({ mirror, paused }) => mirror?.provider === source && !paused);
    const { webhooks } = await providersOf(deps).factory(source);
    if (webhooks === undefined || (mirrored.length === 0 && deps.config().hooks[source] === null)) continue;
    checks.push(...checkTracker(facts, source));
    if (facts.hears.includes(source))
      checks.push(...mirrored.flatMap((chore) => checkChore(facts, chore, chore.mirror!, webhooks)));
  }
  return {
    ...{ healthy: checks.every(({ state }) => state !== 'fail'), address, checks },
    deliveries: deliveries.map(({ provider, chore, what, count, at }) => ({
      ...{ provider, chore: chore === '' ? null : chore, what, count },
      at: new Date(at).toISOString(),
    })),
  };
}

function checkListener({ deps, address }: Facts): Checks {
  const { port, ...secrets } = deps.config().hooks;
  const about = 'listener';
  if (WEBHOOK_SOURCES.every((source) => secrets[source] === null)) {
    const hint = 'name the variable of a secret in room.yaml, such as hooks.github: docs/webhooks.md';
    return [{ about, state: 'fail', text: 'webhooks are off: no secret is named', hint }];
  }
  if (address !== null) return [{ about, state: 'ok', text: `hears at ${address}`, hint: null }];
  const hint =
    currentHolder(deps.room) === null
      ? 'start the room: taskroom up'
      : 'taskroom status says what keeps the room that runs from it';
  const where = port === null ? 'the address of the API' : `port ${port}`;
  return [{ about, state: 'fail', text: `nothing listens at ${where}`, hint }];
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

function checkTracker({ deps, address, hears, deliveries }: Facts, about: WebhookSource): Checks {
  const variable = deps.config().hooks[about];
  if (variable === null) {
    const hint = `set hooks.${about} in room.yaml to the name of the variable that holds its secret`;
    return [{ about, state: 'warn', text: 'it is mirrored, and its webhooks are not heard', hint }];
  }
  // Only the process that listens knows its environment.
  if (address !== null && !hears.includes(about)) {
    const hint = `set ${variable} where the room runs, and start it again`;
    return [{ about, state: 'fail', text: `${variable} is not set where the room runs`, hint }];
  }
  const ofIt = deliveries.filter(({ provider }) => provider === about);
  const takenAt = Math.max(0, ...ofIt.filter(({ what }) => !isRefused(what)).map(({ at }) => at));
  return ofIt
    .filter(({ what, at }) => isRefused(what) && at > takenAt)
    .map(({ what, count }) => {
      const why = what.slice(REFUSED.length);
      const text = `${count} refused since the last good one: ${why}`;
      return { about, state: 'warn', text, hint: HINTS[why] ?? null };
    });
}

function checkChore(
  { deps, deliveries }: Facts,
  { name: about }: Chore,
  mirror: MirrorConfig,
  { wanted: wantedOf, settingsOf }: Webhooks,
): Checks {
  const events = deliveries.filter((one) => one.chore === about && one.provider === mirror.provider);
  const wanted = wantedOf(mirror);
  if (events.length === 0) {
    const hint = `add a webhook at ${settingsOf(mirror)}: address <your tunnel>/hooks/${mirror.provider}, JSON, the secret, events ${wanted.map(({ choose }) => choose).join(' and ')}`;
    return [{ about, state: 'warn', text: `nothing came for ${mirror.source} so far`, hint }];
  }
  const count = events.reduce((sum, one) => sum + one.count, 0);
  const memory = deps.ledger.chores.get(about);
  const isSlower = memory !== null && isTold(deps.ledger, memory);
  const text = `${count} came for ${mirror.source}; its syncs come ${isSlower ? 'less often, since webhooks tell' : 'as often as its schedule says'}`;
  const lacking = wanted.filter(({ event }) => !events.some(({ what }) => what.split('.')[0] === event));
  const names = lacking.map(({ choose }) => choose).join(', ');
  const hint = lacking.length === 0 ? null : `none of ${names} so far: chosen at ${settingsOf(mirror)}?`;
  return [{ about, state: 'ok', text, hint }];
}
