// The list as the board reads it: in pieces, cut anywhere, with texts that look like the seams between tasks.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parsePieces } from '../../src/web/api/task-list.ts';

const EVIL = ['},{"id":', '],"agents":[', '{"tasks":[', '"', '\\', '\\"},{\\"id\\":', '}', '\u2028', 'ש'];

const row = fc.record({
  id: fc.option(fc.string()),
  name: fc.constantFrom(...EVIL),
  labels: fc.array(fc.constantFrom(...EVIL), { maxLength: 3 }),
  why_not: fc.option(fc.record({ text: fc.constantFrom(...EVIL) })),
  // So that a list has some pieces.
  title: fc.integer({ min: 40_000, max: 90_000 }).map((length) => 'a'.repeat(length)),
});

async function* cut(text: string, sizes: readonly number[]) {
  let at = 0;
  for (let turn = 0; at < text.length; turn += 1) {
    const size = sizes[turn % sizes.length]!;
    yield text.slice(at, at + size);
    at += size;
  }
}

test('pieces make what the whole text makes', async () => {
  let told = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(row, { minLength: 10, maxLength: 14 }),
      fc.array(fc.integer({ min: 1_000, max: 80_000 }), { minLength: 1, maxLength: 5 }),
      async (tasks, sizes) => {
        const list = { tasks, agents: [{ id: 'a' }, { id: 'b' }], in_flight: [], invalid: [], total: 3 };
        const read = await parsePieces(cut(JSON.stringify(list), sizes), (first) => {
          told += 1;
          expect(first).toEqual(tasks.slice(0, first.length));
        });
        expect(read).toEqual(list);
      },
    ),
    { numRuns: 60 },
  );
  expect(told).toBe(60);
});

test('a list of no tasks is one piece', async () => {
  const list = { tasks: [], agents: [{ id: 'a' }], total: 0 };
  expect(await parsePieces(cut(JSON.stringify(list), [7]), () => expect.unreachable())).toEqual(list);
});
