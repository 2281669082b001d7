// What people typed, by unique words: each has to stand somewhere until a person who saw it took it out.
const WORD = /\b(?:lab|w)\d+x\b/g;

export type Words = ReturnType<typeof createMemoryOfWords>;

export const wordsOf = (text: string): Set<string> => new Set(text.match(WORD));

export function createMemoryOfWords() {
  const kept = new Set<string>();
  const foreign = new Set<string>();
  const out = new Set<string>();
  let count = 0;
  return {
    fresh(prefix: 'w' | 'lab' = 'w') {
      count += 1;
      return `${prefix}${count}x`;
    },
    /** A person replaced a text they saw. */
    edited(before: string, after: string) {
      const now = wordsOf(after);
      for (const word of wordsOf(before)) if (!now.has(word)) kept.delete(word);
      for (const word of now) if (!wordsOf(before).has(word)) kept.add(word);
    },
    /** A person took out all of it. */
    dropped(text: string) {
      for (const word of wordsOf(text)) kept.delete(word);
    },
    /** It was typed, and nobody took it out since. */
    holds: (word: string) => kept.has(word),
    /** A person took these comment entries out of a file. */
    takeOut(text: string) {
      for (const [, entry] of text.matchAll(/<!-- c:(\S+) -->/g)) out.add(entry!);
    },
    tookOut: (entry: string) => out.has(entry),
    /** What is new in a stranger's text: to be read by a person before any turn. */
    distrust(before: string, after: string) {
      for (const word of wordsOf(after)) if (!wordsOf(before).has(word)) foreign.add(word);
    },
    /** A person read this and let it run. */
    release(text: string) {
      for (const word of wordsOf(text)) foreign.delete(word);
    },
    /** Strangers' words in a text that no person read. */
    unread: (text: string) => [...wordsOf(text)].filter((word) => foreign.has(word)),
    /** Those that nobody took out and no text holds. */
    lostFrom(texts: readonly string[]) {
      const held = new Set(texts.flatMap((text) => [...wordsOf(text)]));
      return [...kept].filter((word) => !held.has(word));
    },
  };
}
