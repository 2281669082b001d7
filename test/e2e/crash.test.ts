// A short form of `npm run test:crash`.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runStorm } from '../crash/storm.ts';
import { judge } from '../crash/verdict.ts';
import { createRoom, type E2eRoom } from './room.ts';

let room: E2eRoom;
beforeEach(async () => {
  room = await createRoom();
});
afterEach(() => room.close());

test('a busy room whose daemon is killed at 8 random moments keeps every promise', async () => {
  const seed = Math.floor(Math.random() * 2 ** 31);
  const end = await runStorm({ room, seed, rounds: 8, tasks: 12, say: () => {} });
  expect({ seed, problems: await judge(room, end) }).toEqual({ seed, problems: [] });
}, 120_000);
