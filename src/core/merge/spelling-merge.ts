// Merges two texts that mean the same in two spellings (a file and a tracker that rewrites markdown). Edits of either
// side go into the other; every other line keeps its side's spelling.
import { type Hunk, lineHunks, mergeLines } from './line-merge.ts';

/** At the last agreement and now, with `\n` line ends. */
export type TwoSpellings = { localBase: string; remoteBase: string; local: string; remote: string };

/** `localBase[local, localEnd)` means the same as `remoteBase[remote, remoteEnd)`. */
type Unit = { local: number; localEnd: number; remote: number; remoteEnd: number };

/** Null when both changed one place differently. @param meaningOf lines of the same meaning are one line in two spellings */
export function mergeSpellings(texts: TwoSpellings, meaningOf: (line: string) => string) {
  const [localBase, remoteBase, local, remote] = [
    texts.localBase,
    texts.remoteBase,
    texts.local,
    texts.remote,
  ].map((text) => text.split('\n')) as [string[], string[], string[], string[]];
  const key = (line: string) =>
    isBlank(line) ? '' : `${/^[ \t]*/.exec(line)![0].length} ${meaningOf(line)}`;
  const units = unitsOf(localBase, remoteBase, key);
  const places = units.map((_, at) => `=${at}`);
  const here = units.map((unit): [number, number] => [unit.local, unit.localEnd]);
  const there = units.map((unit): [number, number] => [unit.remote, unit.remoteEnd]);
  const ours = readSide(localBase, local, key, here);
  const theirs = readSide(remoteBase, remote, key, there);
  const { lines, conflicts } = mergeLines(places, ours.tokens, theirs.tokens);
  if (conflicts.length > 0) return null;
  return { local: spelled(lines, ours), remote: spelled(lines, theirs) };
}

/** Cuts both bases into the same row of units: lines where the meaning is the same, else one piece. */
function unitsOf(local: readonly string[], remote: readonly string[], key: (line: string) => string): Unit[] {
  const units: Unit[] = [];
  let [at, to] = [0, 0];
  const pair = (end: number): void => {
    for (; at < end; at += 1, to += 1)
      units.push({ local: at, localEnd: at + 1, remote: to, remoteEnd: to + 1 });
  };
  // A blank line is no landmark: a line that is spelled too differently to be known again must not straddle one.
  const landmarks = (lines: readonly string[], side: string) =>
    lines.map((line, index) => (isBlank(line) ? `${side} ${index}` : key(line)));
  for (const hunk of lineHunks(landmarks(local, 'local'), landmarks(remote, 'remote'))) {
    pair(hunk.start);
    let [front, back] = [0, 0];
    const length = Math.min(hunk.end - hunk.start, hunk.toEnd - hunk.toStart);
    while (front < length && isBlank(local[at + front]) && isBlank(remote[to + front])) front += 1;
    const rest = length - front;
    while (back < rest && isBlank(local[hunk.end - 1 - back]) && isBlank(remote[hunk.toEnd - 1 - back]))
      back += 1;
    pair(at + front);
    const [localEnd, remoteEnd] = [hunk.end - back, hunk.toEnd - back];
    if (at < localEnd || to < remoteEnd) units.push({ local: at, localEnd, remote: to, remoteEnd });
    [at, to] = [localEnd, remoteEnd];
    pair(hunk.end);
  }
  pair(local.length);
  return units;
}

const isBlank = (line: string | undefined): boolean => line?.trim() === '';

/** Units that the side left alone (`=<index>`) with its letters for each, and its own lines (`+<line>`). */
type Side = { tokens: string[]; spellings: Map<number, readonly string[]> };

function readSide(
  base: readonly string[],
  now: readonly string[],
  key: (line: string) => string,
  spans: readonly (readonly [number, number])[],
): Side {
  const { kept, added } = changesOf(base, now, key);
  const side: Side = { tokens: [], spellings: new Map() };
  const put = (at: number): void => {
    for (const line of added.get(at) ?? []) side.tokens.push(`+${line}`);
    added.delete(at);
  };
  for (const [index, [start, end]] of spans.entries()) {
    // Where the side has no line for the unit, changes at this place come after it.
    if (start < end) put(start);
    const lines = kept.slice(start, end);
    const isWhole =
      start === end
        ? start === 0 || start === base.length || kept[start - 1] !== null || kept[start] !== null
        : lines.every((line) => line !== null) && !lines.some((_, at) => at > 0 && added.has(start + at));
    if (isWhole) {
      side.tokens.push(`=${index}`);
      side.spellings.set(index, lines as string[]);
    } else
      for (const [at, line] of lines.entries()) {
        put(start + at);
        if (line !== null) side.tokens.push(`+${line}`);
      }
  }
  put(base.length);
  return side;
}

/** Each line of the base as it stands (null: gone or edited, not only spelt otherwise), and what was put in front of each. */
function changesOf(base: readonly string[], now: readonly string[], key: (line: string) => string) {
  const kept: (string | null)[] = [];
  const added = new Map<number, readonly string[]>();
  let to = 0;
  for (const { start, end, toStart, toEnd } of edits(base, now, key)) {
    for (; kept.length < start; to += 1) kept.push(now[to]!);
    for (let at = start; at < end; at += 1) kept.push(null);
    added.set(start, now.slice(toStart, toEnd));
    to = toEnd;
  }
  for (; kept.length < base.length; to += 1) kept.push(now[to]!);
  return { kept, added };
}

const edits = (base: readonly string[], now: readonly string[], key: (line: string) => string): Hunk[] =>
  lineHunks(base, now).flatMap(({ start, end, toStart, toEnd }) =>
    lineHunks(base.slice(start, end).map(key), now.slice(toStart, toEnd).map(key)).map((hunk) => ({
      start: start + hunk.start,
      end: start + hunk.end,
      toStart: toStart + hunk.toStart,
      toEnd: toStart + hunk.toEnd,
    })),
  );

const spelled = (tokens: readonly string[], { spellings }: Side): string =>
  tokens
    .flatMap((token) =>
      token.startsWith('=') ? (spellings.get(Number(token.slice(1))) ?? []) : [token.slice(1)],
    )
    .join('\n');
