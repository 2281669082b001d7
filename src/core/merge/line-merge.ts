// Diffs and three-way merges of lines in bounded time. Where both changed one place, `theirs` stands, then the lines that `ours` added.
import { diffIndices } from 'node-diff3';

/** `from[start, end)` is replaced by `to[toStart, toEnd)`. */
export type Hunk = { start: number; end: number; toStart: number; toEnd: number };

const MAX_STEPS = 4_000_000; // Longest common subsequence: rows × columns steps; this many take 20 ms.

/** What turns `from` into `to`: hunks in order, none touching another. */
export function lineHunks(from: readonly string[], to: readonly string[]): Hunk[] {
  const all = { start: 0, end: from.length, toStart: 0, toEnd: to.length };
  const hunks: Hunk[] = [];
  const middle = trim(from, to, all);
  if (steps(middle) <= MAX_STEPS) return join(exact(from, to, middle));
  let last = middle;
  for (const [at, toAt] of [...anchors(from, to, middle), [middle.end, middle.toEnd] as const]) {
    hunks.push(...between(from, to, { start: last.start, end: at, toStart: last.toStart, toEnd: toAt }));
    last = { ...last, start: at + 1, toStart: toAt + 1 };
  }
  return join(hunks);
}

const steps = (span: Hunk): number => (span.end - span.start) * (span.toEnd - span.toStart);

function between(from: readonly string[], to: readonly string[], span: Hunk): Hunk[] {
  const middle = trim(from, to, span);
  return steps(middle) <= MAX_STEPS / 16 ? exact(from, to, middle) : [middle];
}

function trim(from: readonly string[], to: readonly string[], span: Hunk): Hunk {
  let { start, end, toStart, toEnd } = span;
  while (start < end && toStart < toEnd && from[start] === to[toStart]) {
    start += 1;
    toStart += 1;
  }
  while (start < end && toStart < toEnd && from[end - 1] === to[toEnd - 1]) {
    end -= 1;
    toEnd -= 1;
  }
  return { start, end, toStart, toEnd };
}

function exact(from: readonly string[], to: readonly string[], span: Hunk): Hunk[] {
  const { start, end, toStart, toEnd } = span;
  if (start === end || toStart === toEnd) return start === end && toStart === toEnd ? [] : [span];
  return diffIndices(from.slice(start, end), to.slice(toStart, toEnd)).map(({ buffer1, buffer2 }) => ({
    start: start + buffer1[0],
    end: start + buffer1[0] + buffer1[1],
    toStart: toStart + buffer2[0],
    toEnd: toStart + buffer2[0] + buffer2[1],
  }));
}

function join(hunks: readonly Hunk[]): Hunk[] {
  const joined: Hunk[] = [];
  for (const hunk of hunks) {
    const last = joined.at(-1);
    if (last && last.end === hunk.start && last.toEnd === hunk.toStart) {
      joined[joined.length - 1] = { ...last, end: hunk.end, toEnd: hunk.toEnd };
    } else if (hunk.start < hunk.end || hunk.toStart < hunk.toEnd) joined.push(hunk);
  }
  return joined;
}

/** Equal lines that stand once on each side, the longest run in order on both (patience diff). */
function anchors(from: readonly string[], to: readonly string[], span: Hunk): [number, number][] {
  const inFrom = uniqueLines(from, span.start, span.end);
  const inTo = uniqueLines(to, span.toStart, span.toEnd);
  const pairs: [number, number][] = [];
  for (const [line, at] of inFrom) {
    const toAt = inTo.get(line);
    if (at >= 0 && toAt !== undefined && toAt >= 0) pairs.push([at, toAt]);
  }
  pairs.sort((a, b) => a[0] - b[0]);
  return longestRise(pairs);
}

function uniqueLines(lines: readonly string[], start: number, end: number): Map<string, number> {
  const found = new Map<string, number>();
  for (let at = start; at < end; at += 1) found.set(lines[at]!, found.has(lines[at]!) ? -1 : at);
  return found;
}

