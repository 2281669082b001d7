// The last line of what each running turn printed.

import type { TurnId } from '../../../core/ids.ts';
import type { Effects, Timer } from '../../../effects.ts';
import type { RoomClient } from '../../../runtime.ts';
import type { TurnJson } from '../../../tasks/shapes/turn.ts';
import { cleanLine } from '../../cli/lines/display-text.ts';
import { plain } from '../../cli/paint.ts';
import type { Surroundings } from './surroundings.ts';
import { followTurn, type TurnOutput } from './turn-output.ts';

export type SaidLines = ReturnType<typeof createSaidLines>;

/** Of so many: nobody reads more lines at once. */
const MOST_TURNS = 20;
const BOUNDS = { bytes: 64 * 1024, lines: 40 };

/** @param room its runtime may become another one */
export function createSaidLines(
  room: {
    readonly runtime: RoomClient;
    readonly effects: Effects;
    readonly around: Pick<Surroundings, 'pollMs'>;
  },
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
      const line = output.lines.findLast((each) => each.trim() !== '');
      if (line !== undefined) lines.set(id, cleanLine(line).trim());
    }
    const isNew = lines.size !== said.size || [...lines].some(([id, line]) => said.get(id) !== line);
    if (!isNew || isClosed) return;
    said = lines;
    onChange(said);
  }
  function poll(): void {
    timer = room.effects.setTimer(room.around.pollMs, () => void again());
  }
  async function again(): Promise<void> {
    await look();
    timer = null;
    if (!isClosed && outputs.size > 0) poll();
  }
  return {
    /** These turns run now, and no others. */
    follow(running: readonly TurnJson[]) {
      const ids = new Set(running.slice(0, MOST_TURNS).map(({ id }) => id));
      for (const id of outputs.keys()) if (!ids.has(id)) outputs.delete(id);
      for (const turn of running) {
        if (!ids.has(turn.id) || outputs.has(turn.id)) continue;
        outputs.set(turn.id, followTurn(room, turn, BOUNDS, plain));
      }
      if (timer === null && !isClosed) poll();
    },
    close() {
      isClosed = true;
      timer?.cancel();
    },
  };
}
