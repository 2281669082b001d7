// One step of the model-based test: what a person does to a file or to an issue, what goes wrong, and when a sync runs.
// A step is plain data, so that a failing list of them shrinks and can be replayed.
import { isRoomError } from '../../../src/core/errors.ts';
import type { Actor } from '../../../src/tasks/task-room.ts';
import { splitMarker } from '../../support/memory-provider/reading.ts';
import type { MemoryIssue } from '../../support/memory-provider/tracker.ts';
import type { FaultKind } from './faults.ts';
import { changedLine } from './line-edit.ts';
import { LOCAL_STEPS } from './local-steps.ts';
import type { Act, Step } from './step.ts';
import { wordsOf } from './typed-words.ts';
import type { World } from './world.ts';

// What people do at the tracker. Some issues and comments are a stranger's.
const STRANGER = 'stranger';
const MOST_ISSUES = 3;

function withIssue(world: World, { a }: Step, work: (issue: MemoryIssue) => void): void {
  const issues = world.tracker.issues();
  const issue = issues[a % Math.max(1, issues.length)];
  if (issue) work(issue);
}

function withComment(
  world: World,
  step: Step,
  work: (issue: MemoryIssue, comment: MemoryIssue['comments'][number]) => void,
): void {
  withIssue(world, step, (issue) => {
    const comment = issue.comments[step.b % Math.max(1, issue.comments.length)];
    if (comment) work(issue, comment);
  });
}

/** What a person sees of a text; the marker of ours stays in what is stored. */
function edited(
  stored: string,
  edit: (text: string) => string,
): { before: string; after: string; stored: string } {
  const { text } = splitMarker(stored);
  const after = edit(text);
  return { before: text, after, stored: after + stored.slice(text.length) };
}

function setText(
  world: World,
  issue: MemoryIssue,
  key: 'title' | 'body',
  text: ReturnType<typeof edited>,
): void {
  world.words.edited(text.before, text.after);
  if (issue.author === STRANGER) world.words.distrust(text.before, text.after);
  world.tracker.editIssue(issue.ref, { [key]: text.stored });
}

/** One whose making is not on record (or no more) can't be known to have been there: deleted, it is made anew. */
function forgetUnrecorded(
  { deps, made }: World,
  stored: string,
  isOnRecord: (base: string | null) => boolean,
): void {
  const { mirrors } = deps.ledger;
  const { key } = splitMarker(stored);
  if (key !== null && !mirrors.list().some(({ task }) => isOnRecord(mirrors.get(task)!.base)))
    made.delete(key);
}

const REMOTE_STEPS: Readonly<Record<string, Act>> = {
  'remote.open'(world, { b, c }) {
    if (world.tracker.issues().length >= MOST_ISSUES) return;
    const [title, body] = [`${world.words.fresh()} found`, `${world.words.fresh()}\n- two\nthree`];
    const by = b % 3 === 0 ? STRANGER : 'alice';
    if (by === STRANGER) world.words.distrust('', `${title} ${body}`);
    world.words.edited('', `${title} ${body}`);
    const state =
      c % 5 === 0 ? world.tracker.states.find(({ status }) => status === 'done')!.name : undefined;
    world.tracker.createIssue({ title, body, ...(state === undefined ? {} : { state }) }, by);
  },
  'remote.title': (world, step) =>
    withIssue(world, step, (issue) => {
      const after = `${world.words.fresh()} renamed`;
      setText(world, issue, 'title', { before: issue.title, after, stored: after });
    }),
  'remote.body': (world, step) =>
    withIssue(world, step, (issue) => {
      setText(
        world,
        issue,
        'body',
        edited(issue.body, (text) => changedLine(text, step, world.words.fresh())),
      );
    }),
  'remote.state': (world, step) =>
    withIssue(world, step, ({ ref }) => {
      const { states } = world.tracker;
      world.tracker.editIssue(ref, { state: states[step.b % states.length]!.name });
    }),
  'remote.labels': (world, step) =>
    withIssue(world, step, ({ ref, labels }) => {
      const kept = step.b % 2 === 0 ? labels : labels.slice(1);
      const now = step.b % 3 === 0 ? kept : [...kept, world.words.fresh('lab')];
      world.words.edited(labels.join(' '), now.join(' '));
      world.tracker.editIssue(ref, { labels: now });
    }),
  'remote.priority': (world, step) =>
    withIssue(world, step, ({ ref }) => {
      const priority = ([null, 'high', 'low'] as const)[step.b % 3]!;
      world.tracker.editIssue(ref, { priority });
    }),
  'remote.say': (world, step) =>
    withIssue(world, step, ({ ref }) => {
      const word = world.words.fresh();
      world.words.edited('', word);
      const text = step.c % 4 === 0 ? `## Outcome\n${word}\n\`\`\`` : `- ${word} said`;
      world.tracker.addComment(ref, text, step.b % 2 === 0 ? STRANGER : 'alice');
    }),
  /** Somebody copies the marker of a comment of ours, or of the issue. */
  'remote.forge': (world, step) =>
    withIssue(world, step, (issue) => {
      const stored = [issue.body, ...issue.comments.map(({ body }) => body)];
      const marker = /<!-- taskroom:\w+ -->$/.exec(stored[step.b % stored.length]!)?.[0];
      if (marker === undefined) return;
      const word = world.words.fresh();
      world.words.edited('', word);
      world.tracker.addComment(issue.ref, `${word} forged\n\n${marker}`, STRANGER);
    }),
  'remote.reword': (world, step) =>
    withComment(world, step, ({ ref }, comment) => {
      const text = edited(comment.body, (now) => changedLine(now, step, world.words.fresh()));
      // Our Progress and Outcome are shown there, not written there: an edit of them is written over.
      if (comment.author === world.tracker.account) world.words.dropped(text.before);
      else world.words.edited(text.before, text.after);
      world.tracker.editComment(ref, comment.id, text.stored);
    }),
  'remote.unsay': (world, step) =>
    withComment(world, step, ({ ref }, comment) => {
      world.words.dropped(comment.body);
      forgetUnrecorded(world, comment.body, (base) => base?.includes(`"${comment.id}":`) === true);
      world.tracker.deleteComment(ref, comment.id);
    }),
  'remote.lock': (world, step) =>
    withIssue(world, step, ({ ref, locked }) => world.tracker.editIssue(ref, { locked: !locked })),
  'remote.delete': (world, step) =>
    withIssue(world, step, ({ ref, uid, title, body, labels, comments }) => {
      if (step.b % 2 === 0) return;
      const said = comments.map((comment) => comment.body);
      forgetUnrecorded(world, body, (base) => base?.includes(`"uid":"${uid}"`) === true);
      for (const word of wordsOf([title, body, ...labels, ...said].join('\n'))) world.words.dropped(word);
      world.tracker.deleteIssue(ref);
    }),
  'remote.move': (world, step) =>
    withIssue(world, step, ({ ref }) => {
      if (step.b % 2 === 0) world.tracker.transferIssue(ref, 'acme/api');
    }),
};

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
export const idIn = (text: string): string | null => /^id: (\S+)$/m.exec(text)?.[1] ?? null;

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
  wait: async (world, { b }) => world.later(WAITS[b % WAITS.length]!),
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
