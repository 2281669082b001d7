// Tokens at the command line.
import { expect, test } from 'vitest';
import { makeRoom } from './room-folder.ts';

test('a token says what it opens', async () => {
  const room = makeRoom();
  const vague = await room.run(['token', 'new', 'laptop']);
  expect([vague.code, vague.err]).toEqual([2, expect.stringContaining('full, assistant, readonly, worker')]);
  expect((await room.run(['token', 'new', 'laptop', '--full', '--json'])).json()).toMatchObject({
    access: 'full',
  });
});
