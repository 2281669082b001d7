// Which spans of a YAML source to replace for a new value of one top-level key, whatever form the old one has. Items of a
// list that stay keep their place, quotes and comments. document.ts reads the result again.
import type { CST, Node, Pair, Scalar, YAMLMap, YAMLSeq } from 'yaml';
import { isAlias, isMap, isNode, isScalar, isSeq, visit } from 'yaml';
import { RoomError } from '../errors.ts';
import { endWithoutBlanks } from '../markdown/lines.ts';
import { type Edit, sharedEnds } from './edits.ts';
import { keyName } from './yaml-read.ts';
import type { Item as NewItem, Quote, Value } from './yaml-scalar.ts';
import { formatItem, formatPair, formatValue } from './yaml-scalar.ts';

type Source = { source: string; eol: string; map: YAMLMap | null };

/** Edits that give `key` this value, undefined to remove it. Throws RoomError `conflict` when another key refers to it. */
export function yamlEdits(from: Source, key: string, value: Value | undefined): Edit[] {
  const index = from.map?.items.findIndex((item) => keyName(item.key) === key) ?? -1;
  if (from.map === null || index < 0) return value === undefined ? [] : [insertion(from, key, value)];
  const pair = from.map.items[index]!;
  refuseShared(from.map, pair, key);
  if (value === undefined) return removal(from.source, from.map, index);
  return replacement(from, pair, from.map.flow === true, value);
}

/** Another key that names part of this pair by an alias would change with it, or lose what it names. */
function refuseShared(map: YAMLMap, pair: Pair, key: string): void {
  const anchors = nodesOf(pair).flatMap((node) => (isAlias(node) ? [] : (node.anchor ?? [])));
  for (const other of map.items) {
    if (other === pair) continue;
    const shared = nodesOf(other).find((node) => isAlias(node) && anchors.includes(node.source));
    if (!isAlias(shared)) continue;
    const name = JSON.stringify(keyName(other.key) ?? '');
    throw conflict(key, `it carries the anchor &${shared.source}, which ${name} refers to`);
  }
}

function nodesOf(pair: Pair): Node[] {
  const nodes: Node[] = [];
  for (const part of [pair.key, pair.value])
    if (isNode(part)) visit(part, { Node: (_, node) => void nodes.push(node) });
  return nodes;
}

function insertion({ source, eol, map }: Source, key: string, value: Value): Edit {
  const flow = map?.flow === true;
  const line = formatPair(key, value, flow);
  const last = map?.items.at(-1)?.srcToken;
  if (!map || !flow) {
    const first = map?.items[0]?.srcToken;
    const indent = first ? (indentBefore(source, pairStart(first)) ?? '') : '';
    return { start: source.length, end: source.length, insert: indent + line + eol };
  }
  const at = last ? pairEnd(last) : (map.range?.[0] ?? 0) + 1;
  return { start: at, end: at, insert: last ? `, ${line}` : line };
}

function removal(source: string, map: YAMLMap, index: number): Edit[] {
  const pairs = map.items.map((item) => item.srcToken!);
  const pair = pairs[index]!;
  if (map.flow !== true)
    return [{ start: lineStart(source, pairStart(pair)), end: lineAfter(source, pairEnd(pair)), insert: '' }];
  if (index > 0) return [{ start: pairEnd(pairs[index - 1]!), end: pairEnd(pair), insert: '' }];
  const next = pairs[1];
  if (next) return [{ start: pairStart(pair), end: pairStart(next), insert: '' }];
  const only = { start: pairStart(pair), end: pairEnd(pair), insert: '' };
  const after = map.srcToken?.type === 'flow-collection' ? map.srcToken.items[1]?.start : undefined;
  const comma = after?.find((token) => token.type === 'comma');
  return comma ? [only, { start: comma.offset, end: comma.offset + 1, insert: '' }] : [only];
}

