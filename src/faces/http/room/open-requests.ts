// Requests whose answer is not sent yet, by their tokens: the connections of a token that is revoked or expires are cut, so
// that neither a stream of events nor a wait for news goes on telling.
import type { Effects, Timer } from '../../../effects.ts';
import type { RoomApi } from '../../../runtime.ts';

/** What an answer goes out by. */
export interface Connection {
  /** Cuts it at once, whatever was still to be sent. */
  drop(): void;
  /** Calls `told` once the answer is sent or its reader is gone. */
  onClose(told: () => void): void;
}

export interface OpenRequests {
  /** Until the connection closes. */
  add(tokenId: string, connection: Connection): void;
  close(): void;
}

/** Another process may revoke: that is seen by a look. */
const LOOK_MS = 500;

export function createOpenRequests(
  tokens: Pick<RoomApi['tokens'], 'list'>,
  effects: Pick<Effects, 'setTimer'>,
): OpenRequests {
  const open = new Map<Connection, string>();
  let timer: Timer | null = null;
  const look = () => {
    const good = goodTokens(tokens);
    if (good !== null) for (const [connection, id] of open) if (!good.has(id)) connection.drop();
    timer = open.size === 0 ? null : effects.setTimer(LOOK_MS, look, true);
  };
  return {
    add(tokenId, connection) {
      open.set(connection, tokenId);
      connection.onClose(() => void open.delete(connection));
      timer ??= effects.setTimer(LOOK_MS, look, true);
    },
    close: () => timer?.cancel(),
  };
}

/** Null where the ledger can't be read at the moment: the next look tells. */
function goodTokens(tokens: Pick<RoomApi['tokens'], 'list'>): ReadonlySet<string> | null {
  try {
    return new Set(tokens.list().map(({ id }) => id));
  } catch {
    return null;
  }
}
