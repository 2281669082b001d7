// What stations of the loop have, over a room of a test: what a test does not hand in is never asked for.

import type { PulseDependencies } from '../../src/pulse/ports.ts';
import { createLoop, type Loop } from '../../src/pulse/state/loop.ts';
import type { TaskRoom } from '../../src/tasks/task-room.ts';

export interface TestLoopOptions {
  /** Of the room; the others are made up. */
  deps: Partial<TaskRoom>;
  ports?: Partial<PulseDependencies>;
  once?: boolean;
  /** Else it is thrown. */
  troubles?: unknown[];
  isOver?: boolean;
}

export function createTestLoop(options: TestLoopOptions): Loop {
  const { deps, ports, once = false, troubles, isOver = true } = options;
  const ledger = deps.ledger ?? { files: { stamps: () => new Map() } };
  const dependencies = { runners: new Map(), ...ports, deps: { ...deps, ledger } };
  const loop = createLoop(
    dependencies as unknown as PulseDependencies,
    { command: 'up', once, exitWhenIdle: false },
    {
      holdsRoom: () => true,
      onIdle() {},
      onTrouble(error) {
        if (troubles === undefined) throw error;
        troubles.push(error);
      },
      note() {},
    },
  );
  loop.firstScan.isOver = isOver;
  return loop;
}
