// A fault of our own at the end of a turn: real turns of a real room, whose outside world throws what nobody expects.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openRuntime } from '../../../src/app/open-room.ts';
import type { RoomEvent } from '../../../src/core/events.ts';
import { createNodeEffects } from '../../../src/node.ts';
import { tempFolder } from '../../support/temp-folder.ts';

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
