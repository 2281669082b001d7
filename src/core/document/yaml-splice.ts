// Which span of a YAML source to replace for a new value of one top-level key, whatever form the old one has.
// What these spans give is not trusted: yaml-edit.ts reads it again.
import { isAlias, isMap, isNode, isScalar, isSeq, type Node, type Pair, visit, type YAMLMap } from 'yaml';
import { RoomError } from '../errors.ts';
import type { Edit } from './edits.ts';
import { listEdits, quoteOf } from './yaml-list.ts';
import { keyName } from './yaml-read.ts';
import { formatPair, formatValue, type Value } from './yaml-scalar.ts';
import {
  blockScalar,
  contentEnd,
  indentBefore,
  lineAfter,
  lineStart,
  type MapToken,
  pairEnd,
  pairStart,
  valueSlot,
} from './yaml-spans.ts';

export interface Source {
  source: string;
  eol: string;
  map: YAMLMap | null;
}

/**
 * Spans of `source` that give `key` this value, or take it out when undefined. Throws RoomError `conflict` when
 * another key refers to it.
 */
export function yamlEdits(from: Source, key: string, value: Value | undefined): Edit[] {
  const index = from.map?.items.findIndex((item) => keyName(item.key) === key) ?? -1;
  if (from.map === null || index < 0) return value === undefined ? [] : [insertion(from, key, value)];
  const pair = from.map.items[index]!;
  refuseShared(from.map, pair, key);
  if (value === undefined) return removal(from.source, from.map, index);
  return replacement(from, pair, from.map.flow === true, value);
}

/** Other keys that repeat part of this pair through an alias would change with it, or lose what they name. */
function refuseShared(map: YAMLMap, pair: Pair, key: string): void {
  const anchors = new Set<string>();
  visitPair(pair, (node) => {
    if (!isAlias(node) && node.anchor) anchors.add(node.anchor);
  });
  if (anchors.size === 0) return;
  for (const other of map.items) {
    if (other === pair) continue;
    visitPair(other, (node) => {
      if (!isAlias(node) || !anchors.has(node.source)) return;
      const name = JSON.stringify(keyName(other.key) ?? '');
      throw conflict(key, `it carries the anchor &${node.source}, which ${name} refers to`);
    });
  }
}

function visitPair(pair: Pair, look: (node: Node) => void): void {
  for (const part of [pair.key, pair.value]) {
    if (isNode(part)) visit(part, { Node: (_, node) => look(node) });
  }
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
  if (map.flow !== true) {
    return [{ start: lineStart(source, pairStart(pair)), end: lineAfter(source, pairEnd(pair)), insert: '' }];
  }
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
    const edits = listEdits(from.source, node, value, from.eol);
    if (edits) return edits;
  }
  const quote = isScalar(node) ? quoteOf(node) : 'plain';
  const style = { flow, quote };
  const written = formatValue(value, style);
  const token = pair.srcToken!;
  if (!token.value || (isScalar(node) && node.range?.[0] === node.range?.[1])) {
    return [fillSlot(from, token, flow, written)];
  }
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

export function conflict(key: string, why: string): RoomError {
  return new RoomError('conflict', `${JSON.stringify(key)} can not be changed here: ${why}`, {
    hint: 'edit the front matter by hand',
  });
}
