import { beforeEach, describe, expect, test } from 'vitest';
import { rig, withAgents } from './each-room.ts';
import { AGENT, codeOf, failureOf, PERSON } from './test-room.ts';

const HEAD = '---\nid: abc12345\nstatus: todo\n---\n';
const BODY = '\n## Task\nDo it.\n\n## Steps\n- [ ] one\n- [ ] two\n\n## Progress\n\n## Outcome\n';
withAgents({ coder: {} });
beforeEach(() => rig.save('One.md', HEAD + BODY));

const one = () => rig.read('tasks/One.md');
const memory = (id = 'abc12345') => rig.deps.ledger.tasks.get(id)!;
const types = () => rig.events.map((event) => event.type);

test.each(['done', 'canceled'] as const)('what is %s is reopened, not resumed', async (status) => {
  await rig.call('pause', { ref: 'One' });
  await rig.call('set', { ref: 'One', status });
  // A pause that was set before is taken off all the same.
  await rig.call('resume', { ref: 'One' });
  expect(one()).toContain('paused: false');
  rig.deps.ledger.wakes.deleteAll({ task: 'abc12345' });
  const before = one();
  for (const actor of [PERSON, AGENT])
    await expect(rig.call('resume', { ref: 'One' }, actor)).rejects.toMatchObject({
      code: 'refused',
      message: `One is ${status}: only an open task goes on`,
      hint: 'to open it again: taskroom reopen "One"',
    });
  expect(one()).toBe(before);
  expect(rig.deps.ledger.wakes.of('abc12345')).not.toContain('resumed');
});

test('who made and who finished a task is written once, and no agent says otherwise', async () => {
  rig.runTurn('b00000000', 'abc12345');
  const made = await rig.call('create', { name: 'Part', parent: 'One' }, AGENT);
  expect(await rig.call('show', { ref: made.id })).toMatchObject({
    created: new Date(rig.now()).toISOString(),
    ...{ created_by: 'agent:runbook', completed_by: null },
  });
  for (const key of ['created', 'created_by', 'completed_by'])
    expect(await codeOf(rig.call('set', { ref: 'Part', keys: { [key]: 'owner' } }, AGENT))).toBe(
      'not_allowed',
    );
  await rig.call('complete', { ref: 'Part' }, AGENT);
  expect((await rig.call('show', { ref: 'Part' })).completed_by).toBe('agent:runbook');
  await rig.call('set', { ref: 'Part', status: 'todo' });
  expect(await rig.call('show', { ref: 'Part' })).toMatchObject({
    ...{ created_by: 'agent:runbook', completed_by: null },
  });
  await rig.call('complete', { ref: 'Part' });
  expect((await rig.call('show', { ref: 'Part' })).completed_by).toBe('owner');
});

test('a turn that repeats its pause after a crash writes it once, and is not killed by it', async () => {
  rig.runTurn('b00000000', 'abc12345');
  await rig.call('pause', { ref: 'One', reason: 'no luck' }, AGENT);
  const text = one();
  await rig.reopen();
  expect((await rig.call('pause', { ref: 'One', reason: 'no luck' }, AGENT)).changed).toBe(false);
  expect(one()).toBe(text);
  expect(rig.killed).toEqual([]);
});

test('with a daemon a copy gets an id of its own in the same write', async () => {
  await rig.call('editStep', { ref: 'One', index: 0, done: true });
  rig.daemon = true;
  rig.save('Two.md', one().replace('status: todo', 'status: todo\nremote: github:a/b#1'));
  const { id } = await rig.call('set', { ref: 'Two', status: 'doing' });
  expect(id).not.toBe('abc12345');
  expect(rig.read('tasks/Two.md')).toBe(one().replace('abc12345', id).replace('todo', 'doing'));
});

describe('what happened since somebody last looked', () => {
  beforeEach(async () => {
    rig.save('Two.md', '---\nid: two22222\nblocked_by: [abc12345]\nparent: abc12345\n---\n');
    await rig.call('progress', { ref: 'One', text: 'seen' });
    rig.events.length = 0;
  });

  test('a broken file is told of, refuses changes with its place, and hides no other', async () => {
    rig.save('One.md', one().replace('status: todo', 'status: [todo'));
    const failure = await failureOf(rig.call('complete', { ref: 'One' }));
    expect(failure.code).toBe('invalid_file');
    expect(failure.problems[0]).toMatchObject({ path: 'tasks/One.md', line: expect.any(Number) });
    expect(types()).toContain('task.invalid');
    expect((await rig.call('set', { ref: 'Two', status: 'doing' })).changed).toBe(true);
    expect(memory()).toMatchObject({ status: 'todo', path: 'tasks/One.md' });
  });

  test('readings that a list kept are observed by the next look at all', async () => {
    for (let n = 0; n < 60; n += 1) rig.save(`N${n}.md`, `---\nid: nnnnnn${n}\nstatus: todo\n---\n`);
    await rig.call('list', { all: true });
    expect(rig.deps.ledger.files.stamps().size).toBe(62);
    expect(rig.deps.ledger.tasks.get('nnnnnn7')).toBeNull();
    expect(rig.deps.ledger.files.unobserved()).toHaveLength(60);
    await rig.call('release', {});
    expect(rig.deps.ledger.tasks.get('nnnnnn7')).toMatchObject({ path: 'tasks/N7.md' });
    expect(rig.deps.ledger.files.unobserved()).toEqual([]);
    expect(rig.deps.ledger.files.missing()).toEqual([]);
  });
});
