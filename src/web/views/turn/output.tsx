// What a turn or a command prints, drawn at most once a frame; it stays at its end while the reader is there.
import { memo } from 'preact/compat';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { AgentEvent } from '../../../core/rules/turn.ts';
import { at } from '../../api/calls.ts';
import { ask, linesOf, piecesOf, send } from '../../api/request.ts';
import { Section } from '../../parts/blocks.tsx';
import { Button } from '../../parts/fields.tsx';

const TAIL_BYTES = 512 * 1024; // Of a long output the end is read first.
const AGAIN_MS = 1_500;
const NEAR_END_PX = 40;

/** @param isPlain what is printed is text, not what an agent says and calls */
export function Output({ turn, isPlain }: { turn: string; isPlain: boolean }) {
  const [fromStart, setFromStart] = useState(false);
  const [isWrapped, wrap] = useState(false);
  const { blocks, skipped, isOver } = useOutput(turn, isPlain, fromStart);
  const box = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  useLayoutEffect(() => {
    if (isAtEnd.current) box.current!.scrollTop = box.current!.scrollHeight;
  }, [blocks]);
  return (
    <Section
      title="Output"
      class="stack grow"
      beside={
        <>
          <label class="line small muted">
            <input
              type="checkbox"
              checked={isWrapped}
              onChange={({ currentTarget }) => wrap(currentTarget.checked)}
            />
            Wrap long lines
          </label>
          {skipped > 0 && (
            <Button name="Show it from its start" kind="quiet" run={() => setFromStart(true)} />
          )}
        </>
      }
    >
      <div
        class={isWrapped ? 'output wrapped' : 'output'}
        ref={box}
        tabIndex={0}
        role="log"
        aria-label={isPlain ? 'Output of the command' : 'Output of the turn'}
        onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
          isAtEnd.current = scrollHeight - scrollTop - clientHeight < NEAR_END_PX;
        }}
      >
        {blocks.map((block, at) => (
          <OutputBlock key={at} block={block} isPlain={isPlain} />
        ))}
        {blocks.length === 0 && (
          <p class="muted">{isOver ? 'It printed nothing.' : 'Nothing is printed yet.'}</p>
        )}
      </div>
    </Section>
  );
}

const BLOCK_CLASSES = { words: 'out-words', line: '', trouble: 'tone-failed tone-text' } as const;

function OutputBlock({ block, isPlain }: { block: Block; isPlain: boolean }) {
  if (block.kind !== 'tool')
    return (
      <pre class={BLOCK_CLASSES[isPlain ? 'line' : block.kind]}>
        <TerminalText text={block.text} />
      </pre>
    );
  return (
    <details class="tool">
      <summary class={block.failed ? 'cut tone-failed tone-text' : 'cut'}>
        <span class="name tone-accent tone-text">{block.name}</span> <code class="muted">{block.input}</code>
        {block.failed ? ' — failed' : ''}
      </summary>
      <pre>
        <TerminalText text={block.result ?? 'no answer yet'} />
      </pre>
    </details>
  );
}

interface OutputState {
  blocks: readonly Block[];
  skipped: number; // Bytes before what is shown.
  isOver: boolean;
}

const NOTHING: OutputState = { blocks: [], skipped: 0, isOver: false };

function useOutput(turn: string, isPlain: boolean, fromStart: boolean): OutputState {
  const [output, setOutput] = useState(NOTHING);
  useEffect(() => {
    const control = new AbortController();
    const form = isPlain ? 'text' : 'events';
    setOutput(NOTHING);
    void followOutput(turn, { form, fromStart, signal: control.signal }, setOutput);
    return () => control.abort();
  }, [turn, isPlain, fromStart]);
  return output;
}

/** Reads it to its end, and again from the start where the connection was lost: half an event can't be gone on from. */
async function followOutput(
  turn: string,
  { form, fromStart, signal }: { form: 'events' | 'text'; fromStart: boolean; signal: AbortSignal },
  show: (output: OutputState) => void,
): Promise<void> {
  while (!signal.aborted) {
    try {
      const offset = fromStart ? 0 : await tailOffset(turn);
      const blocks: Block[] = [];
      let frame = 0;
      const take = (events: readonly AgentEvent[]) => {
        for (const event of events) addEvent(blocks, event);
        cancelAnimationFrame(frame);
        frame = requestAnimationFrame(() => show({ blocks: [...blocks], skipped: offset, isOver: false }));
      };
      const response = await send(at('follow', { turn, form, offset }), { signal });
      if (form === 'text')
        for await (const text of piecesOf(response)) take([{ type: 'text', text, partial: true }]);
      else
        for await (const lines of linesOf(response))
          take(lines.filter(Boolean).map((line) => JSON.parse(line) as AgentEvent));
      cancelAnimationFrame(frame);
      return show({ blocks, skipped: offset, isOver: true });
    } catch {
      // The room may be away for a moment; what was shown stays until there is more.
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    }
  }
}

async function tailOffset(turn: string): Promise<number> {
  const { size } = await ask(at('turnOutput', { turn, limit: 4 }));
  return Math.max(0, size - TAIL_BYTES);
}

// What a turn prints, as it comes: events of its agent, put together to blocks that can be shown.

type Block =
  | { kind: 'words' | 'line'; text: string }
  | { kind: 'tool'; name: string; input: string; result: string | null; failed: boolean }
  | { kind: 'trouble'; text: string };

/** Blocks above this are dropped from the start: what a person reads is near the end. */
const MOST_BLOCKS = 2_000;
const MOST_CHARS = 200_000; // Of one block; programs print megabytes without a line end.

/** Adds an event to the blocks; the last one may grow. */
function addEvent(blocks: Block[], event: AgentEvent): void {
  const last = blocks.at(-1);
  switch (event.type) {
    case 'text':
      if (last?.kind === 'words' && (event.partial === true || !last.text.endsWith('\n\n')))
        blocks[blocks.length - 1] = { kind: 'words', text: grown(last.text, event) };
      else blocks.push({ kind: 'words', text: event.text });
      break;
    case 'tool':
      blocks.push({ kind: 'tool', name: event.name, input: event.input, result: null, failed: false });
      break;
    case 'result': {
      const at = blocks.findIndex((block) => block.kind === 'tool' && block.result === null);
      const call = blocks[at];
      if (call?.kind === 'tool') blocks[at] = { ...call, result: event.text, failed: event.failed };
      break;
    }
    case 'trouble':
      blocks.push({ kind: 'trouble', text: event.trouble.message });
      break;
    case 'line':
      blocks.push({ kind: 'line', text: event.text });
      break;
    default:
      break;
  }
  if (blocks.length > MOST_BLOCKS) blocks.splice(0, blocks.length - MOST_BLOCKS);
}

function grown(text: string, event: { text: string; partial?: boolean }): string {
  const all = event.partial === true ? text + event.text : `${text}\n${event.text}`;
  return all.length > MOST_CHARS ? `…${all.slice(-MOST_CHARS)}` : all;
}

// What a program printed for a terminal: its colours as classes, its links as links, and nothing else that steers a terminal.

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
function spansOf(text: string): Span[] {
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

const TerminalText = memo(function TerminalText({ text }: { text: string }) {
  // Lines keep what stood last: a bar of progress is one line.
  const settled = text.replace(/\r+\n/g, '\n').replace(/^[^\n]*\r(?=[^\n])/gm, '');
  return spansOf(settled).map(({ text: piece, classes }, at) => (
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
