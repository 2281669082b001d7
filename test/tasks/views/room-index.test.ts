// An index that is kept says at every moment what one made for a single look says.
import { readdirSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type TaskId, threadOfTask } from '../../../src/core/ids.ts';
import { createRecentPaths } from '../../../src/pulse/state/loop.ts';
import { listAnswer, type TaskRow } from '../../../src/tasks/shapes/task.ts';
import { listPage } from '../../../src/tasks/views/list.ts';
import { RoomIndex } from '../../../src/tasks/views/room-index.ts';
import { forEachTest } from '../../support/for-each-test.ts';
import { createRandom } from '../../support/random.ts';
import { rig, withAgents } from '../each-room.ts';
import { PERSON } from '../test-room.ts';

withAgents({ coder: {} });
const heard = forEachTest(() => createRecentPaths());
const index = forEachTest(() => new RoomIndex(rig.handle, heard));

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
    await rig.call('set', { ref: name, keys: { paused: 'false' } });
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
  await rig.call('kill', { turn: 'bbbb0001' });
  expect((await check()).filter(({ held, running }) => held || running)).toEqual([]);
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