function replacement(from: Source, pair: Pair, flow: boolean, value: Value): Edit[] {
  const node = pair.value as Node | null;
  if (isNode(node) && !isAlias(node) && node.tag) refuseTag(pair, node.tag, value);
  if (isSeq(node) && Array.isArray(value)) {
    const edits = listEdits(from, node, value);
    if (edits) return edits;
  }
  const written = formatValue(value, { flow, quote: isScalar(node) ? quoteOf(node) : 'plain' });
  const token = pair.srcToken!;
  if (!token.value || (isScalar(node) && node.range?.[0] === node.range?.[1]))
    return [fillSlot(from, token, flow, written)];
  if (token.value.type === 'block-scalar') {
    const { header, headerLineEnd, end } = blockScalar(token.value);
    return [
      { start: header.offset, end: header.offset + header.source.length, insert: written },
      { start: headerLineEnd, end: Math.max(headerLineEnd, end), insert: '' },
    ];
  }
  const [start, end] = [token.value.offset, contentEnd(token.value)];
  const isBlock = (isMap(node) || isSeq(node)) && node.flow !== true;
  if (!isBlock || indentBefore(from.source, start) === null) return [{ start, end, insert: written }];
  return [
    { start: valueSlot(token).at, end: valueSlot(token).at, insert: ` ${written}` },
    { start: lineStart(from.source, start), end: lineAfter(from.source, end), insert: '' },
  ];
}

const YAML_TAG = 'tag:yaml.org,2002:';

/** A YAML tag stays in front of the value, so it has to be right for the new one. */
function refuseTag(pair: Pair, tag: string, value: Value): void {
  if (!tag.startsWith(YAML_TAG)) return;
  const kind = tag.slice(YAML_TAG.length);
  const isRight =
    (kind === 'str' && typeof value === 'string') ||
    (kind === 'seq' && Array.isArray(value)) ||
    (kind === 'bool' && typeof value === 'boolean') ||
    (kind === 'float' && typeof value === 'number') ||
    (kind === 'int' && Number.isInteger(value));
  if (!isRight) throw conflict(keyName(pair.key) ?? '', `it carries the tag !!${kind}`);
}

function fillSlot({ source, eol }: Source, token: MapToken, flow: boolean, written: string): Edit {
  const { at, hasColon } = valueSlot(token);
  if (hasColon) return { start: at, end: at, insert: ` ${written}` };
  if (flow) return { start: at, end: at, insert: `: ${written}` };
  const next = lineAfter(source, at);
  const indent = indentBefore(source, pairStart(token)) ?? '';
  return { start: next, end: next, insert: `${indent}: ${written}${eol}` };
}

export const conflict = (key: string, why: string): RoomError =>
  new RoomError('conflict', `${JSON.stringify(key)} can not be changed here: ${why}`, {
    hint: 'edit the front matter by hand',
  });

interface Item {
  value: unknown; // The text, or a map as JSON.
  isMap: boolean;
  start: number;
  end: number;
  quote: Quote;
  dash: number; // Offset of the `-` in a block list.
}

/** Edits that give the list in `node` these values. Null when the whole list must be written again: an empty list, or items
 * that are neither plain or quoted values nor maps that stay or go whole. */
function listEdits(from: Source, node: YAMLSeq, given: readonly NewItem[]): Edit[] | null {
  const values = given.map(textOf);
  const items = itemsOf(node);
  const flow = node.flow === true;
  if (items === null || items.length === 0 || values.length === 0) return null;
  if (!flow && items.some((item) => indentBefore(from.source, item.dash) === null)) return null;
  const { head, tail } = sharedEnds<unknown>(
    items.map((item) => item.value),
    values,
  );
  const old = items.slice(head, items.length - tail);
  const fresh = given.slice(head, given.length - tail);
  const common = Math.min(old.length, fresh.length);
  if (old.slice(0, common).some((item) => item.isMap)) return null;
  const edits: Edit[] = old.slice(0, common).flatMap((item, i) => {
    const insert = formatItem(fresh[i]!, { flow, quote: item.quote });
    return item.value === textOf(fresh[i]!) ? [] : [{ start: item.start, end: item.end, insert }];
  });
  const at = head + common;
  const added = fresh.slice(common);
  if (flow) edits.push(...flowTail(items, at, old.length - common, added));
  else edits.push(...blockTail(from, items, at, old.length - common, added));
  return edits;
}

function quoteOf(node: Scalar): Quote {
  if (node.type === 'QUOTE_DOUBLE') return 'double';
  return node.type === 'QUOTE_SINGLE' ? 'single' : 'plain';
}

