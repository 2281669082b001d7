import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readHistory } from '../../src/store/files/history.ts';
import { AGENT, failureOf, openTestRoom, PERSON, type TestRoom } from './test-room.ts';

const HEAD = '---\nid: abc12345\nstatus: todo\n---\n';
const BODY = '\n## Task\nDo it.\n\n## Steps\n- [ ] one\n- [ ] two\n\n## Progress\n\n## Outcome\n';
const AT = '2040-01-02 03:04';

let rig: TestRoom;
beforeEach(() => {
  rig = openTestRoom({ coder: {} });
  rig.save('One.md', HEAD + BODY);
});
afterEach(() => rig.close());

const one = () => rig.read('tasks/One.md');
const history = () => readHistory(rig.deps.room.historyPath, 100);
const memory = (id = 'abc12345') => rig.deps.ledger.tasks.get(id)!;
const types = () => rig.events.map((event) => event.type);

test('a status that the file says in another word is left as it is', async () => {
  rig.save('One.md', HEAD.replace('todo', 'Pending') + BODY);
  expect((await rig.tasks.call('set', { ref: 'One', status: 'todo' }, PERSON)).changed).toBe(false);
  expect(one()).toBe(HEAD.replace('todo', 'Pending') + BODY);
});

test('completed_by is filled in only where the file has it', async () => {
  rig.save('One.md', HEAD.replace('todo\n', 'todo\ncompleted_by: nobody\n') + BODY);
  await rig.tasks.call('complete', { ref: 'One' }, { ...AGENT, agent: 'coder' } as typeof AGENT);
  expect(one()).toContain('completed_by: agent:coder\n');
});

test('pause says why in Progress and drops what was asked; resume wakes', async () => {
  await rig.tasks.call('run', { ref: 'One' }, PERSON);
  rig.runTurn('b11111111', 'abc12345');
  await rig.tasks.call('pause', { ref: 'One', reason: 'wait for Ann' }, PERSON);
  expect(one()).toContain(`paused: true\n`);
  expect(one()).toContain(`## Progress\n\n- ${AT} · Paused: wait for Ann\n`);
  expect(rig.events).toContainEqual({
    type: 'task.paused',
    id: 'abc12345',
    name: 'One',
    reason: 'wait for Ann',
  });
  expect(rig.killed).toEqual([{ turn: 'b11111111', reason: 'paused' }]);
  expect((await rig.tasks.call('pause', { ref: 'One' }, PERSON)).changed).toBe(false);
  await rig.tasks.call('resume', { ref: 'One' }, PERSON);
  expect(one()).toContain(`paused: false\n`);
  expect(rig.deps.ledger.wakes.of('abc12345')).toContain('resumed');
  expect((await rig.tasks.call('resume', { ref: 'One' }, PERSON)).changed).toBe(false);
});

test.each(['done', 'canceled'] as const)('what is %s is reopened, not resumed', async (status) => {
  await rig.tasks.call('pause', { ref: 'One' }, PERSON);
  await rig.tasks.call('set', { ref: 'One', status }, PERSON);
  // A pause that was set before is taken off all the same.
  await rig.tasks.call('resume', { ref: 'One' }, PERSON);
  expect(one()).toContain('paused: false');
  rig.deps.ledger.wakes.deleteAll({ task: 'abc12345' });
  const before = one();
  for (const actor of [PERSON, AGENT])
    await expect(rig.tasks.call('resume', { ref: 'One' }, actor)).rejects.toMatchObject({
      code: 'refused',
      message: `One is ${status}: only an open task goes on`,
      hint: 'to open it again: taskroom reopen "One"',
    });
  expect(one()).toBe(before);
  expect(rig.deps.ledger.wakes.of('abc12345')).not.toContain('resumed');
});

