// An index that is kept says at every moment what one made for a single look says.
import { mkdirSync, readdirSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type TaskId, threadOfTask } from '../../../src/core/ids.ts';
import { createRecentPaths } from '../../../src/pulse/observe/observe.ts';
import { listAnswer, type TaskRow } from '../../../src/tasks/shapes/task.ts';
import { listPage } from '../../../src/tasks/views/list.ts';
import { RoomIndex } from '../../../src/tasks/views/room-index.ts';
import { createRandom } from '../../support/random.ts';
import { openTestRoom, PERSON, type TestRoom } from '../test-room.ts';

let rig: TestRoom;
let heard: ReturnType<typeof createRecentPaths>;
let index: RoomIndex;
beforeEach(() => {
  rig = openTestRoom({ coder: {} });
  heard = createRecentPaths();
  index = new RoomIndex(rig.handle, heard);
});
afterEach(() => rig.close());

const WHOLE = { all: true, agents: true, turns: true } as const;
const kept = () => ({ ...rig.handle, ports: { ...rig.handle.ports, index: () => index } });

async function check(): Promise<readonly TaskRow[]> {
  const single = await listPage(rig.handle, WHOLE, PERSON);
  expect(await listPage(kept(), WHOLE, PERSON)).toEqual(single);
  expect(listAnswer().safeParse(single).error).toBeUndefined();
  for (const task of single.tasks) {
    if (task.id === null) continue;
    const some = await listPage(kept(), { ids: [task.id, 'nowhere1'] }, PERSON);
    expect(some).toEqual({ tasks: [task], invalid: [], odd: [], total: 1, next_offset: null });
  }
  return single.tasks;
}

const task = (id: string, more = '') => `---\nid: ${id}\nstatus: todo\n${more}---\nText.\n`;

test('files that come, go, change and break, by us and by hand', async () => {
  await check();
  for (const [at, name] of ['One', 'Two', 'Three'].entries()) rig.save(`${name}.md`, task(`task000${at}`));
  await check();
  await rig.tasks.call('set', { ref: 'One', keys: { priority: 'high' } }, PERSON);
  await check();
  await rig.tasks.call('comment', { ref: 'Two', text: 'Hello.' }, PERSON);
  await check();
  // In place: neither the folder nor we know of it, only the watcher.
  writeFileSync(join(rig.dir, 'tasks/Three.md'), task('task0002', 'priority: low\n'));
  heard.note('tasks/Three.md');
  await check();
  rig.save('Three.md', '---\nstatus: nope\n---\n');
  heard.note('tasks/Three.md');
  await check();
  rig.save('Three.md', task('task0002', 'blocked_by: [task0000]\npriorty: high\n'));
  heard.note('tasks/Three.md');
  await check();
  await rig.tasks.call('complete', { ref: 'One' }, PERSON);
  await check();
  await rig.tasks.call('remove', { ref: 'Two' }, PERSON);
  await check();
  rmSync(join(rig.dir, 'tasks/Three.md'));
  await check();
  await rig.tasks.call('create', { name: 'Four' }, PERSON);
  expect((await check()).map(({ name }) => name)).toEqual(['One', 'Four']);
});

test('what is no task file is passed over, and so is what it becomes', async () => {
  writeFileSync(join(rig.dir, 'tasks/notes.txt'), 'x');
  mkdirSync(join(rig.dir, 'tasks/folder.md'));
  await check();
  rmSync(join(rig.dir, 'tasks/folder.md'), { recursive: true });
  rig.save('folder.md', task('task0003'));
  heard.note('tasks/folder.md');
  await check();
  symlinkSync('/dev/null', join(rig.dir, 'tasks/link.md'));
  await check();
  rmSync(join(rig.dir, 'tasks/notes.txt'));
  expect(await check()).toHaveLength(1);
});

test('so much at once that it is not kept path by path is looked at as a whole', async () => {
  rig.save('One.md', task('task0001'));
  await check();
  writeFileSync(join(rig.dir, 'tasks/One.md'), task('task0001', 'priority: low\n'));
  heard.note('tasks/One.md');
  for (let at = 0; at < 5_000; at += 1) heard.note('tasks/Other.md');
  expect(await check()).toMatchObject([{ priority: 'low' }]);
});

test('ids that are given twice', async () => {
  rig.save('One.md', task('task0001'));
  await check();
  rig.save('One copy.md', task('task0001'));
  expect((await check()).map(({ name, id }) => [name, id])).toEqual([
    ['One copy', null],
    ['One', 'task0001'],
  ]);
  rmSync(join(rig.dir, 'tasks/One.md'));
  expect((await check()).map(({ id }) => id)).toEqual(['task0001']);
});

function fill(): void {
  rig.save(
    'A.md',
    '---\nid: aaaa0001\nlabels: [x, "y\\tz"]\nsprint: 7\npriority: low\n---\n## Steps\n- [x] s\n- [ ] t\n',
  );
  rig.save(
    'Ünï 🙂 "quoted".md',
    '---\nid: bbbb0001\nstatus: doing\ntitle: "Tab\\t, line\\n and \\\\"\npriority: high\n---\n',
  );
  rig.save('By id.md', '---\nid: cccc0001\nblocked_by: [aaaa0001]\n---\n');
  rig.save('By name.md', '---\nid: cccc0002\nblocked_by: [A, "task:local:dddd0001"]\n---\n');
  rig.save('By what is done.md', '---\nid: cccc0003\nblocked_by: [D]\n---\n');
  rig.save('By nothing known.md', '---\nid: cccc0004\nblocked_by: [nowhere]\n---\n');
  rig.save('D.md', '---\nid: dddd0001\nstatus: done\nblocked_by: [A]\n---\n');
  rig.save('Placed.md', '---\nid: eeee0001\nsort: 2.5\npriority: low\ndue: 2027-01-02\n---\n');
  rig.save('Placed too.md', '---\nid: eeee0002\nsort: -1\nowner: coder\n---\n');
  rig.save('Without front matter.md', 'Text.\n');
  rig.save('Broken.md', '---\nstatus: [\n---\n');
}

