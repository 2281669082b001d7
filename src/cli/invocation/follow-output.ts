// Prints the output of a turn as it grows: as text where the format of its program is known, else the bytes.
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
  offset: number;
  deadline: number; // When to end though the turn runs on, monotonic ms.
  raw: boolean;
}

/** Returns the turn as it is at the end, and the byte after the last that was printed. */
export async function followOutput(call: Call, runtime: RoomClient, turn: TurnJson, following: Following) {
  const { offset, deadline, raw } = following;
  const { effects, terminal, paint } = call;
  const lines = createAgentLines(paint);
  // No output may steer a terminal; a pipe gets the bytes.
  const filter = terminal.outIsTerminal ? createOutputFilter() : (text: string) => text;
  const { tasks, caller } = runtime;
  let at = offset;
  let reader: OutputReader | null = null;
  for (;;) {
    const asked = { turn: turn.id, offset: at, limit: CHUNK_BYTES };
    const { state, text, next, format } = await tasks.call('turnOutput', asked, caller, true);
    if (next > at) {
      // Inside a turn the bytes are printed: its program has no readers.
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
