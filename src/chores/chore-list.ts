// The chores of a room as a face shows them, and asking for a run of one. Works with and without a daemon: what is asked
// stands in the ledger.
import type { Chore } from '../core/chore/chore.ts';
import type { ChoreJson, ChoreList } from '../core/chore-shapes.ts';
import { suggest } from '../core/document/suggest.ts';
import { RoomError } from '../core/errors.ts';
import { threadOfChore } from '../core/ids.ts';
import { nameOfPath } from '../core/task/names.ts';
import { isoOrNull } from '../core/time/durations.ts';
import { type ChoreFile, type ChoresReading, createChoreFiles } from '../store/files/chore-files.ts';
import type { RoomParts } from '../store/ledger/ledger.ts';
import type { ChoreMemory } from '../store/ledger/mirrors/sources.ts';
import { isTold, planChores } from './due.ts';

/** Every chore by name. `daemonRuns` tells a run that goes on from one that was cut short. */
export async function listChores(deps: RoomParts, daemonRuns: boolean): Promise<ChoreList> {
  const { chores, invalid } = await createChoreFiles(deps).read();
  return { chores: [...chores.values()].map(({ chore }) => viewOf(deps, chore, daemonRuns)), invalid };
}

function viewOf(deps: RoomParts, chore: Chore, daemonRuns: boolean): ChoreJson {
  const { ledger, effects } = deps;
  const now = effects.now();
  const memory = ledger.chores.get(chore.name) ?? neverSeen(chore.name, now);
  const thread = threadOfChore(chore.name);
  const waits = ledger.requests.get(thread) !== null;
  const syncs = chore.mirror !== null && daemonRuns && memory.startedAt !== null && memory.endedAt === null;
  const running = syncs || ledger.turns.runningOn(thread) !== null;
  const facts = { chore, memory, busy: running || waits, told: isTold(ledger, memory) };
  const plan = planChores([facts], deps.config().timezone, now);
  const { stopped, startedAt, endedAt, result, failures } = memory;
  return {
    name: chore.name,
    path: chore.path,
    kind: chore.mirror === null ? 'prompt' : 'mirror',
    source: chore.mirror && `${chore.mirror.provider}:${chore.mirror.source}`,
    schedule: chore.schedule,
    paused: chore.paused,
    stopped,
    running,
    pending: waits || memory.askedAt !== null,
    started_at: isoOrNull(startedAt),
    ended_at: isoOrNull(endedAt),
    result: result && {
      ...{ ok: result.ok, message: result.message, turn: result.turn ?? null },
      counts: { ...result.counts },
    },
    failures,
    sync: chore.mirror === null ? null : syncOf(deps, chore.name),
    next_at: isoOrNull(plan.due.length > 0 ? now : plan.wakeAt),
  };
}

function syncOf({ ledger }: RoomParts, name: string): ChoreJson['sync'] {
  const source = ledger.sources.get(name);
  return source && { synced_at: isoOrNull(source.syncedAt), error: source.error };
}

function neverSeen(name: string, now: number): ChoreMemory {
  const never = { startedAt: null, endedAt: null, result: null, retryAt: null, stopped: null, askedAt: null };
  return { name, seenAt: now, revision: '', failures: 0, ...never };
}

/** Asks for a run now, whatever failed before; a run that goes on is followed by another. Durable when it resolves.
 * @returns the chore's name, and what it is
 * @throws RoomError `not_found`, `invalid_file`, `refused` for a paused one */
export async function askForChore(deps: RoomParts, word: string): Promise<Pick<ChoreJson, 'name' | 'kind'>> {
  const { ledger, effects } = deps;
  const { chore, hash } = findChore(await createChoreFiles(deps).read(), word);
  const hint = `set paused: false in ${chore.path}; without a schedule it runs only when asked`;
  if (chore.paused) throw new RoomError('refused', `chore ${chore.name} is paused`, hint);
  const now = effects.now();
  ledger.transaction(() => {
    ledger.chores.insertNew({ name: chore.name, revision: hash, seenAt: now });
    // A turn that waits for its place is the run that is asked for.
    const waits = ledger.requests.get(threadOfChore(chore.name)) !== null;
    const fresh = { stopped: null, failures: 0, retryAt: null };
    ledger.chores.update(chore.name, waits ? fresh : { ...fresh, askedAt: now });
  });
  return { name: chore.name, kind: chore.mirror === null ? 'prompt' : 'mirror' };
}

function findChore({ chores, invalid }: ChoresReading, word: string): ChoreFile {
  const name = nameOfPath(word.trim());
  const found = chores.get(name);
  if (found !== undefined) return found;
  const broken = invalid.find(({ path }) => nameOfPath(path) === name);
  if (broken !== undefined)
    throw new RoomError('invalid_file', `${broken.path} can't be read`, {
      problems: broken.problems,
      hint: 'mend the file, then try again',
    });
  const near = suggest(name, [...chores.keys()]);
  const hint =
    near === null ? 'see: taskroom chores' : `did you mean ${JSON.stringify(near)}? see: taskroom chores`;
  throw new RoomError('not_found', `no chore ${JSON.stringify(name)}`, { hint });
}
