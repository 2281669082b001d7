// One step of the model-based test: what a person does to a file or to an issue, what goes wrong, and when a sync runs.
// A step is plain data, so that a failing list of them shrinks and can be replayed.

import { isRoomError } from '../../../src/core/errors.ts';
import type { Actor } from '../../../src/tasks/task-room.ts';
import type { FaultKind } from './faults.ts';
import { LOCAL_STEPS } from './local-steps.ts';
import { REMOTE_STEPS } from './remote-steps.ts';
import type { Act, Step } from './step.ts';
import type { World } from './world.ts';

type Work = (world: World, step: Step) => Promise<void>;

const PERSON: Actor = { kind: 'person' };
const MINUTE = 60_000;
const WAITS = [1000, 61_000, 10 * MINUTE, 70 * MINUTE, 25 * 60 * MINUTE];
const FAULTS: readonly FaultKind[] = ['before', 'after', 'limited', 'lag', 'empty', 'after', 'refused'];
const MOMENTS = [...Object.keys(LOCAL_STEPS), ...Object.keys(REMOTE_STEPS)].sort();

export function pick<T>(list: readonly T[], at: number): T | undefined {
  return list[at % Math.max(1, list.length)];
}

/** The id a task's file holds. */
export function idIn(text: string): string | null {
  return /^id: (\S+)$/m.exec(text)?.[1] ?? null;
}

/** A tool that is refused (the task is gone, the file unreadable) did nothing: that is the person's to read. */
async function tool(world: World, work: () => Promise<unknown>): Promise<void> {
  await world.alive(async () => {
    try {
      await work();
    } catch (error) {
      if (!isRoomError(error)) throw error;
    }
  });
}

async function withTask(world: World, { a }: Step, work: (id: string) => Promise<unknown>): Promise<void> {
  const path = pick(world.paths(), a);
  const id = path === undefined ? null : idIn(world.read(path));
  if (id !== null) await tool(world, () => work(id));
}

/** Words count once the tool says it is done. */
async function saying(
  world: World,
  step: Step,
  say: (id: string, text: string) => Promise<unknown>,
): Promise<void> {
  const word = world.words.fresh();
  await withTask(world, step, async (id) => {
    await say(id, `${word} said`);
    world.words.edited('', word);
  });
}

const WORK: Readonly<Record<string, Work>> = {
  sync: async (world) => void (await world.run()),
  'sync.full': async (world) => void (await world.run({ full: true })),
  'sync.pull': async (world) => void (await world.run({ push: false })),
  'sync.push': async (world) => void (await world.run({ pull: false })),
  'sync.dry': async (world) => void (await world.run({ dryRun: true })),
  async 'sync.dies'(world, { b, c }) {
    world.dieIn = 1 + (b % 24);
    await world.run(c % 4 === 0 ? { full: true } : {});
    world.dieIn = 0;
  },
  async restart(world, { c }) {
    if (!world.dead) await world.deps.writer.close();
    world.restart(c % 3 === 0);
  },
  async wait(world, { b }) {
    world.later(WAITS[b % WAITS.length]!);
  },
  async fault(world, { a, b, c }) {
    const kind = FAULTS[a % FAULTS.length]!;
    const reads =
      kind === 'lag' || kind === 'empty' || (kind !== 'after' && kind !== 'refused' && c % 2 === 0);
    world.faults.lay(kind, reads ? 'reads' : 'writes', b % 3, 1 + (c % 3));
  },
  async meanwhile(world, step) {
    const { a, b, c } = step;
    const name = MOMENTS[b % MOMENTS.length]!;
    const act = () => ACTS[name]!(world, { ...step, kind: name, b: a + c });
    world.faults.lay('meanwhile', c % 2 === 0 ? 'writes' : 'reads', c % 3, 1, act);
  },
  'tool.comment': (world, step) =>
    saying(world, step, (id, text) => world.tasks.call('comment', { ref: id, text }, PERSON)),
  'tool.progress': (world, step) =>
    saying(world, step, (id, text) => world.tasks.call('progress', { ref: id, text }, PERSON)),
  'tool.done': (world, step) =>
    saying(world, step, (id, outcome) => world.tasks.call('complete', { ref: id, outcome }, PERSON)),
  'tool.archive': (world, step) =>
    withTask(world, step, (id) => world.tasks.call('archive', { ref: id }, PERSON)),
  async 'tool.publish'(world) {
    const [name, body] = [world.words.fresh(), world.words.fresh()];
    await tool(world, async () => {
      const { id } = await world.tasks.call('create', { name, description: body }, PERSON);
      world.words.edited('', body);
      await world.sync.publish(id, 'web', new AbortController().signal);
    });
  },
};

const ACTS: Readonly<Record<string, Act>> = { ...LOCAL_STEPS, ...REMOTE_STEPS };

/** Names of steps; one that comes more often is named more often. */
export const STEP_KINDS: readonly string[] = [
  ...Object.keys(ACTS),
  ...Object.keys(WORK),
  ...Array.from({ length: 4 }, () => 'sync'),
  ...[
    ...['remote.body', 'remote.title', 'local.body', 'local.title', 'remote.say', 'remote.state'],
    'local.status',
  ],
  ...['sync.dies', 'sync.dies', 'sync.dies', 'fault', 'fault', 'fault', 'meanwhile', 'meanwhile', 'wait'],
];

/** Carries out one step; a process that died is started anew first. */
export async function perform(world: World, step: Step): Promise<void> {
  if (world.dead) world.restart(false);
  const act = ACTS[step.kind];
  if (act) act(world, step);
  else await WORK[step.kind]!(world, step);
}
