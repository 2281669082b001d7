// The operations over a turn's bridge are those of the room.
import { describe, expect, test } from 'vitest';
import { ALL } from '../../../src/operations/all.ts';
import { AT_ONCE } from '../../../src/operations/summaries.ts';
import { seedRoom, testOperations } from '../../conformance/operations.ts';
import { openBridgeRig, TURN } from './bridge-rig.ts';

describe('over the spool', () => {
  testOperations({
    answers: 'whole',
    open: async () => {
      const rig = await openBridgeRig();
      seedRoom(rig.room);
      return {
        tasks: rig.client().tasks,
        room: rig.room,
        actor: { kind: 'agent', agent: 'runbook', turn: TURN },
        close: async () => {
          expect(rig.faults).toEqual([]);
          await rig.close();
        },
      };
    },
  });
});

test('what is withdrawn when nobody answers is what only reads, and jobs', () => {
  const reading = ALL.filter(({ needs }) => needs === 'read').map(({ name }) => name);
  expect([...AT_ONCE].sort()).toEqual([...reading, 'startJob', 'stopJob'].sort());
});
