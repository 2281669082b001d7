// Several tasks changed at once: all or nothing, whoever edits, refuses or dies in the middle.
import { beforeEach, describe, expect, test } from 'vitest';
import { RoomError } from '../../../src/core/errors.ts';
import type { TurnId } from '../../../src/core/ids.ts';
import type { Writer } from '../../../src/store/write/writer.ts';
import { finishBulks } from '../../../src/tasks/bulk/carry-out-bulk.ts';
import type { BulkChange } from '../../../src/tasks/shapes/change.ts';
import type { Actor } from '../../../src/tasks/task-room.ts';
import { rig } from '../each-room.ts';
import { codeOf, failureOf, openTestRoom } from '../test-room.ts';

const A = '---\nid: aaaa1111\nstatus: todo # mine\n---\nDo A.\n';
const B = '---\nid: bbbb1111\nstatus: todo\n---\nDo B.\n';
const C = '---\nid: cccc1111\nstatus: done\n---\nDid C.\n';

const CHANGES: BulkChange[] = [
  { do: 'create', name: 'New', description: 'Words.', blocked_by: ['Later'] },
  { do: 'update', ref: 'A', keys: { priority: 'high' }, status: 'doing' },
  { do: 'complete', ref: 'B', outcome: 'It works.' },
  { do: 'delete', ref: 'C' },
  { do: 'create', name: 'Later' },
];

beforeEach(() => {
  rig.save('A.md', A);
  rig.save('B.md', B);
  rig.save('C.md', C);
});

const files = () => Object.fromEntries(rig.names('tasks').map((name) => [name, rig.read(`tasks/${name}`)]));
const untouched = { 'A.md': A, 'B.md': B, 'C.md': C };

function expectDone(): void {
  expect(rig.names('tasks')).toEqual(['A.md', 'B.md', 'Later.md', 'New.md']);
  expect(rig.read('tasks/A.md')).toContain('status: doing # mine');
  expect(rig.read('tasks/A.md')).toContain('priority: high');
  expect(rig.read('tasks/B.md')).toContain('status: done');
  expect(rig.read('tasks/B.md').match(/It works\./g)).toHaveLength(1);
  expect(rig.names('.taskroom/attic')).toHaveLength(1);
  expect(rig.deps.ledger.bulks.hasOpen()).toBe(false);
}

/** The writer does `what` in the place of its `at`-th write, when those before it are over. */
function interfere(at: number, what: () => void): void {
  const writes: Promise<unknown>[] = [];
  const { writer } = rig.deps;
  const count = <Args extends unknown[], Result>(write: (...args: Args) => Promise<Result>) => {
    return (...args: Args): Promise<Result> => {
      const before = writes.length + 1 === at ? Promise.allSettled(writes).then(what) : null;
      const written = before === null ? write(...args) : before.then(() => write(...args));
      writes.push(written);
      return written;
    };
  };
  const faulty: Writer = { ...writer, create: count(writer.create), edit: count(writer.edit) };
  Object.assign(rig.deps, { writer: faulty });
}

class Killed extends Error {}

test('makes all of them, and answers each', async () => {
  const answers = (await rig.call('bulk', { changes: CHANGES })).tasks;
  expect(answers.map(({ name, changed }) => [name, changed])).toEqual([
    ['New', true],
    ['A', true],
    ['B', true],
    ['C', true],
    ['Later', true],
  ]);
  expectDone();
  const later = await rig.call('show', { ref: 'Later' });
  expect(rig.read('tasks/New.md')).toContain(`blocked_by: [${later.id}]`);
  expect((await rig.call('history', {})).history.map(({ name }) => name)).toEqual(['B']);
});

test.each<[string, BulkChange, string]>([
  ['an unknown task', { do: 'complete', ref: 'Nowhere' }, 'not_found'],
  ['a bad value', { do: 'update', ref: 'A', keys: { priority: 'huge' } }, 'bad_input'],
  ['nothing to change', { do: 'update', ref: 'A', keys: {} }, 'bad_input'],
  ['a name that is taken', { do: 'create', name: 'A' }, 'conflict'],
  ['a name given twice', { do: 'create', name: 'New' }, 'conflict'],
  ['an unknown owner', { do: 'create', name: 'X', owner: 'nobody' }, 'bad_input'],
  ['one that is deleted too', { do: 'update', ref: 'C', keys: { due: '2040-01-01' } }, 'bad_input'],
  ['a circle', { do: 'update', ref: 'A', keys: { blocked_by: 'A' } }, 'bad_input'],
])('makes none for %s, and names the change', async (_, wrong, code) => {
  const failure = await failureOf(rig.call('bulk', { changes: [...CHANGES, wrong] }));
  expect(failure).toMatchObject({
    code,
    message: expect.stringContaining(`change at index 5 (${wrong.do}): `),
  });
  expect(files()).toEqual(untouched);
});

