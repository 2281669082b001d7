// Names as people order them: T2 before T10.

/** Negative where `a` comes first. Numbers in names compare by their value, all else by its characters. */
export function compareNames(a: string, b: string): number {
  let at = 0;
  while (at < a.length && at < b.length && a.charCodeAt(at) === b.charCodeAt(at)) at += 1;
  // A number that both begin before the difference is compared whole.
  let start = at;
  while (start > 0 && isDigit(a, start - 1)) start -= 1;
  const [first, second] = [endOfDigits(a, at), endOfDigits(b, at)];
  if (first > start && second > start) {
    const [one, other] = [afterZeros(a, start, first), afterZeros(b, start, second)];
    if (first - one !== second - other) return first - one - (second - other);
    for (let digit = 0; one + digit < first; digit += 1) {
      const difference = a.charCodeAt(one + digit) - b.charCodeAt(other + digit);
      if (difference !== 0) return difference;
    }
    const rest = compareNames(a.slice(first), b.slice(second));
    if (rest !== 0) return rest;
  }
  return a < b ? -1 : Number(a > b);
}

function endOfDigits(text: string, from: number): number {
  let end = from;
  while (isDigit(text, end)) end += 1;
  return end;
}

/** Where the number at `from` has its first digit that counts; its last one where it is 0. */
function afterZeros(text: string, from: number, end: number): number {
  let at = from;
  while (at < end - 1 && text[at] === '0') at += 1;
  return at;
}

function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 48 && code <= 57;
}
