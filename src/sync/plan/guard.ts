// What no sync may do without a person's word: believe that a side is suddenly empty, or change most of it at once.
import { RoomError } from '../../core/errors.ts';

/** Fewer mirrors than this may vanish all at once: somebody deleted them. */
export const EMPTY_ABOVE = 3;
/** Changes up to this many are never held back. */
export const MASS_ABOVE = 20;

export interface GuardFacts {
  known: number;
  /** Of those, how many the tracker changed, or shows no more. */
  remoteChanged?: number;
  remoteGone?: number;
  /** … and how many changed here, or lost their file. */
  localChanged?: number;
  localGone?: number;
}

/** Why the sync must not go on, or null. Pure. */
export function guardOf(facts: GuardFacts): string | null {
  const { known, remoteChanged = 0, remoteGone = 0, localChanged = 0, localGone = 0 } = facts;
  if (known >= EMPTY_ABOVE && remoteGone >= known)
    return `the tracker shows none of ${known} mirrored issues any more`;
  if (known >= EMPTY_ABOVE && localGone >= known) return `the files of all ${known} mirrored tasks are gone`;
  if (isMass(remoteChanged + remoteGone, known))
    return `${remoteChanged + remoteGone} of ${known} mirrored issues changed upstream at once`;
  if (isMass(localChanged + localGone, known))
    return `${localChanged + localGone} of ${known} mirrored tasks changed here at once`;
  return null;
}

function isMass(count: number, known: number): boolean {
  return count > MASS_ABOVE && count > known / 2;
}

/** @throws RoomError `refused` when the guard stops the sync */
export function assertGuard(facts: GuardFacts, chore: string): void {
  const why = guardOf(facts);
  if (why === null) return;
  throw new RoomError('refused', `${why}; nothing was changed`, {
    hint: `look at both sides; if it is meant: taskroom sync ${JSON.stringify(chore)} --force`,
  });
}
