// What a turn that can't be driven waits for: longer each time, on a clock that is moved by hand.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openRuntime } from '../../../src/app/open-room.ts';
import type { RoomEvent } from '../../../src/core/events.ts';
import { type TaskId, type TurnId, threadOfTask } from '../../../src/core/ids.ts';
import { createNodeEffects } from '../../../src/node.ts';
import type { TurnSlot } from '../../../src/pulse/state/loop.ts';
import { createTurns } from '../../../src/pulse/turn/turns.ts';
import { defaultRoomConfig } from '../../../src/store/files/config-files.ts';
import { openLedger } from '../../../src/store/ledger/ledger.ts';
import { createManualClock } from '../../support/manual-clock.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import { createTestLoop } from '../../support/test-loop.ts';

const thread = threadOfTask('aaaa0001' as TaskId);

function rig(drive: () => Promise<'completed'>) {
  const clock = createManualClock();
  const driver = { drive, adopt: drive, interrupt: drive };
  const deps = {
    ledger: openLedger(':memory:', { effects: createNodeEffects() }),
    effects: clock,
    config: defaultRoomConfig,
    agents: () => new Map(),
  };
  const loop = createTestLoop({ deps, ports: { endProcesses: async () => {} }, troubles: [] });
  const turns = createTurns(loop, () => driver);
  const stop = new AbortController();
  const slot: TurnSlot = { signal: stop.signal, output() {}, checking: () => stop.signal, spends() {} };
  const run = () => turns.run({ thread, id: 'b1' as TurnId } as never, slot);
  return { clock, run, stop };
}

async function restOf({ clock, run }: ReturnType<typeof rig>): Promise<number> {
  const from = clock.monotonicMs();
  const over = run().then(() => clock.monotonicMs());
  await new Promise(setImmediate);
  await clock.advanceGently(400_000);
  return (await over) - from;
}

test('after a bug each rest is longer than the one before, up to five minutes, and a good turn begins anew', async () => {
  let isBroken = true;
  const turns = rig(async () => {
    if (isBroken) throw new TypeError('a bug');
    return 'completed';
  });
  const rests: number[] = [];
  for (let at = 0; at < 10; at += 1) rests.push(await restOf(turns));
  expect(rests.slice(0, 5)).toEqual([2_000, 4_000, 8_000, 16_000, 32_000]);
  expect(rests.at(-1)).toBe(300_000);
  isBroken = false;
  await turns.run();
  isBroken = true;
  expect(await restOf(turns)).toBe(2_000);
});

test('a stop ends a long rest', async () => {
  const turns = rig(async () => {
    throw new TypeError('a bug');
  });
  for (let at = 0; at < 6; at += 1) await restOf(turns);
  turns.stop.abort();
  expect(await restOf(turns)).toBe(2_000);
});

// A fault of our own at the end of a turn: real turns of a real room, whose outside world throws what nobody expects.
const dir = tempFolder('lost-end');

test('a turn whose end a bug keeps from being taken in has failed with that, and the room goes on', async () => {
  const base = createNodeEffects();
  let broken = 2;
  const effects = {
    ...base,
    // Rests after a fault are seconds.
    setTimer: (delayMs: number, ...rest: [() => void, boolean?]) => base.setTimer(delayMs / 50, ...rest),
    // What the end of a turn asks for: how its retry is spread.
    randomBytes(size: number) {
      if (new Error('asked').stack?.includes('task-end') && broken-- > 0)
        throw new TypeError('nobody thought of this');
      return base.randomBytes(size);
    },
  };
  mkdirSync(join(dir, 'agents/one'), { recursive: true });
  mkdirSync(join(dir, 'tasks'));
  writeFileSync(join(dir, 'room.yaml'), 'default_agent: one\n');
  writeFileSync(join(dir, 'agents/one/agent.json'), '{"runner":"command","command":["true"]}');
  const runtime = await openRuntime(dir, effects);
  const events: RoomEvent[] = [];
  const ended = new Promise<void>((resolve) => {
    runtime.events.subscribe((event) => {
      events.push(event);
      if (event.type === 'turn.ended') resolve();
    });
  });
  writeFileSync(join(dir, 'tasks/One.md'), '---\nstatus: todo\nowner: one\n---\nOne.\n');
  const pulse = await runtime.startPulse({ command: 'up' });
  await ended;
  expect((await runtime.tasks.call('show', { ref: 'One' }, { kind: 'person' })).running).toBeNull();
  await pulse.stop(0);
  const told = (type: RoomEvent['type']) => events.filter((event) => event.type === type);
  expect(told('room.trouble')).toMatchObject([{ message: /^bug: TypeError: nobody thought of this\n/ }]);
  expect(told('turn.ended')).toMatchObject([
    { state: 'failed', message: 'a fault of taskroom lost its end: TypeError: nobody thought of this' },
  ]);
  await runtime.close();
});
