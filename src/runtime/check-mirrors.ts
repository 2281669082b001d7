// What stands in the way of a room's mirrors, as far as this machine and the ledger know: nobody is asked over a network.
import type { Chore, MirrorConfig } from '../core/chore/chore.ts';
import { isRoomError } from '../core/errors.ts';
import { isFinished } from '../core/task/status.ts';
import type { ProviderRegistry } from '../providers/registry.ts';
import { createChoreFiles } from '../store/chore-files.ts';
import type { MirrorListing } from '../store/ledger/mirrors/mirrors.ts';
import type { Finding } from '../tasks/doctor/doctor.ts';
import type { TaskRoom } from '../tasks/task-room.ts';
import { providersOf } from './room-providers.ts';

type Found = Omit<Finding, 'name'>;

/** What is wrong, and how many mirrors there are. @throws RoomError `io` when chores/ can't be read */
export async function checkMirrors(deps: TaskRoom): Promise<{ count: number; found: Found[] }> {
  const { ledger } = deps;
  const registry = providersOf(deps);
  const files = await createChoreFiles(deps).read();
  const sources = await Promise.all(
    [...files.chores.values()].map(({ chore }) => checkSource(deps, registry, chore)),
  );
  const mirrors = ledger.mirrors.list();
  return { count: mirrors.length, found: [...sources.flat(), ...mirrors.flatMap(checkMirror)] };
}

async function checkSource(
  deps: TaskRoom,
  registry: ProviderRegistry,
  { name, path, mirror, paused }: Chore,
): Promise<Found[]> {
  if (mirror === null || paused) return [];
  try {
    const faults = await checkSetting(deps, registry, path, mirror);
    if (faults.length > 0) return faults;
  } catch (error) {
    if (!isRoomError(error)) throw error;
    return [{ state: 'fail', text: `${path}: ${error.message}`, hint: error.hint ?? null }];
  }
  const error = deps.ledger.sources.get(name)?.error ?? null;
  return error === null
    ? []
    : [{ state: 'warn', text: `${path}: the last sync failed: ${error.message}`, hint: error.hint }];
}

async function checkSetting(
  { effects }: TaskRoom,
  registry: ProviderRegistry,
  path: string,
  mirror: MirrorConfig,
): Promise<Found[]> {
  const factory = await registry.factory(mirror.provider);
  const wrong = factory.check(mirror).map(
    ({ message, expected, hint }): Found => ({
      state: 'fail',
      text: `${path}: ${message}${expected === undefined ? '' : `; expected ${expected}`}`,
      hint: hint ?? null,
    }),
  );
  if (wrong.length > 0) return wrong;
  const missing = await factory.missing(mirror, effects);
  return missing.map(({ what, set }) => ({ state: 'fail', text: `${path} lacks ${what}`, hint: set }));
}

const HINTS: Readonly<Record<string, string>> = {
  detached: 'taskroom unlink makes it a local task; taskroom link points it to another issue after that',
  conflict: 'look at both texts and settle it: taskroom settle',
  error: 'mend what the tracker refuses, or take the field out of `push:`',
  untrusted: 'read it, then let it run: taskroom resume',
};

/** A deleted file, and a finished task whose issue is gone, are as somebody wanted them. */
function checkMirror(mirror: MirrorListing): Found[] {
  const { state, cause, status, provider, ref, name, task, message, unreadable } = mirror;
  // What is wrong with its file is told of that file.
  if (unreadable) return [];
  const hint = HINTS[state];
  const over = state === 'detached' && (cause === 'file_gone' || status === null || isFinished(status));
  if (hint === undefined || over) return [];
  const why = message === null ? '' : `: ${message}`;
  const text = `${name ?? task} (${provider}:${ref}) is ${WORDS[state] ?? state}${why}`;
  return [{ state: 'warn', text, hint }];
}

const WORDS: Readonly<Record<string, string>> = {
  conflict: 'in conflict',
  error: 'not taken by the tracker',
  untrusted: 'paused by trust',
};
