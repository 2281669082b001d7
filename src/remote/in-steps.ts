// Waiting for what is elsewhere: in short calls one after another, since requests of a turn are carried out in their order.
import { isOver, type TurnState } from '../core/rules/turn.ts';

const STEP_SECONDS = 2;

/**
 * Calls again until the turn or job is over, there is a text, or the time is up.
 * @param gone ends it after the call that is under way
 */
export async function inSteps(
  asked: object,
  call: (input: object) => Promise<unknown>,
  gone?: AbortSignal,
): Promise<unknown> {
  const { wait, ...input } = asked as { wait?: number };
  if (wait === undefined) return call(input);
  const until = performance.now() + wait * 1_000;
  for (;;) {
    const left = Math.max(0, (until - performance.now()) / 1_000);
    const said = await call({ ...input, wait: Math.min(left, STEP_SECONDS) });
    const { state, text } = said as { state: TurnState; text?: string };
    if (left === 0 || isOver(state) || text || gone?.aborted) return said;
  }
}