test('who made and who finished a task is written once, and no agent says otherwise', async () => {
  rig.runTurn('b00000000', 'abc12345');
  const made = await rig.tasks.call('create', { name: 'Part', parent: 'One' }, AGENT);
  expect(await rig.tasks.call('show', { ref: made.id }, PERSON)).toMatchObject({
    created: new Date(rig.now()).toISOString(),
    ...{ created_by: 'agent:runbook', completed_by: null },
  });
  for (const key of ['created', 'created_by', 'completed_by'])
    expect(
      (await failureOf(rig.tasks.call('set', { ref: 'Part', keys: { [key]: 'owner' } }, AGENT))).code,
    ).toBe('not_allowed');
  await rig.tasks.call('complete', { ref: 'Part' }, AGENT);
  expect((await rig.tasks.call('show', { ref: 'Part' }, PERSON)).completed_by).toBe('agent:runbook');
  await rig.tasks.call('set', { ref: 'Part', status: 'todo' }, PERSON);
  expect(await rig.tasks.call('show', { ref: 'Part' }, PERSON)).toMatchObject({
    ...{ created_by: 'agent:runbook', completed_by: null },
  });
  await rig.tasks.call('complete', { ref: 'Part' }, PERSON);
  expect((await rig.tasks.call('show', { ref: 'Part' }, PERSON)).completed_by).toBe('owner');
});

test('a turn that repeats its pause after a crash writes it once, and is not killed by it', async () => {
  rig.runTurn('b00000000', 'abc12345');
  await rig.tasks.call('pause', { ref: 'One', reason: 'no luck' }, AGENT);
  const text = one();
  await rig.reopen();
  expect((await rig.tasks.call('pause', { ref: 'One', reason: 'no luck' }, AGENT)).changed).toBe(false);
  expect(one()).toBe(text);
  expect(rig.killed).toEqual([]);
});

test('steps are ticked, added and replaced; what can not be is refused', async () => {
  await rig.tasks.call('editStep', { ref: 'One', index: 1, done: true }, AGENT);
  await rig.tasks.call('addStep', { ref: 'One', title: 'three', details: 'with details' }, AGENT);
  expect((await rig.tasks.call('show', { ref: 'One' }, PERSON)).steps.list).toMatchObject([
    { title: 'one', done: false },
    { title: 'two', done: true },
    { title: 'three', details: 'with details' },
  ]);
  expect(
    (await failureOf(rig.tasks.call('editStep', { ref: 'One', index: 9, done: true }, PERSON))).code,
  ).toBe('not_found');
  expect(
    (await failureOf(rig.tasks.call('editStep', { ref: 'One', index: -1, done: true }, PERSON))).code,
  ).toBe('bad_input');
  expect(
    (await failureOf(rig.tasks.call('addStep', { ref: 'One', title: 'x'.repeat(61) }, PERSON))).code,
  ).toBe('bad_input');
  rig.save('One.md', HEAD + BODY.replace('two', 'two (task:k2xm9q4c)'));
  expect((await failureOf(rig.tasks.call('setSteps', { ref: 'One', steps: [] }, PERSON))).code).toBe(
    'not_allowed',
  );
});

test('entries carry who and when, and a key writes once', async () => {
  await rig.tasks.call('comment', { ref: 'One', text: 'Hi\n## Outcome' }, PERSON);
  await rig.tasks.call('progress', { ref: 'One', text: 'half', key: 'k1' }, AGENT);
  expect(
    (await rig.tasks.call('progress', { ref: 'One', text: 'half again', key: 'k1' }, AGENT)).changed,
  ).toBe(false);
  await rig.tasks.call('outcome', { ref: 'One', text: '## Big' }, AGENT);
  const detail = await rig.tasks.call('show', { ref: 'abc' }, PERSON);
  expect(detail.comments).toEqual([{ author: 'owner', role: null, at: AT, text: 'Hi\n## Outcome' }]);
  expect(one().match(/half/g)).toHaveLength(1);
  expect(one()).toContain(`**${AT}** · agent:runbook\n\n#### Big\n`);
  expect((await failureOf(rig.tasks.call('comment', { ref: 'One', text: ' \n' }, PERSON))).code).toBe(
    'bad_input',
  );
  expect(
    (await failureOf(rig.tasks.call('comment', { ref: 'One', text: 'x'.repeat(65 * 1024) }, PERSON))).code,
  ).toBe('bad_input');
});

