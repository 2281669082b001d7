// Plans by operations: written, shown, moved on and removed; what is refused names the field.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { failureOf, openTestRoom, PERSON, type TestRoom } from '../test-room.ts';

let room: TestRoom;

beforeEach(() => {
  room = openTestRoom();
  mkdirSync(join(room.dir, 'artifacts'));
});

afterEach(() => room.close());

const PLAN = '---\ntype: plan\n---\n## Steps\n- [ ] One\n';

function write(name: string, text: string): void {
  writeFileSync(join(room.dir, 'artifacts', `${name}.md`), text);
}

function read(name: string): string {
  return room.read(`artifacts/${name}.md`);
}

test('a plan is written, shown, listed and removed by operations', async () => {
  const planned = await room.tasks.call(
    'createPlan',
    { name: 'Sign: in', body: 'Why.', steps: [{ title: 'One', details: 'how\nand how' }, { title: 'Two' }] },
    PERSON,
  );
  expect(planned).toEqual({
    name: 'Sign- in',
    path: 'artifacts/Sign- in.md',
    stage: 'draft',
    changed: true,
    made: [],
  });
  expect(read('Sign- in')).toBe(
    '---\ntype: plan\nstage: draft\ntitle: "Sign: in"\n---\n\nWhy.\n\n## Steps\n\n- [ ] One\n  how\n  and how\n- [ ] Two\n',
  );
  write('Notes', 'no plan\n');
  write('Broken', '---\ntype: plan\nstage: [\n---\n');
  const { plans, invalid } = await room.tasks.call('listPlans', {}, PERSON);
  expect(plans.map(({ name, steps }) => [name, steps])).toEqual([['Sign- in', 2]]);
  expect(invalid.map(({ path }) => path)).toEqual(['artifacts/Broken.md']);
  await room.tasks.call('setPlanStage', { name: 'Sign- in', stage: 'final' }, PERSON);
  await room.tasks.call('complete', { ref: 'One' }, PERSON);
  const shown = await room.tasks.call('showPlan', { name: 'Sign- in' }, PERSON);
  expect(shown.tasks).toEqual({ done: 1, total: 2 });
  expect(shown.step_list.map(({ title, status }) => [title, status])).toEqual([
    ['One', 'done'],
    ['Two', 'todo'],
  ]);
  expect(await room.tasks.call('removePlan', { name: 'Sign- in' }, PERSON)).toMatchObject({ unlinked: 2 });
  expect(room.names('.taskroom/attic').join()).toContain('Sign- in.md');
  expect((await failureOf(room.tasks.call('showPlan', { name: 'Sign- in' }, PERSON))).code).toBe('not_found');
});

test('refusals name the field and what is allowed', async () => {
  write('Sign-in', PLAN);
  const refusals = [
    room.tasks.call('createPlan', { name: 'Sign-in' }, PERSON),
    room.tasks.call('createPlan', { name: 'x', owner: 'nobody' }, PERSON),
    room.tasks.call('createPlan', { name: '??' }, PERSON),
    room.tasks.call('createPlan', { name: 'x', steps: [{ title: 'y'.repeat(61) }] }, PERSON),
    room.tasks.call('setPlanStage', { name: 'Sign-in', stage: 'a\nb' }, PERSON),
    room.tasks.call('setPlanStage', { name: 'Sgin-in', stage: 'final' }, PERSON),
    room.tasks
      .call('createPlan', { name: 'x', stage: 'final' }, PERSON)
      .then(() => room.tasks.call('setPlanStage', { name: 'x', stage: 'final' }, PERSON)),
  ];
  const failures = [];
  for (const refusal of refusals) failures.push(await failureOf(refusal));
  expect(failures.map(({ code }) => code)).toEqual([
    'conflict',
    'bad_input',
    'bad_input',
    'bad_input',
    'bad_input',
    'not_found',
    'refused',
  ]);
  expect(failures[5]!.hint).toBe('did you mean "Sign-in"?');
});
