// Whose words stand in a file that opens rights: its person's, or what an agent may have written while its turn ran. Pure;
// table-tested. Invariant: a change that an agent may have made never counts before a person says so.

/** What a file says now, against what was known of it. */
export interface WordsChange {
  /** Null where the file was never seen. */
  known: SaidWords | null;
  now: readonly string[];
  /** A turn of an agent ran when the file was last changed, so that the agent may have changed it. */
  turnRan: boolean;
  /** Whoever made the file is not the person: a mirror, or an agent. */
  isOthers: boolean;
}

export interface SaidWords {
  /** As a person said them last: these count. */
  said: readonly string[];
  /** As they stood there last, whoever wrote that. */
  seen: readonly string[];
}

/** What is remembered of the file then. Null when nothing is new. */
export function rememberedWords(change: WordsChange): SaidWords | null {
  const { known, now, turnRan, isOthers } = change;
  if (known === null) {
    if (now.length === 0) return null;
    return { said: turnRan || isOthers ? [] : [...now], seen: [...now] };
  }
  if (sameWords(known.seen, now)) return null;
  return { said: turnRan ? [...known.said] : [...now], seen: [...now] };
}

export function sameWords(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((word, at) => word === other[at]);
}
