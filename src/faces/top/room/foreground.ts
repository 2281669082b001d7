// What the person brought to the foreground: a turn whose output is followed, or the text of a task.

import { isRoomError } from '../../../core/errors.ts';
import { isOver } from '../../../core/rules/turn.ts';
import type { Effects, Timer } from '../../../effects.ts';
import type { RoomClient } from '../../../runtime.ts';
import type { TurnJson } from '../../../tasks/shapes/turn.ts';
import { cleanText } from '../../cli/lines/display-text.ts';
import type { Paint } from '../../cli/paint.ts';
import type { OpenText } from '../model/room-facts.ts';
import type { Surroundings } from './surroundings.ts';
import { followTurn, type TurnOutput } from './turn-output.ts';

const BOUNDS = { bytes: 1024 * 1024, lines: 5_000 };

/** @param room its runtime may become another one */
export function createForeground(
  room: {
    readonly runtime: RoomClient;
    readonly effects: Effects;
    readonly paint: Paint;
    readonly around: Pick<Surroundings, 'pollMs'>;
  },
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
    const now = await room.runtime.tasks.call('showTurn', { turn: turn.id }, room.runtime.caller, true);
    const isNew = await output.read();
    const over = isOver(now.state);
    if (over) output.finish();
    if (mine !== opened) return;
    if (isNew || over)
      onChange({ title: now.description, turn: now, lines: output.lines, isCut: output.isCut });
    if (over) return;
    timer = room.effects.setTimer(room.around.pollMs, () => {
      // A turn whose folder or ledger went away stays as it was last seen.
      follow(now, output, mine).catch(() => {});
    });
  }

  /** The text of a task. @throws RoomError */
  async function openText(ref: string): Promise<void> {
    close();
    const mine = opened;
    const { text, name } = await room.runtime.tasks.call('show', { ref }, room.runtime.caller, true);
    if (mine !== opened) return;
    onChange({
      title: name,
      turn: null,
      lines: cleanText(text).replace(/\n+$/, '').split('\n'),
      isCut: false,
    });
  }
  /** A turn, or a task for its newest one, or for its text where it never had a turn. @throws RoomError */
  async function open(ref: string): Promise<void> {
    close();
    const mine = opened;
    const turn = await newestTurn(room.runtime, ref);
    if (turn === null) return openText(ref);
    const output = followTurn(room, turn, BOUNDS, room.paint);
    if (mine !== opened) return;
    onChange({ title: turn.description, turn, lines: [], isCut: false });
    await follow(turn, output, mine);
  }
  return { open, openText, close };
}

/** Null for a task that never had one. */
async function newestTurn({ tasks, caller }: RoomClient, ref: string): Promise<TurnJson | null> {
  try {
    return await tasks.call('showTurn', { turn: ref }, caller);
  } catch (error) {
    if (isRoomError(error, 'not_found')) return null;
    throw error;
  }
}
