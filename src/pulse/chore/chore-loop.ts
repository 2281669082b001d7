// The chores of a running room: what is due becomes a sync, or a request like any other, and its turn is driven here.
import { type Chores, createChores } from '../../chores/chores.ts';
import { createKnownChores } from '../../chores/known-chores.ts';
import type { Chore } from '../../core/chore/chore.ts';
import { type ThreadId, threadOfChore } from '../../core/ids.ts';
import type { Wake } from '../../core/rules/decide.ts';
import type { RunningTurn } from '../../core/rules/dispatch.ts';
import type { TurnReason } from '../../core/rules/turn.ts';
import type { TurnRecord, TurnRequest } from '../../store/ledger/turns.ts';
import type { PulseDependencies } from '../pulse-dependencies.ts';
import type { TurnSlot } from '../scheduler.ts';
import type { DriverOptions, TurnFate } from '../turn/driver-options.ts';
import { adoptChoreTurn, type ChoreDriver, driveChoreTurn, interruptChoreTurn } from './chore-turn.ts';

export interface ChoreLoopOptions {
  parts: PulseDependencies;
  driver: DriverOptions;
  once: boolean;
  stopTurn(thread: ThreadId, reason: TurnReason): void;
  /** A sync is over, well or not; it counts as running until this is done. */
  onSynced(): Promise<void>;
  /** Turns were asked for, or a sync ended. */
  onChange(): void;
}

export interface ChoreLoop {
  readonly chores: Chores;
  drive(request: TurnRequest, running: RunningTurn, slot: TurnSlot): Promise<TurnFate>;
  adopt(turn: TurnRecord, slot: TurnSlot): Promise<TurnFate>;
  interrupt(turn: TurnRecord): void;
}

const PRIORITY = 1;

export function createChoreLoop({
  parts,
  driver,
  once,
  stopTurn,
  onSynced,
  onChange,
}: ChoreLoopOptions): ChoreLoop {
  const { deps, queue } = parts;

  function askTurn(chore: Chore, reason: Wake): void {
    queue.ask({
      thread: threadOfChore(chore.name),
      origin: 'chore',
      agent: chore.owner ?? deps.config().defaultAgent,
      reasons: [reason],
      priority: PRIORITY,
      askedAt: deps.effects.now(),
      forced: false,
      outside: reason === 'run',
    });
  }

  const known = createKnownChores(deps);
  const chores = createChores({
    deps,
    known,
    once,
    async syncChore(chore, signal) {
      try {
        return await parts.syncChore(chore, signal);
      } finally {
        await onSynced();
      }
    },
    askTurn,
    stopTurn(name, reason) {
      const thread = threadOfChore(name);
      if (queue.drop(thread)) deps.ledger.chores.update(name, { endedAt: deps.effects.now() });
      stopTurn(thread, reason);
    },
    onChange,
    onTrouble: driver.onTrouble,
  });
  const choreDriver: ChoreDriver = { ...driver, findChore: known.find };
  return {
    chores,
    drive: (request, running, slot) => driveChoreTurn(choreDriver, request, running, slot),
    adopt: (turn, slot) => adoptChoreTurn(choreDriver, turn, slot),
    interrupt: (turn) => void interruptChoreTurn(choreDriver, turn),
  };
}
