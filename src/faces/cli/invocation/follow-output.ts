// A turn's output as it grows: readable text of what its program's format tells, the bytes of any other.
import { isOver } from '../../../core/rules/turn.ts';
import { sleep } from '../../../effects.ts';
import type { Client } from '../../../operations/client.ts';
import type { OutputReader } from '../../../runtime.ts';
import type { TurnView } from '../../../tasks/contract/operations.ts';
import type { Call } from '../command.ts';
import { createAgentLines } from '../lines/agent-lines.ts';
import { createOutputFilter } from '../lines/output-filter.ts';

export const POLL_MS = 150;
const CHUNK_BYTES = 256 * 1024;

export interface Following {
  /** Byte of the output to begin with. */
  offset: number;
  /** When to end though the turn runs on, monotonic ms. */
  deadline: number;
  /** Of the turn's agent; null for the bytes as they are. */
  reader: OutputReader | null;
}

/** Prints it until the turn ends; returns how the turn stands then, and how far its output was printed. */
export async function followOutput(
  call: Call,
  tasks: Client,
  turn: TurnView,
  { offset, deadline, reader }: Following,
): Promise<{ turn: TurnView; next: number }> {
  const { effects, terminal, paint } = call;
  const lines = createAgentLines(paint);
  // A pipe gets the bytes as they are; a terminal must not be steered by them.
  const filter = terminal.outIsTerminal ? createOutputFilter() : (text: string) => text;
  let at = offset;
  let now = turn;
  for (;;) {
    // The state is read before the output: what was written until the end is then shown for sure.
    now = await tasks.turn(turn.id);
    for (;;) {
      const { text, next } = await tasks.output(turn.id, at, CHUNK_BYTES);
      if (next <= at) break;
      terminal.write(filter(reader === null ? text : lines(reader.read(text))));
      at = next;
      if (!(await terminal.taken())) return { turn: now, next: at };
    }
    if (isOver(now.state) || effects.monotonicMs() >= deadline) break;
    await sleep(effects, POLL_MS);
  }
  if (reader !== null) terminal.write(filter(lines(reader.end())));
  return { turn: now, next: at };
}
