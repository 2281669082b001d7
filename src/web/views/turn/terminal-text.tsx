// What a program printed for a terminal: its colours as classes, its links as links, and nothing else that steers a terminal.
import { memo } from 'preact/compat';

type Span = { text: string; classes: string };

// Colours and shapes; links, titles and whatever else steers a terminal.
const CODE =
  /\u001b\[([0-9;:]*)m|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)|\u001b\[[0-?]*[ -/]*[@-~]|\u001b[@-_]/g;
const SHAPES: Readonly<Record<number, string>> = { 1: 'name', 2: 'muted', 4: 'underlined' };
/** The classes of red to cyan; black and white are the text's own colour. */
const COLORS = ['', 'failed', 'completed', 'pending', 'running', 'accent', 'running', ''].map((tone) =>
  tone === '' ? '' : `tone-${tone} tone-text`,
);

/** The text in pieces of one look each. A line that was written over shows as it stood at the end. */
export function spansOf(text: string): Span[] {
  const spans: Span[] = [];
  let look = new Map<string, string>();
  let last = 0;
  const add = (end: number) => {
    if (end > last) spans.push({ text: text.slice(last, end), classes: [...look.values()].join(' ') });
  };
  for (const match of text.matchAll(CODE)) {
    add(match.index);
    last = match.index + match[0].length;
    if (match[1] !== undefined) look = afterCodes(look, match[1].split(/[;:]/).map(Number));
  }
  add(text.length);
  return spans;
}

function afterCodes(before: ReadonlyMap<string, string>, codes: readonly number[]): Map<string, string> {
  let look = new Map(before);
  for (let at = 0; at < codes.length; at += 1) {
    const code = codes[at]!;
    if (code === 0) look = new Map();
    else if (SHAPES[code] !== undefined) look.set(SHAPES[code], SHAPES[code]);
    else if (code === 22) look.delete('name') || look.delete('muted');
    else if (code === 24) look.delete('underlined');
    else if ((code >= 30 && code <= 37) || (code >= 90 && code <= 97)) look.set('color', COLORS[code % 10]!);
    else if (code === 39) look.delete('color');
    else if (code === 38 || code === 48) {
      const isPalette = codes[at + 1] === 5;
      const color = codes[at + 2]!;
      if (code === 38 && isPalette && color < 16) look.set('color', COLORS[color % 8]!);
      at += isPalette ? 2 : 4;
    }
  }
  return look;
}

const LINK = /https?:\/\/[^\s<>"'`\u0000-\u001f]+[^\s<>"'`.,:;!?)\]}\u0000-\u001f]/g;

/** Lines keep what stood last: a bar of progress is one line. */
const settled = (text: string) => text.replace(/\r+\n/g, '\n').replace(/^[^\n]*\r(?=[^\n])/gm, '');

export const TerminalText = memo(function TerminalText({ text }: { text: string }) {
  return spansOf(settled(text)).map(({ text: piece, classes }, at) => (
    <span key={at} class={classes}>
      {withLinks(piece)}
    </span>
  ));
});

function withLinks(text: string) {
  const parts: preact.ComponentChildren[] = [];
  let last = 0;
  for (const { 0: href, index } of text.matchAll(LINK)) {
    parts.push(
      text.slice(last, index),
      <a key={index} href={href} target="_blank" rel="noopener noreferrer nofollow">
        {href}
      </a>,
    );
    last = index + href.length;
  }
  return [...parts, text.slice(last)];
}
