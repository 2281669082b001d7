// Words to fill rooms and trackers with, the same for the same seed.

const WORDS = (
  'the a and of to with for on review check list fix move write login redirect queue parser index cache record ' +
  'error code folder token person agent version report build release plan change small open slow first last old new ' +
  'path test branch merge note line column reader writer before after between without risk answer question'
).split(' ');

export function pick<T>(random: () => number, from: readonly T[]): T {
  return from[Math.floor(random() * from.length)]!;
}

export function sentence(random: () => number, words: number): string {
  const text = Array.from({ length: words }, () => pick(random, WORDS)).join(' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Sentences of nine words, one a line. */
export function paragraph(random: () => number, sentences: number): string {
  return Array.from({ length: sentences }, () => `${sentence(random, 9)}.`).join('\n');
}
