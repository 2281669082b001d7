// What a turn printed, as readable lines, as far back as is asked for and on as it grows. One that prints faster than it is read
// loses lines in the middle, never time.
import type { TurnId } from '../../../core/ids.ts';
import type { Effects } from '../../../effects.ts';
import { readerOf } from '../../../runtime/output-reader.ts';
import type { OutputReader, RoomClient } from '../../../runtime.ts';
import { createAgentLines } from '../../cli/lines/agent-lines.ts';
import { createOutputFilter } from '../../cli/lines/display-text.ts';
import type { Paint } from '../../cli/paint.ts';

export interface TurnOutput {
  readonly lines: readonly string[];
  /** Something before them is left out. */
  readonly isCut: boolean;
  /** Takes in what was printed since; true where that was something. @throws RoomError */
  read(): Promise<boolean>;
  /** Takes in a last line without an end, once the turn is over. */
  finish(): void;
}

export interface OutputBounds {
  /** Of the end of the output. */
  bytes: number;
  lines: number;
}

/** @param room its runtime may become another one */
export function followTurn(
  room: { readonly runtime: RoomClient; readonly effects: Effects },
  turn: { id: TurnId },
  bounds: OutputBounds,
  paint: Paint,
): TurnOutput {
  const text = createLines(bounds.lines);
  let offset: number | null = null;
  let show: Show | null = null;

  function begin(at: number, format: string | null): void {
    show = createShow(readerOf(format, room.effects), paint, at > 0);
    if (at > (offset ?? 0)) text.cutHere();
    offset = at;
  }
  return {
    get lines() {
      return text.lines;
    },
    get isCut() {
      return text.isCut();
    },
    async read() {
      for (let isNew = false; ; isNew = true) {
        const { tasks, caller } = room.runtime;
        const ask = (from: number, limit: number) =>
          tasks.call('turnOutput', { turn: turn.id, offset: from, limit }, caller, true);
        const { size, format } = await ask(offset ?? 0, 4);
        if (offset === null || size - offset > bounds.bytes) begin(Math.max(0, size - bounds.bytes), format);
        if (size <= offset!) return isNew;
        const piece = await ask(offset!, bounds.bytes);
        if (piece.next <= offset!) return isNew;
        offset = piece.next;
        text.add(show!.text(piece.text));
      }
    },
    finish() {
      if (show !== null) text.add(show.end());
    },
  };
}

interface Show {
  text(piece: string): string;
  end(): string;
}

function createShow(reader: OutputReader | null, paint: Paint, startsInLine: boolean): Show {
  const filter = createOutputFilter();
  const agentLines = createAgentLines(paint);
  let skips = startsInLine;
  return {
    text(piece) {
      let rest = piece;
      if (skips) {
        const end = rest.indexOf('\n');
        if (end < 0) return '';
        rest = rest.slice(end + 1);
        skips = false;
      }
      return filter(reader === null ? rest : agentLines(reader.read(rest)));
    },
    end: () => (reader === null ? '' : filter(agentLines(reader.end()))),
  };
}

function createLines(most: number) {
  let lines: string[] = [];
  let isInLine = false;
  let isCut = false;
  return {
    get lines() {
      return lines;
    },
    isCut: () => isCut,
    cutHere() {
      isCut = true;
      isInLine = false;
    },
    add(text: string): void {
      if (text === '') return;
      const parts = text.split('\n');
      const first = parts.shift()!;
      const grown = [...lines];
      if (isInLine) grown[grown.length - 1] = overwritten(grown.at(-1)! + first);
      else grown.push(overwritten(first));
      grown.push(...parts.map(overwritten));
      isInLine = grown.at(-1) !== '' || parts.length === 0;
      if (!isInLine) grown.pop();
      if (grown.length > most) isCut = true;
      lines = grown.slice(-most);
    },
  };
}

/** A line that a program wrote over and over: as it stands at the end. */
function overwritten(line: string): string {
  if (!line.includes('\r')) return line;
  return line.replace(/\r+$/, '').split('\r').at(-1)!;
}