/** A change takes in what the file says. */
async function observe(): Promise<void> {
  for (const name of ['A', 'By id', 'D', 'Placed', 'Ünï 🙂 "quoted"'])
    await rig.tasks.call('set', { ref: name, keys: { paused: 'false' } }, PERSON);
}

const asked = {
  ...{ origin: 'task', agent: 'coder', reasons: ['run'], priority: 1, askedAt: 1 },
  ...{ forced: false, outside: true },
} as const;
const ask = (id: string) =>
  rig.deps.ledger.requests.add({
    ...asked,
    origin: 'task',
    reasons: ['run'],
    thread: threadOfTask(id as TaskId),
  });

test('with all the ledger knows: finished, held, put off, asked for, running', async () => {
  fill();
  expect(await check()).toHaveLength(10);
  await observe();
  await check();
  const { tasks } = rig.deps.ledger;
  tasks.update('aaaa0001', { held: true });
  tasks.update('eeee0001', { retryAt: rig.now() + 5_000 });
  tasks.update('dddd0001', { retryAt: 1 });
  ask('cccc0001');
  const running = rig.runTurn('b12345678', 'bbbb0001');
  const byId = new Map((await check()).map((one) => [one.id as string | null, one]));
  expect(byId.get('aaaa0001')).toMatchObject({ held: true });
  expect(byId.get('eeee0001')).toMatchObject({ retry_at: new Date(rig.now() + 5_000).toISOString() });
  expect(byId.get('dddd0001')).toMatchObject({
    finished_at: expect.stringMatching(/Z$/),
    retry_at: '1970-01-01T00:00:00.001Z',
  });
  expect(byId.get('cccc0001')).toMatchObject({ pending: true, blocked: true });
  expect(byId.get('bbbb0001')).toMatchObject({ running: running.id });
  tasks.update('aaaa0001', { held: false });
  await rig.tasks.call('kill', { turn: 'bbbb0001' }, PERSON);
  expect((await check()).filter(({ held, running }) => held || running)).toEqual([]);
});

test('why a task has no turn, where its other facts do not show it', async () => {
  fill();
  rig.save('Lost.md', '---\nid: llll0001\nowner: "no \\"body\\\\"\n---\n');
  rig.save('Circle.md', '---\nid: llll0002\nblocked_by: Ring\n---\n');
  rig.save('Ring.md', '---\nid: llll0003\nblocked_by: llll0002\n---\n');
  await observe();
  rig.settings = { defaultAgent: 'coder' };
  const reasons = async () =>
    (await check()).flatMap(({ name, why_not }) => (why_not === null ? [] : [[name, why_not.reason]]));
  const always = [
    ['Circle', 'blocked'],
    ['Lost', 'no_agent'],
    ['Ring', 'blocked'],
  ];
  expect(await reasons()).toEqual(always);
  rig.daemon = true;
  for (const id of ['aaaa0001', 'cccc0001']) ask(id);
  expect(await reasons()).toEqual(expect.arrayContaining([...always, ['A', 'limit']]));
  rig.deps.ledger.meta.set('trouble', JSON.stringify([{ message: 'no disk', hint: null }]));
  expect(await reasons()).toEqual(expect.arrayContaining([...always, ['A', 'trouble']]));
});

test('whoever asks for what changed since a version has the list after any edits', async () => {
  const random = createRandom(7);
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)]!;
  const names = ['A', 'B', 'C', 'D', 'E', 'F'];
  const rows = new Map<string, TaskRow>();
  let [version, order]: [string, string[]] = ['', []];
  for (let round = 0; round < 150; round += 1) {
    const name = pick(names);
    const path = `tasks/${name}.md`;
    if (random() < 0.15 && readdirSync(join(rig.dir, 'tasks')).includes(`${name}.md`))
      unlinkSync(join(rig.dir, path));
    else if (random() < 0.1) rig.save(`${name}.md`, '---\nstatus: [\n---\n');
    else rig.save(`${name}.md`, textOf(name, pick, round));
    heard.note(path);
    if (random() < 0.3) continue;
    const told = await listPage(kept(), { since: random() < 0.1 ? 'older-1' : version }, PERSON);
    for (const row of told.tasks) rows.set(row.path, row);
    order = told.order ?? order;
    version = told.version!;
    const { tasks } = await listPage(rig.handle, { all: true }, PERSON);
    expect(order.map((each) => rows.get(each))).toEqual(tasks);
  }
});

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

test('rows that did not change stay the same objects, and the list as long as nothing did', async () => {
  rig.save('A.md', '---\nid: aaaa0001\nstatus: todo\n---\n');
  rig.save('B.md', '---\nid: bbbb0001\nblocked_by: [A]\n---\n');
  rig.save('C.md', '---\nid: cccc0001\n---\n');
  await index.look();
  const before = index.rows;
  for (const name of ['A.md', 'C.md', 'C.md~']) heard.note(`tasks/${name}`);
  await index.look();
  expect(index.rows).toBe(before);
  rig.save('A.md', '---\nid: aaaa0001\nstatus: done\n---\n');
  heard.note('tasks/A.md');
  await index.look();
  expect(index.rows.map(({ status, blocked }) => [status, blocked])).toEqual([
    ['done', false],
    ['todo', false],
    ['todo', false],
  ]);
  expect(index.rows[2]).toBe(before[2]);
});
