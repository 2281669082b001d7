// Which lines of a monitor's output are reported: those that hold one of its words, case ignored. No pattern language: the
// words come from an agent, and looking for them must never take long.

export const watchWords = (watch: string): string[] =>
  watch
    .split('|')
    .map((word) => word.trim().toLowerCase())
    .filter((word) => word !== '');

export function matchesWatch(words: readonly string[], line: string): boolean {
  const lower = line.toLowerCase();
  return words.some((word) => lower.includes(word));
}
