// What people typed, by unique words: each has to stand somewhere until a person who saw it took it out.
const WORD = /\b(?:lab|w)\d+x\b/g;

export interface Words {
  fresh(prefix?: 'w' | 'lab'): string;
  /** A person replaced a text they saw. */
  edited(before: string, after: string): void;
  /** A person took out all of it. */
  dropped(text: string): void;
  /** It was typed, and nobody took it out since. */
  holds(word: string): boolean;
  /** A person took these comment entries out of a file. */
  takeOut(text: string): void;
  tookOut(entry: string): boolean;
  /** What is new in a stranger's text: to be read by a person before any turn. */
  distrust(before: string, after: string): void;
  /** A person read this and let it run. */
  release(text: string): void;
  /** Strangers' words in a text that no person read. */
  unread(text: string): string[];
  /** Those that nobody took out and no text holds. */
  lostFrom(texts: readonly string[]): string[];
}

export function wordsOf(text: string): Set<string> {
  return new Set(text.match(WORD));
}

export function createMemoryOfWords(): Words {
  const kept = new Set<string>();
  const foreign = new Set<string>();
  const out = new Set<string>();
  let count = 0;
  return {
    fresh(prefix = 'w') {
      count += 1;
      return `${prefix}${count}x`;
    },
    edited(before, after) {
      const now = wordsOf(after);
      for (const word of wordsOf(before)) if (!now.has(word)) kept.delete(word);
      for (const word of now) if (!wordsOf(before).has(word)) kept.add(word);
    },
    dropped(text) {
      for (const word of wordsOf(text)) kept.delete(word);
    },
    holds: (word) => kept.has(word),
    takeOut(text) {
      for (const [, entry] of text.matchAll(/<!-- c:(\S+) -->/g)) out.add(entry!);
    },
    tookOut: (entry) => out.has(entry),
    distrust(before, after) {
      for (const word of wordsOf(after)) if (!wordsOf(before).has(word)) foreign.add(word);
    },
    release(text) {
      for (const word of wordsOf(text)) foreign.delete(word);
    },
    unread: (text) => [...wordsOf(text)].filter((word) => foreign.has(word)),
    lostFrom(texts) {
      const held = new Set(texts.flatMap((text) => [...wordsOf(text)]));
      return [...kept].filter((word) => !held.has(word));
    },
  };
}
