// What doctor finds wrong with plans.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { examinePlans } from '../../../src/tasks/doctor/doctor.ts';
import { openTestRoom, type TestRoom } from '../test-room.ts';

let rig: TestRoom;
beforeEach(() => {
  rig = openTestRoom();
  mkdirSync(join(rig.dir, 'artifacts'));
});
afterEach(() => rig.close());

const save = (name: string, ...lines: string[]): void =>
  writeFileSync(join(rig.dir, 'artifacts', `${name}.md`), `---\ntype: plan\n${lines.join('\n')}\n`);
const examine = () => examinePlans(rig.handle, (id) => rig.deps.agents().has(id));

test('nothing is said where there are no plans, and one line where all are well', async () => {
  expect(await examine()).toEqual([]);
  save('Good', 'stage: draft', 'owner: runbook', '---', '## Steps', '- [ ] One');
  expect(await examine()).toMatchObject([{ name: 'plans', state: 'ok', text: '1 plan(s) can be read' }]);
});

test('each plan that keeps something from being made is named, with what mends it', async () => {
  save('Broken', 'stage: [', '---', '## Steps', '- [ ] One');
  save('Lost', 'stage: final', 'owner: nobody', '---', '## Steps', '- [ ] Two');
  save('Bare', 'stage: final', '---', 'Words alone.');
  save('Soon', 'stage: draft', 'owner: nobody', '---', '## Steps', '- [ ] Three');
  await rig.call('release', {}, { kind: 'person' });
  const found = await examine();
  expect(found.map(({ state, text }) => [state, text.replace(/:\d+:\d+.*/, '')])).toEqual([
    ['fail', 'artifacts/Broken.md'],
    ['fail', expect.stringContaining('artifacts/Lost.md: there is no agent "nobody"')],
    ['warn', expect.stringContaining('artifacts/Bare.md is final and has no steps')],
    ['warn', expect.stringContaining('artifacts/Soon.md: owner nobody is no agent')],
  ]);
  for (const { hint } of found) expect(hint).toBeTruthy();
});
