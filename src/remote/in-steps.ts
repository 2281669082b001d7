// Waiting for what is elsewhere: in short calls one after another.
import { isOver, type TurnState } from '../core/rules/turn.ts';

/** Requests of a turn are carried out in their order. */
const STEP_SECONDS = 2;
/** Who can be gone is waited for no longer than this. */
const SHORT_STEP_SECONDS = 0.2;

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
    const said = await call({
      ...input,
      wait: Math.min(left, gone === undefined ? STEP_SECONDS : SHORT_STEP_SECONDS),
    });
    const { state, text } = said as { state: TurnState; text?: string };
    if (left === 0 || isOver(state) || text || gone?.aborted) return said;
  }
}
