// The decision table: what becomes of one field, from five facts. Everything the engine does to a field follows from
// the reason found here.
import type { Preference } from '../../core/chore/chore.ts';
import type { Reason } from './plan-data.ts';

export interface FieldFacts {
  /** The tracker's answer speaks of this field. */
  remoteSpeaks: boolean;
  /** The file has a word on it: its body markers stand, … */
  localSpeaks: boolean;
  /** There was an agreement to compare with. */
  known: boolean;
  localChanged: boolean;
  remoteChanged: boolean;
  /** Both sides mean the same now. */
  same: boolean;
  /** `push:` names the field. */
  pushed: boolean;
  /** The source can write it. */
  writable: boolean;
  /** Both changes fit into one value: lists, and texts changed in different places. */
  mergeable: boolean;
  prefer: Preference;
  /** For `prefer: newest`: the file was saved after the issue was changed. */
  localIsNewer: boolean;
}

/** Read top to bottom: the first line that fits answers. */
export function decideField(facts: FieldFacts): Reason {
  const { known, localChanged, remoteChanged } = facts;
  // A server without relations, a `fields:` list: silence is no empty value.
  if (!facts.remoteSpeaks) return 'silent';
  // A person took the body markers out: headings rule again, and neither side is written.
  if (!facts.localSpeaks) return 'no_local_word';
  // The same edit on both sides, or our own push coming back.
  if (facts.same) return localChanged || remoteChanged ? 'both_same' : 'equal';
  // They differ in words only: rewritten or cut upstream when it was pushed.
  if (known && !localChanged && !remoteChanged) return 'equal';
  if (known && !localChanged) return 'remote_changed';
  if (known && !remoteChanged) return mayPush(facts) ?? 'local_changed';
  // Both changed, or nobody knows who did: no base.
  if (facts.mergeable) return 'merged';
  return localWins(facts) ? 'conflict_local_wins' : 'conflict_remote_wins';
}

function mayPush({ pushed, writable }: FieldFacts): Reason | null {
  if (!writable) return 'not_writable';
  return pushed ? null : 'not_pushed';
}

function localWins({ prefer, localIsNewer }: FieldFacts): boolean {
  return prefer === 'local' || (prefer === 'newest' && localIsNewer);
}

/** The file's value is written upstream. */
export function goesUp(reason: Reason): boolean {
  return reason === 'local_changed' || reason === 'merged' || reason === 'conflict_local_wins';
}

/** The tracker's value (or the merge) is written into the file. */
export function comesDown(reason: Reason): boolean {
  return reason === 'remote_changed' || reason === 'merged' || reason === 'conflict_remote_wins';
}
