// A turn's output as it grows: readable text of what its program's format tells, the bytes of any other.

import type { OutputReader, RoomClient } from '../../app/open-room.ts';
import { isOver } from '../../core/rules/turn.ts';
import { sleep } from '../../effects.ts';
import type { TurnJson } from '../../tasks/shapes/turn.ts';
import type { Call } from '../command.ts';
import { createAgentLines } from '../lines/agent-lines.ts';
import { createOutputFilter } from '../lines/display-text.ts';

export const POLL_MS = 150;
const CHUNK_BYTES = 256 * 1024;

interface Following {
  /** Byte of the output to begin with. */
  offset: number;
  /** When to end though the turn runs on, monotonic ms. */
  deadline: number;
  /** The bytes as they are. */
  raw: boolean;
}

/** Prints it until the turn ends; returns how the turn stands then, and how far its output was printed. */
export async function followOutput(
  call: Call,
  runtime: Pick<RoomClient, 'tasks' | 'caller'>,
  turn: TurnJson,
  { offset, deadline, raw }: Following,
): Promise<{ turn: TurnJson; next: number }> {
  const { effects, terminal, paint } = call;
  const lines = createAgentLines(paint);
  // A pipe gets the bytes as they are; a terminal must not be steered by them.
  const filter = terminal.outIsTerminal ? createOutputFilter() : (text: string) => text;
  const { tasks, caller } = runtime;
  let at = offset;
  let reader: OutputReader | null = null;
  for (;;) {
    const asked = { turn: turn.id, offset: at, limit: CHUNK_BYTES };
    const { state, text, next, format } = await tasks.call('turnOutput', asked, caller, true);
    if (next > at) {
      // A turn sees the bytes: its program loads no readers.
      if (at === offset && !raw && caller.kind === 'person')
        reader = (await import('../../app/agents/output-reader.ts')).readerOf(format, effects);
      terminal.write(filter(reader === null ? text : lines(reader.read(text))));
      at = next;
      if (!(await terminal.taken())) break;
      continue;
    }
    if (isOver(state) || effects.monotonicMs() >= deadline) break;
    await sleep(effects, POLL_MS);
  }
  if (reader !== null) terminal.write(filter(lines(reader.end())));
  return { turn: await tasks.call('showTurn', { turn: turn.id }, caller, true), next: at };
}