const textOf = (item: NewItem): string => (typeof item === 'string' ? item : JSON.stringify(item));

function itemsOf(node: YAMLSeq): Item[] | null {
  const list = node.srcToken;
  if (list?.type !== 'block-seq' && list?.type !== 'flow-collection') return null;
  const items: Item[] = [];
  for (const [i, item] of node.items.entries()) {
    const token = list.items[i];
    if ((!isScalar(item) && !isMap(item)) || !token?.value || item.anchor || item.tag) return null;
    if (isScalar(item) && item.type?.startsWith('BLOCK')) return null;
    const [start, scalarEnd] = item.range!;
    const end = isMap(item) ? contentEnd(token.value) : scalarEnd;
    if (start === end) return null;
    const dash = token.start.find((part) => part.type === 'seq-item-ind')?.offset ?? start;
    const value = isMap(item) ? JSON.stringify(item) : item.value;
    items.push({ value, isMap: isMap(item), start, end, quote: isMap(item) ? 'plain' : quoteOf(item), dash });
  }
  return items;
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
  { source: yaml, eol }: Source,
  items: readonly Item[],
  at: number,
  gone: number,
  added: readonly NewItem[],
): Edit[] {
  const removed = items
    .slice(at, at + gone)
    .map((item) => ({ start: lineStart(yaml, item.dash), end: lineAfter(yaml, item.end), insert: '' }));
  if (added.length === 0) return removed;
  const indent = indentBefore(yaml, items[0]!.dash) ?? '';
  const lines = added.map((item) => `${indent}- ${formatItem(item, { flow: false, quote: 'plain' })}${eol}`);
  const start = at > 0 ? lineAfter(yaml, items[at - 1]!.end) : lineStart(yaml, items[0]!.dash);
  return [...removed, { start, end: start, insert: lines.join('') }];
}

// Where a pair of a map begins and ends in the source, without the space, line ends and comments around it.

type MapToken = NonNullable<Pair['srcToken']>;
type SourceToken = { type: string; offset: number; source: string };

const BLANK = new Set(['space', 'newline', 'comment', 'comma']);

/** Offset of the pair's first token: an explicit `?`, an anchor, a tag or the key. */
const pairStart = (pair: MapToken) => solid(pair.start)[0]?.offset ?? pair.key?.offset ?? 0;
const pairEnd = (pair: MapToken) => (pair.value ? contentEnd(pair.value) : valueSlot(pair).at);

/** Where a missing value can be inserted: behind the colon and the value's own anchor and tag. */
function valueSlot(pair: MapToken): { at: number; hasColon: boolean } {
  const last = solid(pair.sep ?? []).at(-1);
  if (last) return { at: last.offset + last.source.length, hasColon: true };
  if (pair.key) return { at: contentEnd(pair.key), hasColon: false };
  const first = solid(pair.start).at(-1);
  return { at: first ? first.offset + first.source.length : 0, hasColon: false };
}

/** Behind the last character; for a block the end of its last line with content. */
function contentEnd(token: CST.Token): number {
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
function blockScalar(token: CST.BlockScalar) {
  const props = token.props as SourceToken[];
  const header = props.find((prop) => prop.type === 'block-scalar-header')!;
  const last = props.filter((prop) => prop.type !== 'newline').at(-1)!;
  const newline = props.find((prop) => prop.type === 'newline');
  const headerLineEnd = last.offset + last.source.length;
  const content = endWithoutBlanks(token.source);
  const bodyStart = newline ? newline.offset + newline.source.length : headerLineEnd;
  return { header, headerLineEnd, end: content === 0 ? headerLineEnd : bodyStart + content };
}

const lineStart = (text: string, at: number): number => text.lastIndexOf('\n', at - 1) + 1;

function lineAfter(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end + 1;
}

/** The space before an offset on its line, or null when something else stands there. */
function indentBefore(text: string, at: number): string | null {
  const before = text.slice(lineStart(text, at), at);
  return /^[ \t]*$/.test(before) ? before : null;
}

const solid = (tokens: readonly SourceToken[]) => tokens.filter((token) => !BLANK.has(token.type));
