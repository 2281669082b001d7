// Names as people order them: T2 before T10.

const DIGITS = /^\d+/;

/** Negative where `a` comes first. Numbers in names compare by their value, all else by its characters. */
export function compareNames(a: string, b: string): number {
  let at = 0;
  while (at < a.length && at < b.length && a[at] === b[at]) at += 1;
  // A number that both begin before the difference is compared whole.
  let start = at;
  while (start > 0 && isDigit(a[start - 1])) start -= 1;
  const first = DIGITS.exec(a.slice(start))?.[0];
  const second = DIGITS.exec(b.slice(start))?.[0];
  if (first !== undefined && second !== undefined) {
    const [one, other] = [withoutZeros(first), withoutZeros(second)];
    if (one !== other) return one.length - other.length || (one < other ? -1 : 1);
    const rest = compareNames(a.slice(start + first.length), b.slice(start + second.length));
    if (rest !== 0) return rest;
  }
  return a < b ? -1 : Number(a > b);
}

const withoutZeros = (digits: string): string => digits.replace(/^0+(?=\d)/, '');

const isDigit = (character: string | undefined): boolean =>
  character !== undefined && character >= '0' && character <= '9';
