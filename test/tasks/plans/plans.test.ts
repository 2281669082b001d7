// Plans: steps become tasks once, whoever made the plan final and whatever dies meanwhile.
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { refresh } from '../../../src/tasks/observe/refresh.ts';
import { takeInArtifacts } from '../../../src/tasks/plans/take-in-artifacts.ts';
import type { Actor } from '../../../src/tasks/task-room.ts';
import { rig as room, withAgents } from '../each-room.ts';
import { codeOf } from '../test-room.ts';

withAgents({ coder: {}, planner: {} });
beforeEach(() => {
  mkdirSync(join(room.dir, 'artifacts'));
});

const PLAN = `---
# mine
type: plan
stage: draft   # later: final
title: "Sign-in"
sprint: 2026-12
owner: coder
---
Why we do it.

## Steps
1. [ ] Create User model
   with an email
2. [x] Choose a library
3) [ ] Add login endpoint

## Risks
- [ ] not a step
`;

function write(name: string, text: string): void {
  writeFileSync(join(room.dir, 'artifacts', `${name}.md`), text);
}

const read = (name: string): string => room.read(`artifacts/${name}.md`);

const look = (): Promise<void> => refresh(room.handle);

/** Title, artifact and owner of every task file. */
const made = (): string[] => room.names('tasks');

test('a plan that a person makes final gets its tasks, linked both ways, and keeps its other bytes', async () => {
  write('Sign-in', PLAN);
  await look();
  expect(made()).toEqual([]);
  const text = PLAN.replace('draft ', 'final ');
  write('Sign-in', text);
  await look();
  expect(made()).toEqual(['Add login endpoint.md', 'Create User model.md']);
  const task = room.read('tasks/Create User model.md');
  expect(task).toMatch(/requester: owner\n/);
  expect(task).toMatch(/owner: coder\n/);
  expect(task).toMatch(/sprint: 2026-12\n/);
  expect(task).toMatch(/artifact: Sign-in\nsort: 1\n/);
  expect(task).toContain('## Task\nwith an email\n');
  const [, first] = /model \(task:(\w{8})\)/.exec(read('Sign-in'))!;
  const [, second] = /endpoint \(task:(\w{8})\)/.exec(read('Sign-in'))!;
  expect(read('Sign-in')).toBe(
    text.replace('User model', `User model (task:${first})`).replace('endpoint', `endpoint (task:${second})`),
  );
  expect(task).toContain(`id: ${first}\n`);
  expect(room.deps.ledger.tasks.get(second!)?.name).toBe('Add login endpoint');
  await look();
  expect(made()).toHaveLength(2);
});

test('links that a stale buffer drops come back, and lead to the same tasks', async () => {
  write('Sign-in', PLAN.replace('draft ', 'final '));
  await look();
  const linked = read('Sign-in');
  write('Sign-in', PLAN.replace('draft ', 'final '));
  await look();
  expect(read('Sign-in')).toBe(linked);
  expect(made()).toHaveLength(2);
});

test('steps of the same words and names that are taken get tasks of their own', async () => {
  room.save('Test.md', '---\nid: test1234\n---\nAnother.\n');
  write('Twice', '---\ntype: plan\nstage: final\n---\n## Steps\n- [ ] Test\n- [ ] Test\n- [ ] a/b: c?\n');
  await look();
  expect(made()).toEqual(['Test 2.md', 'Test 3.md', 'Test.md', 'a-b- c-.md']);
  expect(room.read('tasks/a-b- c-.md')).toContain('title: "a/b: c?"');
  const links = [...read('Twice').matchAll(/\(task:(\w+)\)/g)].map(([, id]) => id);
  expect(new Set(links).size).toBe(3);
});

test('whoever dies at whatever write, each step gets one task', async () => {
  for (let dies = 0; dies < 6; dies += 1) {
    const name = `Plan ${dies}`;
    write(name, `---\ntype: plan\nstage: final\n---\n## Steps\n- [ ] One ${dies}\n- [ ] Two ${dies}\n`);
    for (const when of ['before', 'after'] as const) {
      dieAt(dies, when);
      await look().catch(() => undefined);
      await room.reopen();
    }
    await look();
    const ours = made().filter((file) => file.includes(` ${dies}`));
    expect([dies, ours]).toEqual([dies, [`One ${dies}.md`, `Two ${dies}.md`]]);
    for (const step of ['One', 'Two']) {
      const [, id] = new RegExp(`${step} ${dies} \\(task:(\\w+)\\)`).exec(read(name))!;
      expect(room.read(`tasks/${step} ${dies}.md`)).toContain(`id: ${id}\n`);
    }
  }
});

/** The writer's call of that number, from 0, fails before or after it wrote. */
function dieAt(at: number, when: 'before' | 'after'): void {
  const { writer } = room.deps;
  let count = 0;
  const dying =
    <Given extends unknown[], Result>(call: (...given: Given) => Promise<Result>) =>
    async (...given: Given): Promise<Result> => {
      const isLast = count === at;
      count += 1;
      if (isLast && when === 'before') throw new Error('died');
      const result = await call(...given);
      if (isLast) throw new Error('died');
      return result;
    };
  Object.assign(writer, { edit: dying(writer.edit), create: dying(writer.create) });
}

