// The list put together from kept lines says, byte for byte, what the list of objects says.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type TaskId, threadOfTask } from '../../../src/core/ids.ts';
import { listAsJson } from '../../../src/tasks/read/lists/list-json.ts';
import { listPage } from '../../../src/tasks/read/lists/list-page.ts';
import { type ListInput, listAnswer } from '../../../src/tasks/shapes/list.ts';
import type { TaskRow } from '../../../src/tasks/shapes/task.ts';
import { openTestRoom, PERSON, type TestRoom } from '../test-room.ts';

let rig: TestRoom;
beforeEach(() => {
  rig = openTestRoom({ coder: {} });
});
afterEach(() => rig.close());

const WHOLE = { all: true, agents: true, turns: true } as const;
const textOf = (input: ListInput) => listAsJson(rig.handle, input, PERSON);

async function bothWays(): Promise<{ fast: string; slow: string }> {
  const ready = await textOf(WHOLE);
  if (ready === null) throw new Error('no lines');
  const slow = await listPage(rig.handle, WHOLE, PERSON);
  expect(listAnswer().safeParse(slow).error).toBeUndefined();
  await expectSingles(slow.tasks);
  return { fast: [...ready].join(''), slow: JSON.stringify(slow) };
}

/** Asked for by its id, each task is what the list says of it. */
async function expectSingles(tasks: readonly TaskRow[]): Promise<void> {
  for (const task of tasks) {
    if (task.id === null) continue;
    const some = await textOf({ ids: [task.id, 'nowhere1'] });
    const told = JSON.parse([...some!].join(''));
    expect(told).toEqual({ tasks: [task], invalid: [], odd: [], total: 1, next_offset: null });
  }
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
  rig.save(
    'Placed.md',
    '---\nid: eeee0001\nsort: 2.5\npriority: low\nparent: aaaa0001\ndue: 2027-01-02\n---\n',
  );
  rig.save(
    'Placed too.md',
    '---\nid: eeee0002\nsort: -1\nowner: coder\nrequester: agent:coder\nactive_form: Placing\n---\n',
  );
  rig.save('Without front matter.md', 'Text.\n');
  rig.save('Broken.md', '---\nstatus: [\n---\n');
}

/** A change takes in what the file says. */
async function observe(): Promise<void> {
  for (const name of ['A', 'By id', 'D', 'Placed', 'Ünï 🙂 "quoted"'])
    await rig.tasks.call('set', { ref: name, keys: { paused: 'false' } }, PERSON);
}

test('of files nobody observed', async () => {
  fill();
  const { fast, slow } = await bothWays();
  expect(fast).toBe(slow);
  expect(JSON.parse(fast).tasks).toHaveLength(10);
  expect(JSON.parse(fast).invalid).toHaveLength(1);
});

test('with all the ledger knows: finished, held, put off, asked for, running', async () => {
  fill();
  await observe();
  const { tasks, requests } = rig.deps.ledger;
  tasks.update('aaaa0001', { held: true });
  tasks.update('eeee0001', { retryAt: rig.now() + 5_000 });
  tasks.update('dddd0001', { retryAt: 1 });
  const asked = {
    origin: 'task',
    agent: 'coder',
    reasons: [],
    priority: 1,
    askedAt: 1,
    forced: false,
    outside: true,
  } as const;
  requests.add({ ...asked, reasons: ['run'], thread: threadOfTask('cccc0001' as TaskId) });
  const running = rig.runTurn('b12345678', 'bbbb0001');
  const { fast, slow } = await bothWays();
  expect(fast).toBe(slow);
  const byId = new Map(JSON.parse(fast).tasks.map((task: { id: string }) => [task.id, task]));
  expect(byId.get('aaaa0001')).toMatchObject({ held: true });
  expect(byId.get('eeee0001')).toMatchObject({ retry_at: new Date(rig.now() + 5_000).toISOString() });
  expect(byId.get('dddd0001')).toMatchObject({
    finished_at: expect.stringMatching(/Z$/),
    retry_at: '1970-01-01T00:00:00.001Z',
  });
  expect(byId.get('cccc0001')).toMatchObject({ pending: true, blocked: true });
  expect(byId.get('bbbb0001')).toMatchObject({ running: running.id });
});

test('why a task has no turn, where its other facts do not show it', async () => {
  fill();
  rig.save('Lost.md', '---\nid: llll0001\nowner: "no \\"body\\\\"\n---\n');
  rig.save('Circle.md', '---\nid: llll0002\nblocked_by: Ring\n---\n');
  rig.save('Ring.md', '---\nid: llll0003\nblocked_by: llll0002\n---\n');
  await observe();
  rig.settings = { defaultAgent: 'coder' };
  const reasons = async () => {
    const { fast, slow } = await bothWays();
    expect(fast).toBe(slow);
    const listed = JSON.parse(fast).tasks.filter((task: { why_not: object | null }) => task.why_not !== null);
    return listed.map((task: { name: string; why_not: { reason: string } }) => [
      task.name,
      task.why_not.reason,
    ]);
  };
  const always = [
    ['Circle', 'blocked'],
    ['Lost', 'no_agent'],
    ['Ring', 'blocked'],
  ];
  expect(await reasons()).toEqual(always);
  rig.daemon = true;
  const asked = {
    origin: 'task',
    agent: 'coder',
    priority: 1,
    askedAt: 1,
    forced: false,
    outside: true,
  } as const;
  for (const id of ['aaaa0001', 'cccc0001'])
    rig.deps.ledger.requests.add({ ...asked, reasons: ['run'], thread: threadOfTask(id as TaskId) });
  expect(await reasons()).toEqual(expect.arrayContaining([...always, ['A', 'limit']]));
  rig.deps.ledger.meta.set('trouble', JSON.stringify([{ message: 'no disk', hint: null }]));
  expect(await reasons()).toEqual(expect.arrayContaining([...always, ['A', 'trouble']]));
});

test('an edit, a new file, a deletion and a mended file since the last look count', async () => {
  fill();
  await observe();
  await bothWays();
  rig.save('A.md', '---\nid: aaaa0001\nstatus: done\n---\n');
  rig.save('New.md', '---\nid: ffff0001\n---\n');
  rig.save('Broken.md', '---\nid: gggg0001\nstatus: todo\n---\n');
  const { fast, slow } = await bothWays();
  expect(fast).toBe(slow);
  expect(JSON.parse(fast).tasks.find(({ id }: { id: string }) => id === 'cccc0001').blocked).toBe(false);
  expect(JSON.parse(fast).tasks.map(({ name }: { name: string }) => name)).toContain('New');
  expect(JSON.parse(fast).invalid).toEqual([]);
});

test('ids given twice take the closer look', async () => {
  rig.save('A.md', '---\nid: aaaa0001\n---\n');
  rig.save('Copy of A.md', '---\nid: aaaa0001\n---\n');
  expect(await textOf({ all: true })).toBeNull();
});

test('an empty room', async () => {
  const { fast, slow } = await bothWays();
  expect(fast).toBe(slow);
  expect(JSON.parse(fast)).toMatchObject({ tasks: [], invalid: [], odd: [], total: 0 });
});

test('pieces of a long list join to one document', async () => {
  for (let at = 0; at < 1001; at += 1)
    rig.save(`Task ${at}.md`, `---\nid: t${String(at).padStart(7, '0')}\n---\n`);
  const chunks = [...(await textOf({ all: true }))!];
  expect(chunks.length).toBeLessThanOrEqual(6);
  expect(JSON.parse(chunks.join('')).tasks).toHaveLength(1001);
});
