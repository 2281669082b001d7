import { readdirSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createLiveTasks, type LiveTasks } from '../../../src/tasks/read/lists/live-tasks.ts';
import { createRandom } from '../../support/random.ts';
import { openTestRoom, PERSON, type TestRoom } from '../test-room.ts';

let rig: TestRoom;
let live: LiveTasks;
beforeEach(() => {
  rig = openTestRoom();
  live = createLiveTasks(rig.handle);
});
afterEach(() => rig.close());

test('what it holds after any edits is what a list of the whole room says', async () => {
  const random = createRandom(7);
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)]!;
  const names = ['A', 'B', 'C', 'D', 'E', 'F'];
  await live.look(null);
  for (let round = 0; round < 150; round += 1) {
    const name = pick(names);
    const path = `tasks/${name}.md`;
    if (random() < 0.15 && readdirSync(join(rig.dir, 'tasks')).includes(`${name}.md`))
      unlinkSync(join(rig.dir, path));
    else if (random() < 0.1) rig.save(`${name}.md`, '---\nstatus: [\n---\n');
    else rig.save(`${name}.md`, textOf(name, pick, round));
    await live.look(random() < 0.1 ? null : [path]);
    expect(live.tasks()).toEqual(await listed());
  }
});

/** The list, without why tasks have no turn: the screen shows that from its other facts. */
async function listed() {
  const { tasks } = await rig.tasks.call('list', { all: true }, PERSON);
  return tasks.map((task) => ({ ...task, why_not: null }));
}

function textOf(name: string, pick: <T>(items: readonly T[]) => T, round: number): string {
  const keys = [
    `id: ${name.toLowerCase().repeat(4)}0001`,
    `status: ${pick(['todo', 'doing', 'done', 'draft'])}`,
    pick(['', `blocked_by: [${pick(['A', 'B', 'cccc0001', 'Nobody'])}]`]),
    pick(['', `sort: ${round}`, 'priority: high', 'priority: low']),
    pick(['', `active_form: Round ${round}`, 'paused: yes']),
  ];
  return `---\n${keys.filter(Boolean).join('\n')}\n---\nRound ${round}.\n`;
}

test('tasks that did not change stay the same objects, and the list as long as nothing did', async () => {
  rig.save('A.md', '---\nid: aaaa0001\nstatus: todo\n---\n');
  rig.save('B.md', '---\nid: bbbb0001\nblocked_by: [A]\n---\n');
  rig.save('C.md', '---\nid: cccc0001\n---\n');
  await live.look(null);
  const before = live.tasks();
  expect(live.tasks()).toBe(before);
  await live.look(['tasks/A.md', 'tasks/C.md', 'tasks/C.md~']);
  expect(live.tasks()).toBe(before);
  rig.save('A.md', '---\nid: aaaa0001\nstatus: done\n---\n');
  await live.look(['tasks/A.md']);
  const after = live.tasks();
  expect(after.map(({ status, blocked }) => [status, blocked])).toEqual([
    ['done', false],
    ['todo', false],
    ['todo', false],
  ]);
  expect(after[2]).toBe(before[2]);
});

test('turns of the ledger are taken in when it is asked to, with what asks for them', async () => {
  rig.save('A.md', '---\nid: aaaa0001\nstatus: todo\n---\n');
  rig.save('B.md', '---\nid: bbbb0001\nstatus: todo\n---\n');
  await rig.tasks.call('pause', { ref: 'B' }, PERSON);
  await live.look(null);
  const turn = rig.runTurn('b00000001', 'aaaa0001');
  expect(live.tasks()[0]!.running).toBeNull();
  live.lookAtTurns();
  expect(live.tasks()).toEqual(await listed());
  expect(live.tasks()[0]!.running).toBe(turn.id);
  await rig.tasks.call('kill', { turn: 'A' }, PERSON);
  live.lookAtTurns();
  expect(live.tasks()[0]!.running).toBeNull();
});

test('another process that changes the ledger changes the version', async () => {
  const before = live.version();
  expect(live.version()).toBe(before);
  rig.save('A.md', '---\nstatus: todo\n---\n');
  const other = openTestRoom();
  await other.reopen(rig.deps.room.ledgerPath);
  other.deps.ledger.meta.set('x', 'y');
  await other.close();
  expect(live.version()).not.toBe(before);
});
