// Edits that turn a list into another one item by item, so that the items that stay keep their place, their quotes and
// their comments.
import { type CST, isMap, isScalar, type Scalar, type YAMLMap, type YAMLSeq } from 'yaml';
import type { Edit } from './edits.ts';
import { formatItem, type Item as NewItem, type Quote } from './yaml-scalar.ts';
import { contentEnd, indentBefore, lineAfter, lineStart } from './yaml-spans.ts';

interface Item {
  /** A text as it is, a map as JSON. */
  value: unknown;
  isMap: boolean;
  start: number;
  end: number;
  quote: Quote;
  /** Offset of the `-` in a block list. */
  dash: number;
}

/**
 * Edits of `yaml` that give the list in `node` these values, or null when the list has to be written anew:
 * an empty one, or one with items that are neither plain or quoted values nor maps that stay or go whole.
 */
export function listEdits(
  yaml: string,
  node: YAMLSeq,
  given: readonly NewItem[],
  eol: string,
): Edit[] | null {
  const values = given.map(textOf);
  const items = itemsOf(node);
  const flow = node.flow === true;
  if (items === null || items.length === 0 || values.length === 0) return null;
  if (!flow && items.some((item) => indentBefore(yaml, item.dash) === null)) return null;
  const kept = sharedEnds(items, values);
  const old = items.slice(kept.head, items.length - kept.tail);
  const fresh = given.slice(kept.head, given.length - kept.tail);
  const common = Math.min(old.length, fresh.length);
  if (old.slice(0, common).some((item) => item.isMap)) return null;
  const edits: Edit[] = old.slice(0, common).flatMap((item, i) => {
    const insert = formatItem(fresh[i]!, { flow, quote: item.quote });
    return item.value === textOf(fresh[i]!) ? [] : [{ start: item.start, end: item.end, insert }];
  });
  const at = kept.head + common;
  const added = fresh.slice(common);
  if (flow) edits.push(...flowTail(items, at, old.length - common, added));
  else edits.push(...blockTail(yaml, items, at, old.length - common, added, eol));
  return edits;
}

/** The quotes of a scalar, so that a new value can have the same. */
export function quoteOf(node: Scalar): Quote {
  if (node.type === 'QUOTE_DOUBLE') return 'double';
  return node.type === 'QUOTE_SINGLE' ? 'single' : 'plain';
}

function textOf(item: NewItem): string {
  return typeof item === 'string' ? item : JSON.stringify(item);
}

function itemsOf(node: YAMLSeq): Item[] | null {
  const token = node.srcToken;
  if (token?.type !== 'block-seq' && token?.type !== 'flow-collection') return null;
  const items: Item[] = [];
  for (const [i, item] of node.items.entries()) {
    const place = isScalar(item)
      ? scalarSpan(item)
      : isMap(item)
        ? mapSpan(item, token.items[i]?.value)
        : null;
    if (place === null || place.start === place.end) return null;
    const dash = token.items[i]?.start.find((part) => part.type === 'seq-item-ind')?.offset ?? place.start;
    items.push({ ...place, dash });
  }
  return items;
}

type Span = Omit<Item, 'dash'>;

function scalarSpan(item: Scalar): Span | null {
  if (item.anchor || item.tag || item.type?.startsWith('BLOCK')) return null;
  const [start, end] = item.range ?? [0, 0];
  return { value: item.value, isMap: false, start, end, quote: quoteOf(item) };
}

function mapSpan(item: YAMLMap, token: CST.Token | undefined): Span | null {
  if (token === undefined || item.anchor || item.tag) return null;
  const start = item.range?.[0] ?? 0;
  return { value: JSON.stringify(item), isMap: true, start, end: contentEnd(token), quote: 'plain' };
}

function sharedEnds(items: readonly Item[], values: readonly string[]): { head: number; tail: number } {
  const most = Math.min(items.length, values.length);
  let head = 0;
  while (head < most && items[head]!.value === values[head]) head += 1;
  let tail = 0;
  while (tail < most - head && items.at(-1 - tail)!.value === values.at(-1 - tail)) tail += 1;
  return { head, tail };
}

// `at` is the first item that goes, or the place of the first new one; never both.
function flowTail(items: readonly Item[], at: number, gone: number, added: readonly NewItem[]): Edit[] {
  const texts = added.map((item) => formatItem(item, { flow: true, quote: 'plain' }));
  if (at > 0) {
    const start = items[at - 1]!.end;
    if (gone > 0) return [{ start, end: items[at + gone - 1]!.end, insert: '' }];
    return [{ start, end: start, insert: texts.map((text) => `, ${text}`).join('') }];
  }
  const start = items[0]!.start;
  if (gone > 0) return [{ start, end: items[gone]!.start, insert: '' }];
  return [{ start, end: start, insert: texts.map((text) => `${text}, `).join('') }];
}

function blockTail(
  yaml: string,
  items: readonly Item[],
  at: number,
  gone: number,
  added: readonly NewItem[],
  eol: string,
): Edit[] {
  const removed = items.slice(at, at + gone).map((item) => {
    return { start: lineStart(yaml, item.dash), end: lineAfter(yaml, item.end), insert: '' };
  });
  if (added.length === 0) return removed;
  const indent = indentBefore(yaml, items[0]!.dash) ?? '';
  const lines = added.map((item) => `${indent}- ${formatItem(item, { flow: false, quote: 'plain' })}${eol}`);
  const start = at > 0 ? lineAfter(yaml, items[at - 1]!.end) : lineStart(yaml, items[0]!.dash);
  return [...removed, { start, end: start, insert: lines.join('') }];
}
