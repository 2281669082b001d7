// The operations for a caller elsewhere. The other end knows who asks, and validates. To wait is to make short calls one after another.
import { isOver, type TurnState } from '../core/rules/turn.ts';
import type { Actor, CallOperation, Client } from '../operations/client.ts';

/** Carries one operation out elsewhere. Rejects with the RoomError that it failed with. */
export type Send = (name: string, input: object, signal?: AbortSignal, actor?: Actor) => Promise<unknown>;

export function createRemoteClient(send: Send): Client {
  const call: CallOperation = (name, input, actor, _accepted, { signal } = {}) =>
    inSteps(withoutUndefined(input), (asked) => send(name, asked, signal, actor)) as Promise<never>;
  return { call };
}

/** JSON says nothing of them, and the other end refuses what it does not know. */
const withoutUndefined = <Input extends object>(input: Input): Input =>
  Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined)) as Input;

const STEP_SECONDS = 2; // One call waits no longer: requests of a turn are carried out in their order.
const SHORT_STEP_SECONDS = 0.2; // Who can be gone is waited for no longer than this.

/** Calls again until the turn or job is over, there is a text, or the time is up. @param gone ends it after the call that is under way */
export async function inSteps(asked: object, call: (input: object) => Promise<unknown>, gone?: AbortSignal) {
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