test('refuses a circle that no change alone would close', async () => {
  const failure = await failureOf(
    rig.call('bulk', {
      changes: [
        { do: 'update', ref: 'A', keys: { blocked_by: 'B' } },
        { do: 'create', name: 'New', blocked_by: ['A'] },
        { do: 'update', ref: 'B', keys: { blocked_by: 'C' } },
        { do: 'update', ref: 'C', keys: { blocked_by: 'A' } },
      ],
    }),
  );
  expect(failure.message).toContain('A → B → C → A');
  expect(files()).toEqual(untouched);
});

describe('a hand edit in the middle', () => {
  test('is kept, and the change made on it', async () => {
    interfere(1, () => rig.save('A.md', A.replace('Do A.', 'Do A well.').replace('todo', 'todo')));
    await rig.call('bulk', { changes: CHANGES });
    expectDone();
    expect(rig.read('tasks/A.md')).toContain('Do A well.');
  });

  test('that makes a change impossible takes all of it back, and stays itself', async () => {
    const broken = B.replace('status: todo', 'status: [nope');
    interfere(3, () => rig.save('B.md', broken));
    expect(await codeOf(rig.call('bulk', { changes: CHANGES }))).toBe('invalid_file');
    expect(files()).toEqual({ ...untouched, 'B.md': broken });
    expect(rig.deps.ledger.bulks.hasOpen()).toBe(false);
  });

  test('of a file that is taken back stays', async () => {
    interfere(3, () => {
      rig.save('A.md', rig.read('tasks/A.md').replace('Do A.', 'Do A well.'));
      throw new RoomError('io', 'no space left');
    });
    expect((await failureOf(rig.call('bulk', { changes: CHANGES }))).message).toContain('no space left');
    expect(files()).toEqual({ ...untouched, 'A.md': A.replace('Do A.', 'Do A well.') });
  });
});

describe('a process that dies in the middle', () => {
  test('and can not be finished: it is taken back and told', async () => {
    interfere(3, () => {
      throw new Killed();
    });
    await expect(rig.call('bulk', { changes: CHANGES })).rejects.toBeInstanceOf(Killed);
    await rig.reopen();
    const broken = B.replace('status: todo', 'status: [nope');
    rig.save('B.md', broken);
    await finishBulks(rig.deps);
    expect(files()).toEqual({ ...untouched, 'B.md': broken });
    expect(rig.events).toContainEqual(expect.objectContaining({ type: 'room.trouble' }));
  });

  test('when all files are written takes nothing back any more: what is left waits for a file nobody can read', async () => {
    const { bulks } = rig.deps.ledger;
    const setState: typeof bulks.setState = (...state) => {
      bulks.setState(...state);
      throw new Killed();
    };
    Object.assign(rig.deps, { ledger: { ...rig.deps.ledger, bulks: { ...bulks, setState } } });
    await expect(rig.call('bulk', { changes: CHANGES })).rejects.toBeInstanceOf(Killed);
    await rig.reopen();
    const written = rig.read('tasks/B.md');
    rig.save('B.md', written.replace('status: done', 'status: [nope'));
    await finishBulks(rig.deps);
    expect(rig.names('tasks')).toEqual(['A.md', 'B.md', 'Later.md', 'New.md']);
    expect(rig.deps.ledger.bulks.hasOpen()).toBe(true);
    rig.save('B.md', written);
    await finishBulks(rig.deps);
    expectDone();
  });

  test('while it is taken back: a file nobody can read is taken back once it can be read', async () => {
    const { bulks } = rig.deps.ledger;
    interfere(3, () => {
      rig.save('A.md', rig.read('tasks/A.md').replace('---\n', '---\nlabels: [nope\n'));
      throw new RoomError('io', 'no space left');
    });
    await expect(rig.call('bulk', { changes: CHANGES })).rejects.toThrow('no space left');
    expect([rig.names('tasks'), bulks.hasOpen()]).toEqual([['A.md', 'B.md', 'C.md'], true]);
    rig.save('A.md', rig.read('tasks/A.md').replace('labels: [nope\n', ''));
    await finishBulks(rig.deps);
    expect([files(), bulks.hasOpen()]).toEqual([untouched, false]);
  });

  test('is asked again by the same key: made once', async () => {
    rig.runTurn('b11111111', 'aaaa1111');
    const actor: Actor = { kind: 'agent', agent: 'runbook', turn: 'b11111111' as TurnId, request: 'r1' };
    const changes: BulkChange[] = [
      { do: 'create', name: 'One' },
      { do: 'create', name: 'Two' },
    ];
    interfere(2, () => {
      throw new Killed();
    });
    await expect(rig.call('bulk', { changes }, actor)).rejects.toBeInstanceOf(Killed);
    await rig.reopen();
    const answers = (await rig.call('bulk', { changes }, actor)).tasks;
    expect(answers.map(({ name }) => name)).toEqual(['One', 'Two']);
    expect(rig.read('tasks/One.md')).toContain(`id: ${answers[0]!.id}`);
    expect((await rig.call('bulk', { changes }, actor)).tasks).toEqual(answers);
    expect(rig.names('tasks')).toHaveLength(5);
  });
});

