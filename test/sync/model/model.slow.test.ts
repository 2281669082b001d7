// Random people on both sides, random faults of the tracker, a death at any point: both sides agree in the end, nothing
// typed is lost, nothing is made twice, and another sync does nothing.
import { expect, onTestFinished, test } from 'vitest';
import { checkSequences, runSequence } from './run.ts';
import type { Step } from './step.ts';
import { judgeEnd } from './verdict.ts';
import { createWorld, type WorldSetting } from './world.ts';

const SETTING: WorldSetting = {
  push: ['title', 'body', 'status', 'labels', 'priority', 'comments', 'progress', 'outcome'],
  ...{ prefer: 'remote', workflow: false, rewrites: false, partialComments: false, deletionTouches: true },
  ...{ pageSize: 1, resolutionMs: 1, onDelete: 'forget', closedToo: false, stranger: false },
};

// The same ones each time, so that a change is to blame for what it breaks; `npm run test:sync` takes new ones.
// `npm run test:sync` runs thousands.
test('three hundred sequences keep every promise', async () => {
  await checkSequences({ runs: Number(process.env.FC_RUNS ?? 300), seed: 20_261 });
}, 240_000);

const NOTHING = { a: 0, b: 0, c: 0, sync: false };
const step = (kind: string, more: Partial<Step> = {}): Step => ({ kind, ...NOTHING, ...more });
const LAG = step('fault', { a: 3 });

// What earlier versions got wrong, each found by the model.
const FOUND: readonly [string, Partial<WorldSetting>, Step[]][] = [
  [
    'a comment entry that was taken out before it was sent, and put back as dropped by a stale buffer',
    {},
    [step('tool.comment'), step('local.unsay'), step('remote.labels', { b: 1 }), step('sync')],
  ],
  [
    'an archived task whose issue ended otherwise',
    {},
    [step('tool.done'), step('remote.state', { b: 2 }), step('tool.archive')],
  ],
  [
    'a comment that changed upstream while its entry was taken out',
    {},
    [step('remote.say', { sync: true }), step('remote.reword'), step('local.unsay'), step('sync')],
  ],
  [
    'a file renamed by a person in the moment its title came',
    {},
    [step('meanwhile', { a: 9, b: 3 }), step('local.title', { c: 1 }), step('sync.dies', { b: 3 })],
  ],
  [
    'an entry edited by hand in a room that then lost its ledger',
    {},
    [step('remote.say', { sync: true }), step('local.entry'), step('restart')],
  ],
  [
    'a listing from before our last push',
    { deletionTouches: false },
    [
      step('remote.state', { b: 1 }),
      { ...LAG, c: 16 },
      step('local.title', { c: 1 }),
      step('sync.dies', { b: 2, c: 1 }),
      step('sync.dies', { b: 49 }),
    ],
  ],
  [
    'a file that can not be read in a room that lost its ledger',
    {},
    [step('local.break'), step('restart', { sync: true })],
  ],
  [
    'a listing from before our Progress went up, in a room that lost its ledger',
    {},
    [
      step('local.progress'),
      step('remote.body'),
      { ...LAG, b: 10, sync: true },
      step('restart', { sync: true }),
    ],
  ],
  [
    'a comment edited here while nobody knew whether it had gone up',
    {},
    [
      step('fault', { a: 8 }),
      step('tool.comment', { sync: true }),
      step('local.entry'),
      step('local.title', { sync: true }),
    ],
  ],
  [
    'two Outcomes upstream of a room that lost its ledger',
    {},
    [
      step('tool.done', { sync: true }),
      step('local.outcome', { sync: true }),
      step('restart', { sync: true }),
      step('local.outcome'),
    ],
  ],
  [
    'an issue that was closed while nobody knew whether it was made',
    {},
    [step('fault', { a: 1 }), step('tool.publish'), step('remote.state', { a: 3, b: 1 })],
  ],
  [
    "a stranger's words that came while the task was over, and its opening after",
    { stranger: true },
    [
      step('remote.state', { b: 1, sync: true }),
      step('remote.body', { c: 3, sync: true }),
      step('remote.state', { b: 0, sync: true }),
    ],
  ],
  [
    "a stranger's issue that was over when it was first seen",
    { closedToo: true },
    [step('remote.open', { b: 0, c: 0, sync: true }), step('remote.state', { a: 1, b: 0, sync: true })],
  ],
];

test.each(FOUND)('%s', async (_name, setting, steps) => {
  expect(await runSequence({ ...SETTING, ...setting }, 0, steps)).toEqual([]);
});

test.each(['lost', 'twice', 'apart', 'restless'] as const)('the verdict sees what is %s', async (plant) => {
  const world = createWorld(SETTING, 1);
  onTestFinished(() => world.close());

  const ref = world.tracker.createIssue({ title: 'w1x', body: 'w2x' });
  world.words.edited('', 'w1x w2x');
  await world.run();
  if (plant === 'lost') world.words.edited('', 'w3x');
  if (plant === 'twice') world.made.set('somekey12', 2);
  if (plant === 'apart')
    world.deps.ledger.mirrors.update(world.sync.mirrors()[0]!.task, { state: 'error', message: 'x' });
  if (plant === 'restless') {
    const { run } = world;
    world.run = async (options) => {
      world.tracker.addComment(ref, `w${world.now()}x`);
      return run(options);
    };
  }
  expect(await judgeEnd(world)).not.toEqual([]);
});
