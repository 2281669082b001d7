// What differs between two texts, line by line; lines that both have are folded where there are many.
import { lineHunks } from '../../core/merge/line-merge.ts';

type DiffLine = { sign: ' ' | '-' | '+' | '…'; text: string };

const AROUND = 3; // Lines around a difference.

export function diffLines(from: string, to: string): DiffLine[] {
  const [before, after] = [from.split('\n'), to.split('\n')];
  const lines: DiffLine[] = [];
  const add = (sign: DiffLine['sign'], texts: readonly string[]) =>
    lines.push(...texts.map((text) => ({ sign, text })));
  let last = 0;
  const same = (end: number, isAtEnd: boolean) => {
    const texts = before.slice(last, end);
    const [head, tail] = [last === 0 ? 0 : AROUND, isAtEnd ? 0 : AROUND];
    if (texts.length <= head + tail + 1) return add(' ', texts);
    add(' ', texts.slice(0, head));
    lines.push({ sign: '…', text: `${texts.length - head - tail} lines that both have` });
    add(' ', tail === 0 ? [] : texts.slice(-tail));
  };
  for (const { start, end, toStart, toEnd } of lineHunks(before, after)) {
    same(start, false);
    add('-', before.slice(start, end));
    add('+', after.slice(toStart, toEnd));
    last = end;
  }
  same(before.length, true);
  return lines;
}

const [REMOVED, ADDED] = ['tone-failed tone-text', 'tone-completed tone-text'];
const CLASSES = { ' ': '', '-': REMOVED, '+': ADDED, '…': 'muted' } as const;

interface DiffProps {
  from: string;
  to: string;
  names: readonly [from: string, to: string]; // What each side is.
}

export const DiffText = ({ from, to, names }: DiffProps) => (
  <figure>
    <figcaption class="wrap small muted">
      <span class={REMOVED}>− {names[0]}</span>
      <span class={ADDED}>+ {names[1]}</span>
    </figcaption>
    <pre class="diff" role="region" tabIndex={0} aria-label={`${names[0]}, and ${names[1]}`}>
      {diffLines(from, to).map(({ sign, text }, at) => (
        <span key={at} class={CLASSES[sign]} dir="auto">
          {`${sign === '-' ? '−' : sign} ${text}\n`}
        </span>
      ))}
    </pre>
  </figure>
);
