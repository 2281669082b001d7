// Holds the block scanner equal to mdast (micromark) on hostile texts.
import fc from 'fast-check';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { describe, expect, test } from 'vitest';
import { scanBlocks } from '../../src/core/blocks.ts';
import { hostileMarkdown, runs } from '../support/hostile-markdown.ts';

type Node = ReturnType<typeof fromMarkdown>['children'][number];

function lineStart(text: string, offset: number): number {
  let at = offset;
  while (at > 0 && text[at - 1] !== '\n' && text[at - 1] !== '\r') at -= 1;
  return at;
}

/** After the line end of the line that holds `offset`. */
function lineEnd(text: string, offset: number): number {
  let at = offset;
  while (at < text.length && text[at] !== '\n' && text[at] !== '\r') at += 1;
  if (text[at] === '\r' && text[at + 1] === '\n') at += 1;
  return Math.min(text.length, at + 1);
}

const startOf = (node: Node): number => node.position!.start.offset!;
const endOf = (node: Node): number => node.position!.end.offset!;

function expected(text: string) {
  const root = fromMarkdown(text).children;
  const headings = root
    .filter((node) => node.type === 'heading')
    .map((node) => {
      // mdast starts a setext heading at the definitions before it; its content starts at the text.
      const first = node.children[0];
      const last = node.children.at(-1);
      return {
        depth: node.depth,
        start: lineStart(text, first ? first.position!.start.offset! : startOf(node)),
        end: lineEnd(text, endOf(node)),
        text: first ? text.slice(first.position!.start.offset, last!.position!.end.offset) : '',
      };
    });
  const fences = root
    .filter((node) => node.type === 'code')
    .filter((node) => /^(```|~~~)/.test(text.slice(startOf(node)).trimStart()) && !/^(\t| {0,3}\t| {4})/.test(text.slice(lineStart(text, startOf(node)))))
    .map((node) => ({ start: lineStart(text, startOf(node)), end: lineEnd(text, endOf(node)) }));
  const items = root
    .filter((node) => node.type === 'list')
    .flatMap((list) => list.children)
    .map((item) => lineStart(text, item.position!.start.offset!));
  const quotes = root.filter((node) => node.type === 'blockquote').map((node) => lineStart(text, startOf(node)));
  const paragraphs = root.filter((node) => node.type === 'paragraph').map((node) => lineStart(text, startOf(node)));
  return { headings, fences, items, quotes, paragraphs };
}

function actual(text: string) {
  const scan = scanBlocks(text);
  return {
    headings: scan.headings,
    fences: scan.fences.map(({ start, end }) => ({ start, end })),
    items: scan.items.map((item) => item.start),
    quotes: scan.quotes.map((quote) => quote.start),
  };
}

describe('the scanner agrees with mdast', () => {
  test('on hostile texts', () => {
    fc.assert(
      fc.property(hostileMarkdown, (text) => {
        const { paragraphs, ...blocks } = expected(text);
        expect(actual(text)).toEqual(blocks);
      }),
      { numRuns: runs(3000) },
    );
  });
});
