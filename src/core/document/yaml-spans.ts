// Where a pair of a map begins and ends in the source, without the space, line ends and comments around it.
import type { CST, Pair } from 'yaml';
import { endWithoutBlanks } from '../markdown/lines.ts';

export type MapToken = NonNullable<Pair['srcToken']>;
type SourceToken = { type: string; offset: number; source: string };

const BLANK = new Set(['space', 'newline', 'comment', 'comma']);

/** Offset of the pair's first token: an explicit `?`, an anchor, a tag or the key. */
export const pairStart = (pair: MapToken) => solid(pair.start)[0]?.offset ?? pair.key?.offset ?? 0;
export const pairEnd = (pair: MapToken) => (pair.value ? contentEnd(pair.value) : valueSlot(pair).at);

/** Where a missing value can be inserted: behind the colon and the value's own anchor and tag. */
export function valueSlot(pair: MapToken): { at: number; hasColon: boolean } {
  const last = solid(pair.sep ?? []).at(-1);
  if (last) return { at: last.offset + last.source.length, hasColon: true };
  if (pair.key) return { at: contentEnd(pair.key), hasColon: false };
  const first = solid(pair.start).at(-1);
  return { at: first ? first.offset + first.source.length : 0, hasColon: false };
}

/** Behind the last character; for a block the end of its last line with content. */
export function contentEnd(token: CST.Token): number {
  switch (token.type) {
    case 'block-scalar':
      return blockScalar(token).end;
    case 'flow-collection': {
      const close = token.end.find((end) => end.type === 'flow-map-end' || end.type === 'flow-seq-end');
      return (close ?? token.start).offset + 1;
    }
    case 'block-map':
    case 'block-seq': {
      const ends = token.items.map((item) => pairEnd(item as MapToken));
      return Math.max(token.offset, ...ends.slice(-2));
    }
    default:
      return 'source' in token ? token.offset + token.source.length : token.offset;
  }
}

/** A block scalar's header (`|-`), the end of the header's line, and the end of its last line with content. */
export function blockScalar(token: CST.BlockScalar) {
  const props = token.props as SourceToken[];
  const header = props.find((prop) => prop.type === 'block-scalar-header')!;
  const last = props.filter((prop) => prop.type !== 'newline').at(-1)!;
  const newline = props.find((prop) => prop.type === 'newline');
  const headerLineEnd = last.offset + last.source.length;
  const content = endWithoutBlanks(token.source);
  const bodyStart = newline ? newline.offset + newline.source.length : headerLineEnd;
  return { header, headerLineEnd, end: content === 0 ? headerLineEnd : bodyStart + content };
}

export const lineStart = (text: string, at: number): number => text.lastIndexOf('\n', at - 1) + 1;

export function lineAfter(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end + 1;
}

/** The space before an offset on its line, or null when something else stands there. */
export function indentBefore(text: string, at: number): string | null {
  const before = text.slice(lineStart(text, at), at);
  return /^[ \t]*$/.test(before) ? before : null;
}

const solid = (tokens: readonly SourceToken[]) => tokens.filter((token) => !BLANK.has(token.type));
