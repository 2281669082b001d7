// Every operation as data: its name, the shape of its input, what it needs of whoever asks, and its run. What carries
// operations from elsewhere (a turn's bridge, MCP, HTTP) carries these, never command lines.
import * as z from 'zod';
import { STATUSES } from '../core/task/status.ts';
import { PRIORITIES } from '../core/task/task.ts';
import { type Operations, SORT_KEYS } from './operations.ts';
import type { Actor } from './task-room.ts';

/**
 * What an operation needs: to look; to change a task; to comment on one; to make one. What needs the person is done for
 * nobody else, what needs the runtime for nothing that reports.
 */
export type OperationNeeds = 'read' | 'write' | 'comment' | 'create' | 'person' | 'runtime';

export interface OperationEntry {
  name: keyof Operations;
  /** Unknown members are refused. */
  input: z.ZodType;
  needs: OperationNeeds;
  /**
   * @param input as `input` parsed it
   * @returns plain data: what JSON can say
   */
  run(operations: Operations, input: unknown, actor: Actor): Promise<unknown>;
}

function operation<Name extends keyof Operations, Input extends z.ZodType>(
  name: Name,
  needs: OperationNeeds,
  input: Input,
  run: (operations: Operations, input: z.infer<Input>, actor: Actor) => Promise<unknown>,
): OperationEntry & { name: Name } {
  return { name, needs, input, run: (operations, given, actor) => run(operations, given as never, actor) };
}

const text = z.string();
const ref = text;
const none = z.strictObject({});
const onTask = z.strictObject({ ref });
const count = z.int().min(0);
const status = z.enum(STATUSES);
const priority = z.enum(PRIORITIES);
const entry = z.strictObject({ ref, text, key: text.exactOptional() });

/** A key is a turn's own: none can stand in the way of another's entry. */
function ownKey(actor: Actor, key: string | undefined): string | undefined {
  return key === undefined || actor.kind !== 'agent' ? key : `${actor.turn}:${key}`;
}

const listFilter = z.strictObject({
  status: z.array(status).exactOptional(),
  owner: text.exactOptional(),
  label: text.exactOptional(),
  sprint: text.exactOptional(),
  priority: z.array(priority).exactOptional(),
  parent: text.exactOptional(),
  text: text.exactOptional(),
  sort: z.enum(SORT_KEYS).exactOptional(),
  limit: count.exactOptional(),
  ready: z.boolean().exactOptional(),
});

const newTask = z.strictObject({
  name: text,
  body: text.exactOptional(),
  title: text.exactOptional(),
  status: status.exactOptional(),
  owner: text.exactOptional(),
  requester: text.exactOptional(),
  priority: priority.exactOptional(),
  labels: z.array(text).exactOptional(),
  blockedBy: z.array(text).exactOptional(),
  parent: text.exactOptional(),
  sprint: text.exactOptional(),
});

const step = z.strictObject({ title: text, details: text, done: z.boolean(), task: text.nullable() });

const READING = [
  operation(
    'list',
    'read',
    z.strictObject({ filter: listFilter.exactOptional() }),
    async (on, { filter }) => {
      const { whyNot, ...list } = await on.list(filter);
      return { ...list, ...(whyNot === undefined ? {} : { whyNot: [...whyNot] }) };
    },
  ),
  operation('listAsJson', 'read', none, async (on) => {
    const list = await on.listAsJson();
    return list === null ? null : { ...list, chunks: [...list.chunks] };
  }),
  operation('overview', 'read', none, (on) => on.overview()),
  operation('show', 'read', onTask, (on, input) => on.show(input.ref)),
  operation('names', 'read', none, (on) => on.names()),
  operation(
    'history',
    'read',
    z.strictObject({ limit: count.exactOptional(), ref: ref.exactOptional() }),
    (on, input) => on.history(input),
  ),
  operation('context', 'read', onTask, (on, input) => on.context(input.ref)),
  operation(
    'turns',
    'read',
    z.strictObject({
      ref: ref.exactOptional(),
      state: z.enum(['running', 'completed', 'failed', 'killed']).exactOptional(),
      untold: z.boolean().exactOptional(),
      limit: count.exactOptional(),
    }),
    (on, input) => on.turns(input),
  ),
  operation('turn', 'read', onTask, (on, input) => on.turn(input.ref)),
  operation(
    'output',
    'read',
    z.strictObject({ turn: text, offset: count, limit: count.exactOptional() }),
    (on, { turn, offset, limit }) => on.output(turn as never, offset, limit),
  ),
  operation('skipped', 'read', none, (on) => on.skipped()),
  operation(
    'notices',
    'read',
    z.strictObject({ untold: z.boolean().exactOptional(), limit: count.exactOptional() }),
    (on, input) => on.notices(input),
  ),
];

