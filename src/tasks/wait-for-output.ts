// What a turn printed, waited for.
import { outputFormatOf } from '../core/config/output-format.ts';
import { isOver } from '../core/rules/turn.ts';
import { sleep } from '../effects.ts';
import type { RoomHandle } from './room-handle.ts';
import type { OutputJson } from './shapes/turn.ts';
import { type Actor, isAgent } from './task-room.ts';
import { readOutput } from './turn-output.ts';
import { findTurn } from './turn-records.ts';

/** Seconds; an agent asks again, since other requests of its turn come between. */
const MAX_WAIT_OF_AGENT = 2;
const LOOK_EVERY_MS = 100;

/** What a turn printed, once there is more after `offset`, the turn is over, or the time is up. */
export async function turnOutput(
  handle: RoomHandle,
  ref: string,
  { offset = 0, limit, wait = 0 }: { offset?: number; limit?: number; wait?: number },
  actor: Actor,
): Promise<OutputJson> {
  const { effects, agents } = handle.deps;
  const { id, agent } = await findTurn(handle, ref);
  const config = agents().get(agent);
  const format = config === undefined ? null : outputFormatOf(config);
  const most = isAgent(actor) ? Math.min(wait, MAX_WAIT_OF_AGENT) : wait;
  const until = effects.monotonicMs() + most * 1_000;
  for (;;) {
    // The state is read before the output: what was written until the end is then in it for sure.
    const { state, reason } = await findTurn(handle, id);
    const read = await readOutput(handle, id, offset, limit);
    const left = until - effects.monotonicMs();
    if (read.text !== '' || isOver(state) || left <= 0)
      return { turn: id, state, reason, offset, ...read, format };
    await sleep(effects, Math.min(LOOK_EVERY_MS, left));
  }
}