function longestRise(pairs: readonly [number, number][]): [number, number][] {
  const tails: number[] = [];
  const previous: number[] = [];
  for (const [index, pair] of pairs.entries()) {
    let low = 0;
    let high = tails.length;
    while (low < high) {
      const half = (low + high) >> 1;
      if (pairs[tails[half]!]![1] < pair[1]) low = half + 1;
      else high = half;
    }
    previous.push(low > 0 ? tails[low - 1]! : -1);
    tails[low] = index;
  }
  const rise: [number, number][] = [];
  for (let at = tails.at(-1) ?? -1; at >= 0; at = previous[at]!) rise.push(pairs[at]!);
  return rise.reverse();
}

export function mergeLines(base: readonly string[], ours: readonly string[], theirs: readonly string[]) {
  const mine = lineHunks(base, ours);
  const yours = lineHunks(base, theirs);
  const lines: string[] = [];
  const conflicts: Record<'base' | 'ours' | 'theirs', string[]>[] = [];
  let at = 0;
  for (let m = 0, y = 0; m < mine.length || y < yours.length; ) {
    const group = nextGroup(mine, m, yours, y);
    for (; at < group.start; at += 1) lines.push(base[at]!);
    at = group.end;
    const ourHunks = mine.slice(m, group.m);
    const theirHunks = yours.slice(y, group.y);
    m = group.m;
    y = group.y;
    if (theirHunks.length === 0 || ourHunks.length === 0) {
      const [hunks, side] = ourHunks.length > 0 ? [ourHunks, ours] : [theirHunks, theirs];
      push(lines, side.slice(hunks[0]!.toStart, hunks[0]!.toEnd));
      continue;
    }
    const theirPart = partOf(theirs, theirHunks, group);
    const ourPart = partOf(ours, ourHunks, group);
    push(lines, theirPart);
    if (equal(ourPart, theirPart)) continue;
    conflicts.push({ base: base.slice(group.start, group.end), ours: ourPart, theirs: theirPart });
    for (const hunk of ourHunks) {
      const added = ours.slice(hunk.toStart, hunk.toEnd);
      if (!contains(theirPart, added)) push(lines, added);
    }
  }
  for (; at < base.length; at += 1) lines.push(base[at]!);
  return { lines, conflicts };
}

type Group = { start: number; end: number; m: number; y: number };

/** The next changed place, grown over every hunk that overlaps or touches it. */
function nextGroup(mine: readonly Hunk[], m: number, yours: readonly Hunk[], y: number): Group {
  const start = Math.min(
    mine[m]?.start ?? Number.POSITIVE_INFINITY,
    yours[y]?.start ?? Number.POSITIVE_INFINITY,
  );
  const group = { start, end: start, m, y };
  for (let grown = true; grown; ) {
    grown = false;
    for (; group.m < mine.length && mine[group.m]!.start <= group.end; group.m += 1, grown = true)
      group.end = Math.max(group.end, mine[group.m]!.end);
    for (; group.y < yours.length && yours[group.y]!.start <= group.end; group.y += 1, grown = true)
      group.end = Math.max(group.end, yours[group.y]!.end);
  }
  return group;
}

/** What a side says where base has `[group.start, group.end)`. */
function partOf(side: readonly string[], hunks: readonly Hunk[], group: Group): string[] {
  const first = hunks[0]!;
  const last = hunks.at(-1)!;
  return side.slice(first.toStart - (first.start - group.start), last.toEnd + (group.end - last.end));
}

function push(lines: string[], more: readonly string[]): void {
  // Not a spread: a call takes only so many arguments.
  for (const line of more) lines.push(line);
}

const equal = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((line, at) => line === b[at]);

function contains(lines: readonly string[], run: readonly string[]): boolean {
  for (let at = 0; at + run.length <= lines.length; at += 1) {
    if (run.every((line, offset) => line === lines[at + offset])) return true;
  }
  return false;
}
