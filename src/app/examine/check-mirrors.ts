// What stands in the way of a room's mirrors, as far as this machine and the ledger know: nobody is asked over a network.
import type { Chore } from '../../core/chore/chore.ts';
import { isRoomError } from '../../core/errors.ts';
import { isFinished } from '../../core/task/status.ts';
import type { ProviderRegistry } from '../../providers/registry.ts';
import { createChoreFiles } from '../../store/files/chore-files.ts';
import type { MirrorListing } from '../../store/ledger/mirrors/mirrors.ts';
import type { Finding } from '../../tasks/room-handle.ts';
import type { TaskRoom } from '../../tasks/task-room.ts';
import { providersOf } from '../mirrors/room-providers.ts';

export type Found = Omit<Finding, 'name'>;

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
  { ledger, effects }: TaskRoom,
  registry: ProviderRegistry,
  { name, path, mirror, paused }: Chore,
): Promise<Found[]> {
  if (mirror === null || paused) return [];
  const fail = (text: string, hint: string | undefined): Found => ({
    state: 'fail',
    text,
    hint: hint ?? null,
  });
  try {
    const factory = await registry.factory(mirror.provider);
    const wrong = factory
      .check(mirror)
      .map(({ message, expected, hint }) =>
        fail(`${path}: ${message}${expected === undefined ? '' : `; expected ${expected}`}`, hint),
      );
    if (wrong.length > 0) return wrong;
    const missing = await factory.missing(mirror, effects);
    if (missing.length > 0) return missing.map(({ what, set }) => fail(`${path} lacks ${what}`, set));
  } catch (error) {
    if (!isRoomError(error)) throw error;
    return [fail(`${path}: ${error.message}`, error.hint)];
  }
  const error = ledger.sources.get(name)?.error ?? null;
  return error === null
    ? []
    : [{ state: 'warn', text: `${path}: the last sync failed: ${error.message}`, hint: error.hint }];
}

/** How each state is said, and what to do about it. */
const STATES: Readonly<Record<string, readonly [words: string, hint: string]>> = {
  detached: [
    'detached',
    'taskroom unlink makes it a local task; taskroom link points it to another issue after that',
  ],
  conflict: ['in conflict', 'look at both texts and settle it: taskroom settle'],
  error: ['not taken by the tracker', 'mend what the tracker refuses, or take the field out of `push:`'],
  untrusted: ['paused by trust', 'read it, then let it run: taskroom resume'],
};

/** A deleted file, and a finished task whose issue is gone, are as somebody wanted them. */
function checkMirror(mirror: MirrorListing): Found[] {
  const { state, cause, status, provider, ref, name, task, message, unreadable } = mirror;
  // What is wrong with its file is told of that file.
  const known = unreadable ? undefined : STATES[state];
  const over = state === 'detached' && (cause === 'file_gone' || status === null || isFinished(status));
  if (known === undefined || over) return [];
  const [words, hint] = known;
  const why = message === null ? '' : `: ${message}`;
  return [{ state: 'warn', text: `${name ?? task} (${provider}:${ref}) is ${words}${why}`, hint }];
}
