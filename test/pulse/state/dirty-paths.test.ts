// One path at a time, on a clock that is moved by hand.
import { expect, test } from 'vitest';
import { createDirtyPaths } from '../../../src/pulse/state/dirty-keys.ts';
import { createTimers } from '../../../src/pulse/state/timers.ts';
import type { FileStamp } from '../../../src/store/ledger/tasks/files.ts';
import type { TaskRoom } from '../../../src/tasks/task-room.ts';
import { createManualClock } from '../../support/manual-clock.ts';

const STAMP: FileStamp = { size: 1, mtimeMs: 1, ctimeMs: 1, ino: 1 };

function rig() {
  const effects = createManualClock();
  const stamps = new Map([
    ['a', STAMP],
    ['b', STAMP],
  ]);
  const onTrouble = (error: unknown) => void troubles.push((error as Error).message);
  const timers = createTimers(effects, { onTrouble, keepsAlive: true });
  const begun: string[] = [];
  const troubles: string[] = [];
  const ends = new Map<string, (error?: Error) => void>();
  const deps = { ledger: { files: { stamps: () => stamps } } } as unknown as TaskRoom;
  const paths = createDirtyPaths(deps, timers, { during: (work) => work(), onTrouble });
  paths.takenBy((path) => {
    begun.push(path);
    return new Promise((resolve, reject) => {
      ends.set(path, (error) => (error ? reject(error) : resolve()));
    });
  });
  const end = async (path: string, error?: Error) => {
    ends.get(path)!(error);
    await new Promise((resolve) => setImmediate(resolve));
  };
  const busy = () => [...paths.unread.keys(), ...timers.waiting.keys()];
  return { effects, stamps, timers, begun, troubles, paths, end, busy };
}

test('hints that come while a path is taken in make it look once more; other paths go on', async () => {
  const { begun, paths, end, busy } = rig();
  const done = paths.push('a');
  void paths.push('a');
  void paths.push('a');
  void paths.push('b');
  expect(begun).toEqual(['a', 'b']);
  await end('a');
  expect(begun).toEqual(['a', 'b', 'a']);
  expect(busy()).not.toEqual([]);
  await end('a');
  await done;
  await end('b');
  expect(begun).toEqual(['a', 'b', 'a']);
  expect(busy()).toEqual([]);
});

test('what goes wrong is told, and the path looked at again after a while, whatever its file looks like', async () => {
  const { effects, stamps, begun, troubles, paths, end, busy } = rig();
  void paths.push('a');
  await end('a', new Error('disk full'));
  expect(troubles).toEqual(['disk full']);
  expect(stamps.has('a')).toBe(false);
  expect(busy()).toEqual(['a']);
  effects.advance(1_999);
  expect(begun).toEqual(['a']);
  effects.advance(1);
  expect(begun).toEqual(['a', 'a']);
  await end('a');
  expect(busy()).toEqual([]);
});

test('a closed queue takes nothing in any more, and nothing waits', async () => {
  const { effects, timers, begun, paths, end, busy } = rig();
  void paths.push('a');
  void paths.push('a');
  paths.pushLater('b', 100);
  timers.close();
  await end('a');
  void paths.push('b');
  paths.pushLater('b', 100);
  effects.advance(200);
  await new Promise((resolve) => setImmediate(resolve));
  expect(begun).toEqual(['a']);
  expect(busy()).toEqual([]);
});
