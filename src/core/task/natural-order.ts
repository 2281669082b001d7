// Names as people order them: T2 before T10.

const DIGITS = /^\d+/;

/** Negative where `a` comes first. Numbers in names compare by their value, all else by its characters. */
export function compareNames(a: string, b: string): number {
  let at = 0;
  while (at < a.length && at < b.length && a[at] === b[at]) at += 1;
  // A number that both begin before the difference is compared whole.
  let start = at;
  while (start > 0 && isDigit(a[start - 1])) start -= 1;
  const first = DIGITS.exec(a.slice(start))?.[0].replace(/^0+(?=\d)/, '');
  const second = DIGITS.exec(b.slice(start))?.[0].replace(/^0+(?=\d)/, '');
  if (first !== undefined && second !== undefined && first !== second)
    return first.length - second.length || (first < second ? -1 : 1);
  return a < b ? -1 : Number(a > b);
}

const isDigit = (character: string | undefined): boolean =>
  character !== undefined && character >= '0' && character <= '9';
