// Ids are made of the bytes that are handed in, and of nothing else.
import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { isTaskId, newTag, newTaskId, newTurnId } from '../../src/core/ids.ts';

test('an id has its length and letters, and YAML reads none as a number', () => {
  for (let round = 0; round < 2_000; round += 1) {
    const id = newTaskId(randomBytes);
    expect(id).toMatch(/^[0-9a-z]{8}$/);
    expect(id).not.toMatch(/^(\d+(e\d+)?|0x[0-9a-f]+|0o[0-7]+)$/);
    expect(isTaskId(id)).toBe(true);
  }
  expect(newTurnId('command', randomBytes)).toMatch(/^b[0-9a-z]{8}$/);
  expect(newTag(randomBytes)).toMatch(/^[0-9a-z]{10}$/);
});

test('the same bytes make the same id, and bytes that would favour some letters are passed over', () => {
  const odd = [255, 10, 254, 11, 253, 47, 252, 251];
  let next = 0;
  const random = (size: number) => Uint8Array.from({ length: size }, () => odd[next++ % odd.length]!);
  const tag = newTag(random);
  expect(tag).toMatch(/^[abz]{10}$/);
  next = 0;
  expect(newTag(random)).toBe(tag);
});
