// Did you mean: the known word nearest to a mistyped one.

const MAX_LENGTH = 64; // Longer words are no typos; the bound keeps the work constant.

/** The nearest candidate with at most a third of its letters changed (case does not count), else the only one that
 * starts with `word`, else null. */
export function suggest(word: string, candidates: readonly string[]): string | null {
  const wanted = word.trim().toLowerCase();
  if (wanted === '' || wanted.length > MAX_LENGTH) return null;
  let best: string | null = null;
  let bestDistance = Number.POSITIVE_INFINITY;
  for (const candidate of candidates) {
    const known = candidate.toLowerCase();
    const allowed = Math.max(1, Math.floor(Math.max(wanted.length, known.length) / 3));
    if (Math.abs(known.length - wanted.length) > allowed || known.length > MAX_LENGTH) continue;
    const distance = editDistance(wanted, known);
    // A word of one or two letters is one edit from everything: it may only swap or change case.
    if (distance > allowed || distance >= wanted.length) continue;
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  if (best !== null) return best;
  const started = candidates.filter((candidate) => candidate.toLowerCase().startsWith(wanted));
  return started.length === 1 && wanted.length >= 2 ? started[0]! : null;
}

export function unknownWord(what: string, word: unknown, known: readonly string[]) {
  const near = typeof word === 'string' ? suggest(word, known) : null;
  return {
    message: `unknown ${what} ${JSON.stringify(word)}`,
    hint: `${near === null ? '' : `did you mean ${near}? `}known: ${known.join(', ')}`,
  };
}

/** Optimal string alignment distance. */
export function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1];
      let cost = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + (same ? 0 : 1));
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (swapped) cost = Math.min(cost, beforeLast[j - 2]! + 1);
      row.push(cost);
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length]!;
}