test('all that fit are finished, or deleted', async () => {
  rig.save('D.md', '---\nid: dddd1111\nstatus: draft\nlabels: [x]\n---\n');
  rig.save('E.md', '---\nid: eeee1111\nlabels: [x]\nparent: cccc1111\n---\n');
  expect((await rig.call('completeAll', { label: 'x' })).tasks.map(({ name }) => name)).toEqual(['E']);
  rig.save('F.md', '---\nid: ffff1111\nstatus: canceled\n---\n');
  rig.save('G.md', '---\nid: gggg1111\nparent: cccc1111\n---\n');
  const removed = (await rig.call('removeAll', { which: 'completed' })).tasks;
  expect(removed.map(({ name }) => name).sort()).toEqual(['C', 'E', 'F']);
  for (const { attic } of removed) expect(rig.read(attic)).toContain('---');
  expect(rig.names('tasks')).toEqual(['A.md', 'B.md', 'D.md', 'G.md']);
  await rig.call('removeAll', { which: 'all', label: 'x' });
  expect(rig.names('tasks')).toEqual(['A.md', 'B.md', 'G.md']);
  expect((await rig.call('removeAll', { which: 'completed' })).tasks).toEqual([]);
});

test('a deleted parent takes its local subtasks along, through all levels', async () => {
  rig.save('P.md', '---\nid: pppp1111\n---\n\n## Steps\n- [ ] s (task:qqqq1111)\n- [ ] t (task:aaaa1111)\n');
  rig.save('Q.md', '---\nid: qqqq1111\n---\n');
  rig.save('R.md', '---\nid: rrrr1111\nparent: Q\nstatus: done\n---\n');
  rig.save('S.md', '---\nid: ssss1111\nparent: pppp1111\n---\n');
  rig.save('T.md', '---\nid: tttt1111\nparent: B\n---\n\n## Steps\n- [ ] u (task:ssss1111)\n');
  const { subtasks } = await rig.call('remove', { ref: 'P' });
  expect(subtasks?.map(({ name }) => name)).toEqual(['A', 'R', 'Q']);
  expect(rig.names('tasks')).toEqual(['B.md', 'C.md', 'S.md', 'T.md']);
  await rig.call('bulk', { changes: [{ do: 'delete', ref: 'T' }] });
  expect(rig.names('tasks')).toEqual(['B.md', 'C.md']);
});

// Many tasks changed at once hold nobody: between two files whatever else waits has its turn.
test.each(['completeAll', 'removeAll'] as const)('%s lets others in between two files', async (name) => {
  const rig = openTestRoom();
  for (let index = 0; index < 30; index += 1)
    rig.save(`Task ${index}.md`, `---\nid: task${1000 + index}\nstatus: todo\n---\nDo it.\n`);
  await rig.call('list', { all: true });
  // Each step takes as long as others may be kept waiting.
  let nowMs = 0;
  Object.assign(rig.deps.effects, { monotonicMs: () => (nowMs += 20) });
  let turnsOfOthers = 0;
  const other = () => {
    turnsOfOthers += 1;
    waiting = setImmediate(other);
  };
  let waiting = setImmediate(other);
  const { tasks: changed } = await (name === 'completeAll'
    ? rig.call('completeAll', {})
    : rig.call('removeAll', { which: 'all' }));
  clearImmediate(waiting);
  expect(changed.length).toBe(30);
  expect(turnsOfOthers).toBeGreaterThanOrEqual(changed.length);
  await rig.close();
});
