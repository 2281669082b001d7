// What Linear does to markdown it is given: it is read into a document and written again in Linear's own style. Works
// on the syntax tree, so that nothing but what CommonMark calls a bullet is taken for one.
import { fromMarkdown } from 'mdast-util-from-markdown';

type Node = ReturnType<typeof fromMarkdown> | ReturnType<typeof fromMarkdown>['children'][number];

type Splice = { start: number; end: number; text: string };

const BARE_URL = /https?:\/\/[^\s<>()[\]*`]*[^\s<>()[\]*_`.,;:!?'"]/g;

/** The text as Linear would hand it back. */
export function rewriteMarkdown(text: string): string {
  const source = text.replace(/\r\n?/g, '\n');
  const splices: Splice[] = [];
  const code: [number, number][] = [];
  visit(fromMarkdown(source), source, splices, code);
  // Code is set aside whole, so that blanks in it stay.
  const kept: string[] = [];
  let result = source;
  const cuts = [
    ...splices,
    ...code.map(([start, end]) => ({
      start,
      end,
      text: `\u0000${kept.push(source.slice(start, end)) - 1}\u0000`,
    })),
  ].sort((a, b) => b.start - a.start || b.end - a.end);
  for (const { start, end, text: piece } of cuts) result = result.slice(0, start) + piece + result.slice(end);
  result = result
    .replace(/[ \t]+$/gm, '')
    .replace(/\n{3,}/g, '\n\n')
    .replace(/^\n+|\s+$/g, '');
  return result.replace(/\u0000(\d+)\u0000/g, (_, index: string) => kept[Number(index)] ?? '');
}

function visit(
  node: Node,
  source: string,
  splices: Splice[],
  code: [number, number][],
  inLink = false,
): void {
  const start = node.position?.start.offset ?? 0;
  const end = node.position?.end.offset ?? 0;
  const put = (at: number, length: number, text: string) =>
    splices.push({ start: at, end: at + length, text });
  switch (node.type) {
    case 'code':
      code.push([start, end]);
      return;
    case 'thematicBreak': {
      const lineStart = source.lastIndexOf('\n', start - 1) + 1;
      const bare = source.slice(lineStart, start).trim() === '' && lineStart > 1;
      const before = bare && source[lineStart - 2] !== '\n' ? '\n' : '';
      put(start, end - start, `${before}---`);
      return;
    }
    case 'emphasis':
    case 'strong': {
      const width = node.type === 'strong' ? 2 : 1;
      if (source[start] === '_') {
        put(start, width, '*'.repeat(width));
        put(end - width, width, '*'.repeat(width));
      }
      break;
    }
    case 'heading': {
      const [first, last] = [node.children[0]?.position, node.children.at(-1)?.position];
      const content = first && last ? source.slice(first.start.offset, last.end.offset) : '';
      if (source[start] !== '#' && first && !content.includes('\n')) {
        put(start, 0, `${'#'.repeat(node.depth)} `);
        put(last?.end.offset ?? end, end - (last?.end.offset ?? end), '');
      }
      // A heading stands apart from what follows.
      if (source[end] === '\n' && source[end + 1] !== '\n') put(end, 0, '\n');
      break;
    }
    case 'list':
      renumber(node, source, put);
      break;
    case 'text':
      if (!inLink)
        for (const match of source.slice(start, end).matchAll(BARE_URL))
          put(start + match.index, match[0].length, `<${match[0]}>`);
      return;
  }
  const nested = inLink || node.type === 'link' || node.type === 'linkReference';
  if ('children' in node) for (const child of node.children) visit(child, source, splices, code, nested);
}

type List = Extract<Node, { type: 'list' }>;

/** Bullets become `*`, numbers count up from the first, a ticked box is `[x]`. */
function renumber(list: List, source: string, put: (at: number, length: number, text: string) => void): void {
  list.children.forEach((item, index) => {
    const start = item.position?.start.offset ?? 0;
    const slice = source.slice(start, item.position?.end.offset);
    const marker = /^(?:[-+*]|\d+)/.exec(slice)?.[0] ?? '';
    const wanted = list.ordered ? String((list.start ?? 1) + index) : '*';
    // Another width would need every further line of the item moved.
    if (wanted.length === marker.length || !slice.includes('\n')) put(start, marker.length, wanted);
    const box = /^(?:[-+*]|\d+[.)])[ \t]+\[X\](?=\s)/.exec(slice);
    if (box) put(start + box[0].length - 2, 1, 'x');
  });
}