describe('with a daemon', () => {
  test('a change writes and rings, and observes nothing', async () => {
    rig.daemon = true;
    expect((await rig.tasks.call('complete', { ref: 'One' }, PERSON)).changed).toBe(true);
    expect(one()).toContain('status: done');
    expect(rig.rings).toBe(1);
    expect(rig.deps.ledger.tasks.has() === false).toBe(true);
    expect(rig.events).toEqual([]);
    await rig.tasks.call('complete', { ref: 'One' }, PERSON);
    expect(rig.rings).toBe(1);
  });

  test('a copy gets an id of its own in the same write', async () => {
    await rig.tasks.call('editStep', { ref: 'One', index: 0, done: true }, PERSON);
    rig.daemon = true;
    rig.save('Two.md', one().replace('status: todo', 'status: todo\nremote: github:a/b#1'));
    const { id } = await rig.tasks.call('set', { ref: 'Two', status: 'doing' }, PERSON);
    expect(id).not.toBe('abc12345');
    expect(rig.read('tasks/Two.md')).toBe(one().replace('abc12345', id).replace('todo', 'doing'));
  });
});

describe('what happened since somebody last looked', () => {
  beforeEach(async () => {
    rig.save('Two.md', '---\nid: two22222\nblocked_by: [abc12345]\nparent: abc12345\n---\n');
    await rig.tasks.call('progress', { ref: 'One', text: 'seen' }, PERSON);
    rig.events.length = 0;
  });

  test('a change by name or id looks at that file alone, and takes in what a person did to it', async () => {
    rig.save('One.md', one().replace('todo', 'done'));
    rig.save('Three.md', '---\nid: three333\n---\n');
    await rig.tasks.call('progress', { ref: 'Two', text: 'x' }, PERSON);
    expect([memory()?.status, memory('three333')]).toEqual(['todo', null]);
    await rig.tasks.call('comment', { ref: 'abc12345', text: 'thanks' }, PERSON);
    expect(history()).toHaveLength(1);
    expect(rig.deps.ledger.wakes.of('two22222')).toEqual(['unblocked']);
    expect(memory('three333')).toBeNull();
    await rig.tasks.call('progress', { ref: 'Three', text: 'x' }, PERSON);
    expect(memory('three333')).toMatchObject({ path: 'tasks/Three.md' });
  });

  test('any other word takes a look at all', async () => {
    rig.save('One.md', one().replace('todo', 'done'));
    await rig.tasks.call('progress', { ref: 'two2', text: 'x' }, PERSON);
    expect(memory()?.status).toBe('done');
  });

  test('a broken file is told of, refuses changes with its place, and hides no other', async () => {
    rig.save('One.md', one().replace('status: todo', 'status: [todo'));
    const failure = await failureOf(rig.tasks.call('complete', { ref: 'One' }, PERSON));
    expect(failure.code).toBe('invalid_file');
    expect(failure.problems[0]).toMatchObject({ path: 'tasks/One.md', line: expect.any(Number) });
    expect(types()).toContain('task.invalid');
    expect((await rig.tasks.call('set', { ref: 'Two', status: 'doing' }, PERSON)).changed).toBe(true);
    expect(memory()).toMatchObject({ status: 'todo', path: 'tasks/One.md' });
  });

  test('readings that a list kept are observed by the next look at all', async () => {
    for (let n = 0; n < 60; n += 1) rig.save(`N${n}.md`, `---\nid: nnnnnn${n}\nstatus: todo\n---\n`);
    await rig.tasks.call('list', { all: true }, PERSON);
    expect(rig.deps.ledger.files.stamps().size).toBe(62);
    expect(rig.deps.ledger.tasks.get('nnnnnn7')).toBeNull();
    expect(rig.deps.ledger.files.unobserved()).toHaveLength(60);
    await rig.tasks.call('release', {}, PERSON);
    expect(rig.deps.ledger.tasks.get('nnnnnn7')).toMatchObject({ path: 'tasks/N7.md' });
    expect(rig.deps.ledger.files.unobserved()).toEqual([]);
    expect(rig.deps.ledger.files.missing()).toEqual([]);
  });
});
