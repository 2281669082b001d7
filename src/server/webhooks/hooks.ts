// Webhooks while a room runs: listens as room.yaml says, anew when that changes, and again when a port could not be had.

import type { OpenRoom, Pulse } from '../../app/open-room.ts';
import { isRoomError, RoomError } from '../../core/errors.ts';
import type { Effects, Timer } from '../../effects.ts';
import { type Listener, listen } from './listener.ts';

export interface Hooks {
  close(): Promise<void>;
}

const AGAIN_MS = 30_000;

/** Resolves when it listens, or is known not to: a port that can't be had is trouble to be told, and the room runs on. */
export async function serveHooks(
  { config, events }: Pick<OpenRoom, 'config' | 'events'>,
  { webhooks, note }: Pick<Pulse, 'webhooks' | 'note'>,
  effects: Effects,
): Promise<Hooks> {
  let listener: Listener | null = null;
  let settings = '';
  let again: Timer | null = null;
  let isClosed = false;
  // One change after the other.
  let work = Promise.resolve();

  async function apply(): Promise<void> {
    const { hooks } = config();
    const { port, host } = hooks;
    const wanted = isClosed || port === null ? '' : JSON.stringify(hooks);
    if (wanted === settings) return;
    again?.cancel();
    if (listener !== null) {
      await listener.close();
      webhooks.close();
      listener = null;
    }
    settings = wanted;
    if (wanted === '' || port === null) return note('webhooks', null);
    try {
      listener = await listen(webhooks, { host, port }, (error) => note('webhooks', asTrouble(error)));
      await webhooks.open(listener.address);
      note('webhooks', null);
    } catch (error) {
      if (!isRoomError(error)) throw error;
      note('webhooks', error);
      settings = '';
      again = effects.setTimer(AGAIN_MS, look, true);
    }
  }

  function look(): void {
    work = work.then(apply);
  }

  const unsubscribe = events.subscribe(({ type }) => {
    if (type === 'config.reloaded') look();
  });
  look();
  await work;
  return {
    async close() {
      isClosed = true;
      unsubscribe();
      again?.cancel();
      look();
      await work;
    },
  };
}

function asTrouble(error: unknown): RoomError {
  if (isRoomError(error)) return error;
  return new RoomError('bug', `a webhook could not be taken: ${String(error)}`, { cause: error });
}
