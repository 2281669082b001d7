// The bridges that are open, by their turns: a turn that runs on another machine reports through the bridge that was made
// for it here.
import type { BridgeAnswer } from '../../remote/wire.ts';

export interface OpenBridge {
  /** Carries out one request of the turn's agent as the bridge's socket does, but for what only an agent here may ask. Never rejects. */
  carry(text: string): Promise<BridgeAnswer>;
  /** The secret that the turn's agent reports with at that attempt; its hash is on record when it resolves. */
  secretOf(attempt: string): Promise<string>;
}

export interface OpenBridges {
  get(turn: string): OpenBridge | null;
  add(turn: string, bridge: OpenBridge): void;
  remove(turn: string, bridge: OpenBridge): void;
}

export function createOpenBridges(): OpenBridges {
  const bridges = new Map<string, OpenBridge>();
  return {
    get: (turn) => bridges.get(turn) ?? null,
    add: (turn, bridge) => void bridges.set(turn, bridge),
    remove(turn, bridge) {
      if (bridges.get(turn) === bridge) bridges.delete(turn);
    },
  };
}
