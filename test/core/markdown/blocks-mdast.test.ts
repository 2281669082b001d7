// Holds the block scanner equal to mdast (micromark) on hostile texts.
import { fromMarkdown } from 'mdast-util-from-markdown';
import { describe, expect, test } from 'vitest';
import { scanBlocks } from '../../../src/core/markdown/blocks.ts';
import { forAll } from '../../support/for-all.ts';
import { hostileMarkdown } from '../../support/hostile-markdown.ts';

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

type Code = Extract<Node, { type: 'code' }>;

function isFenced(text: string, node: Node): boolean {
  return /^ {0,3}(```|~~~)/.test(text.slice(lineStart(text, startOf(node))));
}

/** True where mdast gives a fence's content as it is written: no indent to take off, no character replaced. */
const isPlain = (text: string, start: number): boolean => text[start] !== ' ' && !/[\0\t]/.test(text);

function fenceOf(text: string, node: Code) {
  const start = lineStart(text, startOf(node));
  const info = [node.lang, node.meta].filter((part) => part !== null).join(' ');
  return { start, end: lineEnd(text, endOf(node)), info, content: isPlain(text, start) ? node.value : null };
}

function expected(text: string) {
  const root = fromMarkdown(text).children;
  const headings = root
    .filter((node) => node.type === 'heading')
    .map((node) => {
      const first = node.children[0];
      const last = node.children.at(-1);
      return {
        depth: node.depth,
        start: lineStart(text, startOf(node)),
        ownStart: lineStart(text, first ? first.position!.start.offset! : startOf(node)),
        end: lineEnd(text, endOf(node)),
        text: first ? text.slice(first.position!.start.offset, last!.position!.end.offset) : '',
      };
    });
  const fences = root
    .filter((node) => node.type === 'code' && isFenced(text, node))
    .map((node) => fenceOf(text, node as Code));
  const items = root
    .filter((node) => node.type === 'list')
    .flatMap((list) => list.children)
    .map((item) => lineStart(text, item.position!.start.offset!));
  const quotes = root
    .filter((node) => node.type === 'blockquote')
    .map((node) => lineStart(text, startOf(node)));
  return { headings, fences, items, quotes };
}

function actual(text: string) {
  const { headings, fences, items, quotes } = scanBlocks(text);
  return {
    headings,
    fences: fences.map(({ start, end, info, contentStart, contentEnd }) => ({
      start,
      end,
      info: info.replace(/[ \t]+/, ' '),
      content: isPlain(text, start)
        ? text.slice(contentStart, contentEnd).replace(/(?:\r?\n|\r)$/, '')
        : null,
    })),
    items: items.map((item) => item.start),
    quotes: quotes.map((quote) => quote.start),
  };
}

/** Link definitions are part of our paragraphs, so that those that begin with a bracket may start earlier than mdast's. */
function expectParagraphs(text: string): void {
  const theirs = fromMarkdown(text)
    .children.filter((node) => node.type === 'paragraph')
    .map((node) => lineStart(text, startOf(node)));
  const ours = scanBlocks(text).paragraphs;
  expect(theirs.filter((start) => !ours.some((one) => one.start <= start && start < one.end))).toEqual([]);
  const sure = ours.filter((one) => !/^ *\[/.test(text.slice(one.start, one.end)));
  expect(theirs).toEqual(expect.arrayContaining(sure.map((one) => one.start)));
}

describe('the scanner agrees with mdast', () => {
  test.each(['-    a\n--\n  *', '-   a\n--\n  * x'])('on a line that looks like a marker in %j', (text) => {
    expect(actual(text)).toEqual(expected(text));
  });

  test('on hostile texts', () => {
    forAll(3000, hostileMarkdown, (text) => {
      expect(actual(text)).toEqual(expected(text));
      expectParagraphs(text);
    });
  });
});