const WRITING = [
  operation(
    'set',
    'write',
    z.strictObject({ ref, changes: z.record(text, text), force: z.boolean().exactOptional() }),
    (on, { ref: task, changes, ...options }, actor) => on.set(task, changes, actor, options),
  ),
  operation(
    'setStatus',
    'write',
    z.strictObject({
      ref,
      status,
      outcome: text.exactOptional(),
      onlyFinished: z.boolean().exactOptional(),
    }),
    (on, { ref: task, status: to, ...options }, actor) => on.setStatus(task, to, actor, options),
  ),
  operation(
    'pause',
    'write',
    z.strictObject({ ref, reason: text.exactOptional() }),
    (on, { ref: task, reason }, actor) => on.pause(task, actor, reason),
  ),
  operation('resume', 'write', onTask, (on, input, actor) => on.resume(input.ref, actor)),
  operation('remove', 'write', onTask, (on, input, actor) => on.remove(input.ref, actor)),
  operation('archive', 'write', onTask, (on, input, actor) => on.archive(input.ref, actor)),
  operation(
    'run',
    'write',
    z.strictObject({ ref, force: z.boolean().exactOptional() }),
    (on, { ref: task, ...options }, actor) => on.run(task, options, actor),
  ),
  operation('progress', 'write', entry, (on, input, actor) =>
    on.progress(input.ref, input.text, actor, ownKey(actor, input.key)),
  ),
  operation('outcome', 'write', entry, (on, input, actor) =>
    on.outcome(input.ref, input.text, actor, ownKey(actor, input.key)),
  ),
  operation(
    'setStep',
    'write',
    z.strictObject({ ref, index: count, done: z.boolean() }),
    (on, { ref: task, index, done }, actor) => on.setStep(task, index, done, actor),
  ),
  operation(
    'addStep',
    'write',
    z.strictObject({ ref, title: text, details: text.exactOptional() }),
    (on, { ref: task, title, details }, actor) => on.addStep(task, title, actor, details),
  ),
  operation(
    'setSteps',
    'write',
    z.strictObject({ ref, steps: z.array(step) }),
    (on, { ref: task, steps }, actor) => on.setSteps(task, steps as never, actor),
  ),
];

const OTHERS = [
  operation('comment', 'comment', entry, (on, input, actor) =>
    on.comment(input.ref, input.text, actor, ownKey(actor, input.key)),
  ),
  operation(
    'notify',
    'comment',
    z.strictObject({ text, ref: ref.exactOptional(), key: text.exactOptional() }),
    (on, { text: words, key, ...about }, actor) => {
      const own = ownKey(actor, key);
      return on.notify(words, actor, { ...about, ...(own === undefined ? {} : { key: own }) });
    },
  ),
  operation('create', 'create', z.strictObject({ task: newTask }), (on, { task }, actor) =>
    on.create(task, actor),
  ),
  operation('note', 'runtime', entry, (on, input, actor) =>
    on.note(input.ref, input.text, actor, ownKey(actor, input.key)),
  ),
  operation('printed', 'runtime', entry, (on, input, actor) =>
    on.printed(input.ref, input.text, actor, ownKey(actor, input.key)),
  ),
  operation('release', 'person', none, (on) => on.release()),
  operation('markTold', 'person', z.strictObject({ turns: z.array(text) }), async (on, { turns }) => {
    await on.markTold(turns as never[]);
    return null;
  }),
  operation('markNoticesTold', 'person', z.strictObject({ seqs: z.array(count) }), async (on, { seqs }) => {
    await on.markNoticesTold(seqs);
    return null;
  }),
  operation('kill', 'person', onTask, (on, input, actor) => on.kill(input.ref, actor)),
];

const ALL = [...READING, ...WRITING, ...OTHERS];

// Compiles only while every operation has its entry.
const _complete: Exclude<keyof Operations, (typeof ALL)[number]['name']> extends never ? true : never = true;
void _complete;

/** By name. */
export const OPERATIONS: ReadonlyMap<string, OperationEntry> = new Map(
  ALL.map((each) => [each.name, each as OperationEntry]),
);