test('a deleted document unlinks its tasks, a renamed one takes them along', async () => {
  write('Sign-in', PLAN.replace('draft ', 'final '));
  await look();
  renameSync(join(room.dir, 'artifacts/Sign-in.md'), join(room.dir, 'artifacts/Login.md'));
  await look();
  expect(room.read('tasks/Create User model.md')).toContain('artifact: Login\n');
  expect(made()).toHaveLength(2);
  rmSync(join(room.dir, 'artifacts/Login.md'));
  await look();
  expect(room.read('tasks/Create User model.md')).not.toContain('artifact');
  expect(made()).toHaveLength(2);
});

test('several documents that go at once, or with their folder, unlink nothing until somebody says so', async () => {
  for (const name of ['A', 'B'])
    write(name, `---\ntype: plan\nstage: final\n---\n## Steps\n- [ ] Of ${name}\n`);
  await look();
  renameSync(join(room.dir, 'artifacts'), join(room.dir, 'elsewhere'));
  await look();
  mkdirSync(join(room.dir, 'artifacts'));
  await look();
  expect(room.read('tasks/Of A.md')).toContain('artifact: A\n');
  expect(await room.call('removePlan', { name: 'A' })).toMatchObject({ attic: null, unlinked: 1 });
  expect(room.read('tasks/Of A.md')).not.toContain('artifact');
  expect(room.read('tasks/Of B.md')).toContain('artifact: B\n');
});

test('tasks of a plan are asked for by whoever made it final', async () => {
  room.save('Mine.md', '---\nid: mine1234\nowner: planner\n---\nPlan it.\n');
  await look();
  const turn = room.runTurn('b11111111', 'mine1234').id;
  const agent: Actor = { kind: 'agent', agent: 'planner', turn, request: 'r1' };
  const made = await room.call(
    'createPlan',
    { name: 'By agent', stage: 'final', steps: [{ title: 'A' }, { title: 'B' }] },
    agent,
  );
  expect(made.made).toHaveLength(2);
  expect(room.read('tasks/A.md')).toContain('requester: agent:planner\n');
  expect(room.read('tasks/A.md')).toContain('owner: planner\n');
  // Asked again, because nobody knows whether it was done.
  await room.call(
    'createPlan',
    { name: 'By agent', stage: 'final', steps: [{ title: 'A' }, { title: 'B' }] },
    agent,
  );
  expect(room.names('tasks')).toEqual(['A.md', 'B.md', 'Mine.md']);
  // By hand while a turn runs: it may be that turn's agent.
  write('By hand', '---\ntype: plan\nstage: final\n---\n## Steps\n- [ ] C\n');
  room.deps.ledger.database.run('UPDATE turns SET started_at = 0');
  await look();
  expect(room.read('tasks/C.md')).toMatch(/requester: agent:runbook\n/);
  expect(await codeOf(room.call('removePlan', { name: 'By hand' }, agent))).toBe('not_allowed');
  expect((await room.call('removePlan', { name: 'By agent' }, agent)).unlinked).toBe(2);
});

test('a plan whose tasks can not be made says why, and is not tried again before it changes', async () => {
  write('Sign-in', PLAN.replace('draft ', 'final ').replace('owner: coder', 'owner: nobody'));
  await look();
  expect((await room.call('showPlan', { name: 'Sign-in' })).problem).toMatch(/^there is no agent "nobody"/);
  const told = room.events.filter(({ type }) => type === 'room.trouble').length;
  await look();
  expect(room.events.filter(({ type }) => type === 'room.trouble')).toHaveLength(told);
  write('Sign-in', readFileSync(join(room.dir, 'artifacts/Sign-in.md'), 'utf8').replace('nobody', 'coder'));
  await look();
  expect((await room.call('showPlan', { name: 'Sign-in' })).problem).toBe(null);
  expect(made()).toHaveLength(2);
});

test('a document that is still being typed is waited for', async () => {
  write('Sign-in', PLAN.replace('draft ', 'final '));
  const { mtimeMs } = await import('node:fs').then(({ statSync }) =>
    statSync(join(room.dir, 'artifacts/Sign-in.md')),
  );
  room.later(Math.trunc(mtimeMs) + 400 - room.now());
  expect((await takeInArtifacts(room.handle, { quietMs: 1_000 })).againInMs).toBeCloseTo(600, -1);
  expect(made()).toEqual([]);
  room.later(601);
  expect((await takeInArtifacts(room.handle, { quietMs: 1_000 })).againInMs).toBe(null);
  expect(made()).toHaveLength(2);
});

test.each([
  ['numbered, without boxes', '## Steps\n1. One\n2. Two\n   more\n', ['One', 'Two']],
  [
    'under another heading',
    '# A\n## Implementation plan\n### Phase 1\n- One\n### Phase 2\n* Two\n',
    ['One', 'Two'],
  ],
  ['under the title alone', '# Plan for it\n1) One\n\n## Risks\n- It rains\n', ['One']],
  [
    'todos and tasks',
    'TODO:\n- no\n\n## To-do\n- One\n\n## Tasks:\n- Two\n\n## Explanation\n- no\n',
    ['One', 'Two'],
  ],
  ['notes beside boxes', '## Todo\n- [ ] One\n- a note\n', ['One']],
])('steps are a list of any form: %s', async (_, body, names) => {
  write('P', `---\ntype: plan\nstage: final\n---\n${body}`);
  await look();
  expect(made()).toEqual(names.map((name) => `${name}.md`));
  expect(read('P').replaceAll(/ \(task:\w{8}\)/g, '')).toBe(`---\ntype: plan\nstage: final\n---\n${body}`);
  expect((await room.call('showPlan', { name: 'P' })).tasks.total).toBe(names.length);
  await look();
  expect(made()).toHaveLength(names.length);
});
