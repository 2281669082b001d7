// What every implementation of `Operations` owes its caller: the same answers and the same files as the operations that
// run in the room itself. Each case runs on both, in rooms that were alike, and whatever differs fails it.
import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { isRoomError } from '../../src/core/errors.ts';
import type { TurnId } from '../../src/core/ids.ts';
import type { Operations } from '../../src/tasks/contract/operations.ts';
import type { Actor } from '../../src/tasks/task-room.ts';
import { openTestRoom, type TestRoom } from '../tasks/test-room.ts';

export interface OperationsUnderTest {
  tasks: Operations;
  /** Holds what `seedRoom` makes, and a running turn of its task `abc12345`. */
  room: TestRoom;
  actor: Actor;
  close(): Promise<void>;
}

/** What every case begins with. */
export function seedRoom(room: TestRoom): void {
  room.save(
    'One.md',
    '---\nid: abc12345\nstatus: doing\nlabels: [web]\n---\nDo it.\n\n## Steps\n- [ ] First\n',
  );
  room.save('Part.md', '---\nid: part1234\nstatus: todo\nparent: abc12345\n---\nA part.\n');
  room.save('Other.md', '---\nid: other123\nstatus: todo\nblocked_by: [One]\n---\nAnother.\n');
  room.save('Bad.md', '---\nstatus: nope\n---\n');
}

type Case = (tasks: Operations, actor: Actor) => Promise<unknown>;

const CASES: Record<string, Case> = {
  list: (tasks) => tasks.list(),
  'list, filtered': (tasks) => tasks.list({ status: ['todo'], ready: true, limit: 5, sort: 'name' }),
  overview: (tasks) => tasks.overview(),
  show: (tasks) => tasks.show('One'),
  'show, nothing there': (tasks) => tasks.show('Nowhere'),
  names: (tasks) => tasks.names(),
  create: (tasks, actor) =>
    tasks.create({ name: 'New', body: 'Words.', labels: ['a'], parent: 'One' }, actor),
  'create, twice the same name': async (tasks, actor) => {
    await tasks.create({ name: 'New' }, actor);
    return tasks.create({ name: 'New' }, actor);
  },
  set: (tasks, actor) => tasks.set('One', { priority: 'high', 'labels+': 'cli' }, actor),
  'set, a bad value': (tasks, actor) => tasks.set('One', { priority: 'huge' }, actor),
  'set, a mistyped key': (tasks, actor) => tasks.set('One', { prioritty: 'high' }, actor, { force: true }),
  'set, another task': (tasks, actor) => tasks.set('Other', { priority: 'high' }, actor),
  'set, a subtask': (tasks, actor) => tasks.set('Part', { priority: 'high' }, actor),
  done: (tasks, actor) => tasks.setStatus('One', 'done', actor, { outcome: 'Green again.' }),
  reopen: async (tasks, actor) => {
    await tasks.setStatus('Part', 'done', actor);
    return tasks.setStatus('Part', 'todo', actor, { onlyFinished: true });
  },
  'pause and resume': async (tasks, actor) => [
    await tasks.pause('One', actor, 'waits for an answer'),
    await tasks.resume('One', actor),
  ],
  remove: (tasks, actor) => tasks.remove('Part', actor),
  'archive, open': (tasks, actor) => tasks.archive('Part', actor),
  run: (tasks, actor) => tasks.run('Part', {}, actor),
  'run, forced': (tasks, actor) => tasks.run('Part', { force: true }, actor),
  comment: (tasks, actor) => tasks.comment('Other', 'Seen here too.', actor),
  'notify and notices': async (tasks, actor) => {
    const notice = await tasks.notify('Look at this.', actor, { ref: 'One', key: 'n' });
    return [
      notice,
      await tasks.notify('Look at this.', actor, { ref: 'One', key: 'n' }),
      await tasks.notices({}),
    ];
  },
  'output of a turn without any': (tasks) => tasks.output('b11111111' as TurnId, 0, 100),
  'comment, empty': (tasks, actor) => tasks.comment('One', ' ', actor),
  'progress, once a key': async (tasks, actor) => [
    await tasks.progress('One', 'Half.', actor, 'k'),
    await tasks.progress('One', 'Half.', actor, 'k'),
  ],
  outcome: (tasks, actor) => tasks.outcome('One', 'It works.\n\n## Task\nforged', actor),
  steps: async (tasks, actor) => [
    await tasks.setStep('One', 0, true, actor),
    await tasks.addStep('One', 'Second', actor, 'with details'),
    await tasks.setSteps('One', [{ title: 'Only', details: '', done: false, task: null }], actor),
  ],
  'step, not there': (tasks, actor) => tasks.setStep('One', 7, true, actor),
  history: (tasks) => tasks.history({ limit: 3 }),
  turns: (tasks) => tasks.turns({ ref: 'One', state: 'running' }),
  turn: (tasks) => tasks.turn('One'),
  skipped: (tasks) => tasks.skipped(),
  plans: async (tasks, actor) => [
    await tasks.createPlan({ name: 'Ship', steps: [{ title: 'One more' }, { title: 'Two' }] }, actor),
    await tasks.setPlanStage('Ship', 'final', actor),
    (await tasks.plan('Ship')).tasks,
    (await tasks.plans()).plans,
    (await tasks.removePlan('Ship', actor)).unlinked,
  ],
  scopes: async (tasks, actor) => [
    await tasks.createScope('spike', actor),
    await tasks.createScope('spike', actor),
    await tasks.create({ name: 'In it', scope: 'spike' }, actor),
    (await tasks.scopes()).map(({ name, createdBy, counts }) => [name, createdBy, counts]),
    (await tasks.removeScope('spike', actor)).removed.map(({ name }) => name),
    await tasks.scopes(),
  ],
  'scopes, nothing there': (tasks, actor) => tasks.removeScope('nowhere', actor),
  'plans, nothing there': (tasks, actor) => tasks.setPlanStage('Nowhere', 'final', actor),
  'plans, a bad owner': (tasks, actor) => tasks.createPlan({ name: 'Ship', owner: 'nobody' }, actor),
  unicode: (tasks, actor) => tasks.comment('One', 'naïve 🙂 \u2028 "quoted" \\ back', actor),
};

