// What turns print, as readable lines: the one in the foreground as far back as is asked for and on as it grows, of all that run
// the last line. A turn that prints faster than it is read loses lines in the middle, never time.

import { readerOf } from '../../app/agents/output-reader.ts';
import { createAgentLines } from '../../cli/lines/agent-lines.ts';
import { cleanLine, cleanText, createOutputFilter } from '../../cli/lines/display-text.ts';
import { type Paint, plain } from '../../cli/paint.ts';
import { nullIf } from '../../core/errors.ts';
import type { TurnId } from '../../core/ids.ts';
import { isOver } from '../../core/rules/turn.ts';
import type { Effects, Timer } from '../../effects.ts';
import type { TurnJson } from '../../tasks/shapes/turn.ts';
import type { OpenText } from '../model/screen-state.ts';
import type { Call } from './source.ts';

interface Bounds {
  bytes: number; // Of the end of the output.
  lines: number;
}

const IN_FRONT: Bounds = { bytes: 1024 * 1024, lines: 5_000 };
const LAST_LINE: Bounds = { bytes: 64 * 1024, lines: 40 };
const POLL_MS = 200;
const MOST_TURNS = 20; // Of so many turns the last line is shown: nobody reads more at once.

type TurnOutput = ReturnType<typeof followTurn>;

function followTurn(call: Call, effects: Effects, turn: string, bounds: Bounds, paint: Paint) {
  const filter = createOutputFilter();
  const agentLines = createAgentLines(paint);
  let reader: ReturnType<typeof readerOf> = null;
  let offset: number | null = null;
  let startsInLine = false;
  const text = { lines: [] as string[], isCut: false, isInLine: false };
  const ask = (from: number, limit: number) => call('turnOutput', { turn, offset: from, limit });
  const shown = (piece: string): string => {
    if (!startsInLine) return filter(reader === null ? piece : agentLines(reader.read(piece)));
    const end = piece.indexOf('\n');
    startsInLine = end < 0;
    return startsInLine ? '' : shown(piece.slice(end + 1));
  };
  return {
    text,
    /** Takes in what was printed since; true where that was something. @throws RoomError */
    async read(): Promise<boolean> {
      for (let isNew = false; ; isNew = true) {
        const { size, format } = await ask(offset ?? 0, 4);
        if (offset === null || size - offset > bounds.bytes) {
          const from = Math.max(0, size - bounds.bytes);
          if (from > (offset ?? 0)) Object.assign(text, { isCut: true, isInLine: false });
          reader = readerOf(format, effects);
          startsInLine = from > 0;
          offset = from;
        }
        if (size <= offset) return isNew;
        const piece = await ask(offset, bounds.bytes);
        if (piece.next <= offset) return isNew;
        offset = piece.next;
        addLines(text, shown(piece.text), bounds.lines);
      }
    },
    /** Takes in a last line without an end, once the turn is over. */
    finish() {
      if (reader !== null) addLines(text, filter(agentLines(reader.end())), bounds.lines);
    },
  };
}

function addLines(to: TurnOutput['text'], said: string, most: number): void {
  if (said === '') return;
  const [first, ...parts] = said.split('\n');
  const lines = [...to.lines];
  if (to.isInLine) lines.push(overwritten(lines.pop()! + first!));
  else lines.push(overwritten(first!));
  lines.push(...parts.map(overwritten));
  to.isInLine = lines.at(-1) !== '' || parts.length === 0;
  if (!to.isInLine) lines.pop();
  if (lines.length > most) to.isCut = true;
  to.lines = lines.slice(-most);
}

/** A line that a program wrote over and over: as it stands at the end. */
const overwritten = (line: string): string =>
  line.includes('\r') ? line.replace(/\r+$/, '').split('\r').at(-1)! : line;

/** What the person brought to the foreground: a turn whose output is followed, or the text of a task. */
export function createForeground(
  call: Call,
  effects: Effects,
  paint: Paint,
  onChange: (open: OpenText | null) => void,
) {
  let timer: Timer | null = null;
  // What was opened before is told nothing of any more.
  let opened = 0;
  const close = () => {
    opened += 1;
    timer?.cancel();
    onChange(null);
  };

  async function follow(turn: TurnJson, output: TurnOutput, mine: number): Promise<void> {
    // The state is read before the output: what was written until the end is then shown for sure.
    const now = await call('showTurn', { turn: turn.id });
    const isNew = await output.read();
    const over = isOver(now.state);
    if (over) output.finish();
    if (mine !== opened) return;
    const { lines, isCut } = output.text;
    if (isNew || over) onChange({ title: now.description, turn: now, lines, isCut });
    if (over) return;
    timer = effects.setTimer(POLL_MS, () => {
      // A turn whose folder or ledger went away stays as it was last seen.
      follow(now, output, mine).catch(() => {});
    });
  }

  /** The text of a task. @throws RoomError */
  async function openText(ref: string): Promise<void> {
    close();
    const mine = opened;
    const { text, name: title } = await call('show', { ref });
    const lines = cleanText(text).replace(/\n+$/, '').split('\n');
    if (mine === opened) onChange({ title, turn: null, lines, isCut: false });
  }

  /** A turn, or a task for its newest one, or for its text where it never had a turn. @throws RoomError */
  async function open(ref: string): Promise<void> {
    close();
    const mine = opened;
    const turn = await call('showTurn', { turn: ref }).catch(nullIf('not_found'));
    if (turn === null) return openText(ref);
    if (mine !== opened) return;
    onChange({ title: turn.description, turn, lines: [], isCut: false });
    await follow(turn, followTurn(call, effects, turn.id, IN_FRONT, paint), mine);
  }
  return { open, openText, close };
}

/** The last line of what each running turn printed. */
export function createSaidLines(
  call: Call,
  effects: Effects,
  onChange: (said: ReadonlyMap<TurnId, string>) => void,
) {
  const outputs = new Map<TurnId, TurnOutput>();
  let said: ReadonlyMap<TurnId, string> = new Map();
  let timer: Timer | null = null;
  let isClosed = false;
  async function look(): Promise<void> {
    const lines = new Map<TurnId, string>();
    for (const [id, output] of outputs) {
      // A turn whose folder went meanwhile says nothing any more.
      await output.read().catch(() => outputs.delete(id));
      const line = output.text.lines.findLast((each) => each.trim() !== '');
      if (line !== undefined) lines.set(id, cleanLine(line).trim());
    }
    timer = null;
    if (isClosed) return;
    if (outputs.size > 0) again();
    if (lines.size === said.size && [...lines].every(([id, line]) => said.get(id) === line)) return;
    said = lines;
    onChange(said);
  }
  function again(): void {
    timer ??= effects.setTimer(POLL_MS, () => void look());
  }
  return {
    /** These turns run now, and no others. */
    follow(running: readonly TurnJson[]) {
      const ids = new Set(running.slice(0, MOST_TURNS).map(({ id }) => id));
      for (const id of outputs.keys()) if (!ids.has(id)) outputs.delete(id);
      for (const id of ids)
        if (!outputs.has(id)) outputs.set(id, followTurn(call, effects, id, LAST_LINE, plain));
      if (!isClosed) again();
    },
    close() {
      isClosed = true;
      timer?.cancel();
    },
  };
}
