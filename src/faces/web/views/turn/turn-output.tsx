// The output of a turn, drawn at most once a frame; it stays at its end while the reader is there.
import { useEffect, useState } from 'preact/hooks';
import { at } from '../../api/calls.ts';
import { ask } from '../../api/request.ts';
import type { Turn } from '../../api/shapes.ts';
import { addEvent, type Block, readOutput } from './output-stream.ts';
import { StuckToEnd } from './stuck-to-end.tsx';

/** Of a long output the end is read first. */
const TAIL_BYTES = 512 * 1024;
const AGAIN_MS = 1_500;

export function TurnOutput({ turn }: { turn: Turn }) {
  const [fromStart, setFromStart] = useState(false);
  const { blocks, skipped, isOver } = useOutput(turn.id, fromStart);
  return (
    <section aria-labelledby="output" class="output-section">
      <h2 id="output">Output</h2>
      {skipped === 0 ? null : (
        <button type="button" class="quiet" onClick={() => setFromStart(true)}>
          Show it from its start
        </button>
      )}
      <StuckToEnd of={blocks} label="Output of the turn">
        {blocks.map((block, at) => (
          <OutputBlock key={at} block={block} />
        ))}
        {blocks.length === 0 ? (
          <p class="muted">{isOver ? 'It printed nothing.' : 'Nothing is printed yet.'}</p>
        ) : null}
      </StuckToEnd>
    </section>
  );
}

function OutputBlock({ block }: { block: Block }) {
  if (block.kind === 'tool')
    return (
      <details class={block.failed ? 'tool failed' : 'tool'}>
        <summary>
          <span class="tool-name">{block.name}</span> <span class="tool-input">{block.input}</span>
          {block.failed ? ' — failed' : ''}
        </summary>
        <pre>{block.result ?? 'no answer yet'}</pre>
      </details>
    );
  return <pre class={`out-${block.kind}`}>{block.text}</pre>;
}

interface Output {
  blocks: readonly Block[];
  /** Bytes before what is shown. */
  skipped: number;
  isOver: boolean;
}

const NOTHING: Output = { blocks: [], skipped: 0, isOver: false };

function useOutput(turn: string, fromStart: boolean): Output {
  const [output, setOutput] = useState<Output>(NOTHING);
  useEffect(() => {
    const control = new AbortController();
    setOutput(NOTHING);
    void followOutput(turn, fromStart, setOutput, control.signal);
    return () => control.abort();
  }, [turn, fromStart]);
  return output;
}

/** Reads it to its end, and again from the start where the connection was lost. */
async function followOutput(
  turn: string,
  fromStart: boolean,
  show: (output: Output) => void,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      const offset = fromStart ? 0 : await tailOffset(turn);
      const blocks: Block[] = [];
      let frame = 0;
      const draw = () => show({ blocks: [...blocks], skipped: offset, isOver: false });
      await readOutput(
        turn,
        offset,
        (events) => {
          for (const event of events) addEvent(blocks, event);
          cancelAnimationFrame(frame);
          frame = requestAnimationFrame(draw);
        },
        signal,
      );
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