/** Every case of the suite as tests. */
export function testOperations(open: () => Promise<OperationsUnderTest>): void {
  test.each(Object.entries(CASES))('%s', async (_name, run) => {
    const here = openTestRoom();
    const there = await open();
    try {
      seedRoom(here);
      here.runTurn('b11111111', 'abc12345');
      const expected = await outcomeOf(here, run, here.tasks, there.actor);
      expect(await outcomeOf(there.room, run, there.tasks, there.actor)).toEqual(expected);
    } finally {
      await there.close();
      await here.close();
    }
  });

  test('list as text and context hold the same', async () => {
    const there = await open();
    try {
      const text = await there.tasks.listAsJson();
      const listed = await there.room.tasks.listAsJson();
      expect(text && [...text.chunks].join('')).toBe(listed && [...listed.chunks].join(''));
      expect((await there.tasks.context('One')).context).toEqual(
        plain((await there.room.tasks.context('One')).context),
      );
    } finally {
      await there.close();
    }
  });
}

/** What came of it: the answer or the failure, and all files; made ids and tags are one word. */
async function outcomeOf(room: TestRoom, run: Case, tasks: Operations, actor: Actor): Promise<unknown> {
  const answer = await run(tasks, actor).catch((error: unknown) => {
    if (!isRoomError(error)) throw error;
    const { code, message, hint, problems } = error;
    return { code, message, hint, problems };
  });
  const files = readdirSync(`${room.dir}/tasks`)
    .filter((name) => name.endsWith('.md'))
    .sort()
    .map((name) => [name, room.read(`tasks/${name}`)]);
  const known = /^(abc12345|part1234|other123)$/;
  return JSON.parse(
    JSON.stringify({ answer: plain(answer), files })
      .replaceAll(room.dir, 'ROOM')
      .replace(/(id(?:\\?"|):\s*\\?"?)([0-9a-z]{8})\b/g, (all, before: string, id: string) =>
        known.test(id) ? all : `${before}ID`,
      )
      .replace(/<!-- c:\w+ -->/g, '<!-- c:TAG -->'),
  );
}

/** As JSON has it, a map by its entries. */
function plain(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (_key, each) => (each instanceof Map ? [...each] : each)) ?? 'null',
  );
}
