import { afterEach, describe, expect, test } from 'vitest';
import { MAX_DEPTH, scanBlocks } from '../../../src/core/markdown/blocks.ts';

const headings = (body: string): string[] =>
  scanBlocks(body).headings.map((one) => `${one.depth} ${one.text}`);

test.each<[string, string[]]>([
  ['# a\n##\tb ##\n### c #\\#\n####### no\n#no\n', ['1 a', '2 b', '3 c #\\#']],
  ['#\n## ##\n', ['1 ', '2 ']],
  ['a\nb\n===\nc\n---\n', ['1 a\nb', '2 c']],
  ['[a]: /u\n---\n[a]: /u "t"\ntext\n---\n', ['2 text']],
  ['[a]: /u\n"open\n---\n', ['2 "open']],
  ['> a\n===\n', []],
  ['> a\n# b\n', ['1 b']],
  ['- a\n\n  # in\n# out\n', ['1 out']],
  ['```\n# a\n``` x\n# b\n```\n# c\n', ['1 c']],
  ['<div>\n# a\n\n# b\n', ['1 b']],
  ['<!-- \n\n# a\n--> # b\n# c\n', ['1 c']],
  ['# a\r# b\r\n# c', ['1 a', '1 b', '1 c']],
  ['\ufeff# a\n', ['1 a']],
  ['', []],
])('headings %j', (body, expected) => expect(headings(body)).toEqual(expected));

test.each([
  ['text', null],
  ['````\na', '````'],
  ['~~~\n```\n', '~~~'],
  ['<!-- a', '-->'],
  ['<script>\n</pre', '</script>'],
  ['<?php', '?>'],
  ['<!DOCTYPE', '>'],
  ['<![CDATA[ ]]]>', ']]>'],
  ['<div>', null],
  ['> ```\n> a', null],
  ['- <!-- a', null],
  ['[a]: "open', null],
])('what is open at the end %j: %j', (body, closer) => {
  expect(scanBlocks(body).openAtEnd).toBe(closer);
  if (closer !== null) expect(headings(`${body}\n${closer}\n\n## after`)).toEqual(['2 after']);
  else expect(headings(`${body}\n\n## after`)).toEqual(['2 after']);
});

test('containers below the deepest one followed are text, and headings after them are found', () => {
  const deep = (markers: string): string => `${markers.repeat(MAX_DEPTH * 3)}\`\`\`\n\n# after\n`;
  for (const markers of ['> ', '- ', '>', '1. ', '> - '])
    expect(headings(deep(markers))).toEqual(['1 after']);
});

describe('time is linear', () => {
  const { charCodeAt, indexOf, slice } = String.prototype;
  const restore = () => Object.assign(String.prototype, { charCodeAt, indexOf, slice });
  afterEach(restore);

  /** Characters the scanner looks at one by one, searches through and cuts out to match. */
  function work(body: string): number {
    let count = 0;
    String.prototype.charCodeAt = function (this: string, at: number) {
      count += 1;
      return charCodeAt.call(this, at);
    };
    String.prototype.indexOf = function (this: string, part: string, from = 0) {
      const at = indexOf.call(this, part, from);
      count += (at < 0 ? this.length : at) - from;
      return at;
    };
    String.prototype.slice = function (this: string, from?: number, to?: number) {
      const part = slice.call(this, from, to);
      count += part.length;
      return part;
    };
    scanBlocks(body);
    restore();
    return count;
  }

  const units = [
    ...['>', '> ', '[', '- ', '* ', '1. ', '`', '``` \n', '~~~\n', '<!--', '<!--\n', '<', '<a ', "<a b='"],
    ...['</', '#', '# #\n', '=\n', 'a\n---\n', '[a]: b\n', '[a]: b "\n', '[a]:', '[a\n', '\\'],
    ...['- - - a\n', '* * * * x ', ' ', '\t', '\n', '\r', '\r\n', '> \n', '-\n', '- a\n\n', '>>>>\n'],
    ...['    a\n', '\0', '</div>\n', '<?', '<![CDATA[', ']]', '&', 'é🎉', '> - 1. '],
  ];

  test.each(units)('1 MiB of %j', (unit) => {
    const text = (size: number): string => unit.repeat(Math.ceil(size / unit.length)).slice(0, size);
    const small = work(text(4096));
    const large = work(text(16 * 4096));
    // A fixed depth of containers may cost each line that much once more, never more with the length.
    expect(large).toBeLessThan(small * 16 * 1.5 + MAX_DEPTH * 2000);
    expect(scanBlocks(text(1024 * 1024))).toBeDefined();
  });

  test('nested lists under a megabyte of blank lines', () => {
    const body = `${'- '.repeat(5000)}x${'\n'.repeat(1024 * 1024)}# a\n`;
    expect(headings(body)).toEqual(['1 a']);
  });

  test('a megabyte of items each one deeper', () => {
    let body = '';
    for (let depth = 0; body.length < 1024 * 1024; depth += 1)
      body += `${' '.repeat(2 * (depth % 1500))}- a\n`;
    expect(scanBlocks(`${body}# a\n`).headings.at(-1)?.text).toBe('a');
  });
});
