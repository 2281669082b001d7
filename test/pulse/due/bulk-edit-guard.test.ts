// A mass edit is told by when files were saved, however long reading them takes.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type TaskId, threadOfTask } from '../../../src/core/ids.ts';
import { createBulkEditGuard } from '../../../src/pulse/due/decide-tasks.ts';
import { createManualClock, type ManualClock } from '../../support/manual-clock.ts';
import { openTestRoom, PERSON, type TestRoom } from '../../tasks/test-room.ts';

const LIMIT = 10;
let rig: TestRoom;
let clock: ManualClock;
let bulkEdits: ReturnType<typeof createBulkEditGuard>;
beforeEach(() => {
  rig = openTestRoom();
  rig.settings = { holdAbove: LIMIT };
  clock = createManualClock();
  bulkEdits = createBulkEditGuard({ ...rig.deps, effects: clock });
});
afterEach(() => rig.close());

/** Files saved now, and taken in. */
async function save(from: number, count: number): Promise<TaskId[]> {
  const ids = Array.from({ length: count }, (_, at) => `task${from + at}` as TaskId);
  for (const id of ids) rig.save(`${id}.md`, `---\nid: ${id}\n---\nDo ${id}.\n`);
  await rig.tasks.call('release', {}, PERSON);
  return ids;
}

function ask(ids: readonly TaskId[]): void {
  const asked = { origin: 'task', agent: 'runbook', priority: 1, askedAt: 1 } as const;
  for (const id of ids)
    rig.deps.ledger.requests.add({
      ...asked,
      reasons: ['new'],
      thread: threadOfTask(id),
      forced: false,
      outside: true,
    });
}

const held = () =>
  rig.deps.ledger.tasks
    .held()
    .map(({ id }) => id)
    .sort();

test('files saved together count together, though they are read minutes apart', async () => {
  const ids = await save(0, LIMIT + 2);
  for (const [at, id] of ids.slice(0, LIMIT).entries()) {
    expect([at, bulkEdits.hold([id])]).toEqual([at, false]);
    ask([id]);
    clock.advance(20_000);
  }
  // One of them started before anybody could know; what is asked for and did not start is taken back.
  rig.deps.ledger.requests.delete(threadOfTask(ids[0]!));
  expect(bulkEdits.hold([ids[LIMIT]!])).toBe(true);
  clock.advance(20_000);
  expect(bulkEdits.hold([ids[LIMIT + 1]!])).toBe(true);
  expect(held()).toEqual(ids.slice(1).sort());
});

test('files saved at other times do not, though they are read at once after a wait', async () => {
  const ids = await save(0, LIMIT);
  const { ctimeMs } = statSync(join(rig.dir, 'tasks/task0.md'));
  for (const id of ids) bulkEdits.hold([id]);
  clock.advance(3_000);
  const [late] = await save(LIMIT, 1);
  const row = rig.deps.ledger.files.get(`tasks/${late}.md`)!;
  const stamp = { ...row.stamp, ctimeMs: ctimeMs + 60_000 };
  rig.deps.ledger.files.put({ ...row, stamp }, true);
  expect(bulkEdits.hold([late!])).toBe(false);
  expect(held()).toEqual([]);
});

test('what is found at once counts together, whatever its files say', async () => {
  const ids = await save(0, LIMIT + 1);
  for (const [at, id] of ids.entries()) {
    const row = rig.deps.ledger.files.get(`tasks/${id}.md`)!;
    rig.deps.ledger.files.put({ ...row, stamp: { ...row.stamp, ctimeMs: at * 60_000 } }, true);
  }
  expect(bulkEdits.hold(ids)).toBe(true);
  expect(held()).toEqual([...ids].sort());
});

test('a task that is edited again and again counts once', async () => {
  const [id] = await save(0, 1);
  for (let at = 0; at < LIMIT + 5; at += 1) expect(bulkEdits.hold([id!])).toBe(false);
  await rig.tasks.call('comment', { ref: id!, text: 'x' }, PERSON);
  expect(held()).toEqual([]);
});
