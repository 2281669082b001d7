// Taskwarrior, the real program, through the conformance suite: bodies kept in the room, and bodies in an attribute.
import { randomUUID } from 'node:crypto';
import { describe } from 'vitest';
import type { Field } from '../../../src/core/chore/chore.ts';
import type { Provider, ProviderFactory } from '../../../src/providers/provider.ts';
import {
  annotationsOf,
  formatSecond,
  labelsOf,
  type TaskRecord,
  textOf,
  withAnnotations,
  withLabels,
  withValue,
} from '../../../src/providers/taskwarrior/record.ts';
import { taskwarriorFactory } from '../../../src/providers/taskwarrior/taskwarrior.ts';
import { commentId } from '../../../src/providers/taskwarrior/to-remote-task.ts';
import {
  describeProvider,
  type People,
  type PersonEdit,
  type ProviderHarness,
} from '../../conformance/provider.ts';
import { createPersonDatabase, hasTaskwarrior, type PersonDatabase } from './person-database.ts';

const BODY = 'body';
const LETTERS = { high: 'H', medium: 'M', low: 'L' } as const;
const STATES = [
  { name: 'pending', status: 'todo', is: { status: 'pending' } },
  { name: 'active', status: 'doing', is: { status: 'pending', start: '20260101T100000Z' } },
  { name: 'waiting', status: 'draft', is: { status: 'pending', wait: '20380101T100000Z' } },
  { name: 'completed', status: 'done', is: { status: 'completed', end: '20260101T100000Z' } },
  { name: 'deleted', status: 'canceled', is: { status: 'deleted', end: '20260101T100000Z' } },
] as const;

function edited(record: TaskRecord, edit: PersonEdit): TaskRecord {
  let next = record;
  const set = (name: string, value: string | readonly string[] | null): void => {
    next = withValue(next, name, value);
  };
  if (edit.title !== undefined) set('description', edit.title);
  if (edit.body !== undefined) set(BODY, edit.body === '' ? null : edit.body);
  if (edit.priority !== undefined) set('priority', edit.priority && LETTERS[edit.priority]);
  if (edit.due !== undefined) set('due', edit.due && `${edit.due.replaceAll('-', '')}T000000Z`);
  if (edit.blockedBy) set('depends', edit.blockedBy.length === 0 ? null : edit.blockedBy);
  if (edit.labels) next = withLabels(next, { remove: labelsOf(next), add: edit.labels });
  if (edit.state !== undefined) {
    for (const name of ['start', 'wait', 'end']) set(name, null);
    const { is } = STATES.find(({ name }) => name === edit.state)!;
    for (const [name, value] of Object.entries(is)) set(name, value);
  }
  return next;
}

function peopleOf(rig: PersonDatabase, clock: { second: number }): People {
  const put = (record: TaskRecord): void => {
    rig.put([record]);
    rig.backdate(record.uuid, clock.second);
  };
  const one = (ref: string): TaskRecord => rig.records(ref)[0]!;
  const speak = (ref: string, change: (old: ReturnType<typeof annotationsOf>) => typeof old): void =>
    put(withAnnotations(one(ref), change(annotationsOf(one(ref)))));
  return {
    async createIssues(drafts) {
      const entry = formatSecond(clock.second);
      const records = drafts.map((draft) =>
        edited({ uuid: randomUUID(), status: 'pending', entry, modified: entry }, draft),
      );
      if (records.some((record) => textOf(record, 'description') === '')) throw new Error('no description');
      rig.put(records);
      return records.map(({ uuid }) => uuid);
    },
    editIssue: async (ref, edit) => put(edited(one(ref), edit)),
    async look(ref) {
      const [record] = rig.records(ref);
      if (!record) return null;
      const comments = annotationsOf(record).map(({ second, text }) => ({
        id: commentId(record, second),
        author: 'taskwarrior',
        body: text,
      }));
      return { title: textOf(record, 'description'), body: textOf(record, BODY), comments };
    },
    titles: async () => rig.records().map((record) => textOf(record, 'description')),
    async deleteIssue(ref) {
      rig.task(ref, 'delete');
      rig.task(ref, 'purge');
    },
    async addComments(ref, bodies) {
      const last = annotationsOf(one(ref)).at(-1)?.second ?? 0;
      const first = Math.max(clock.second, last + 1);
      speak(ref, (old) => [...old, ...bodies.map((text, at) => ({ second: first + at, text }))]);
      return bodies.map((_, at) => commentId(one(ref), first + at));
    },
    editComment: async (ref, id, text) =>
      speak(ref, (old) =>
        old.map((each) => (commentId(one(ref), each.second) === id ? { ...each, text } : each)),
      ),
    deleteComment: async (ref, id) =>
      speak(ref, (old) => old.filter(({ second }) => commentId(one(ref), second) !== id)),
  };
}

/** The factory, whose providers can lose an answer: what was asked is done, and its caller is told that it failed. */
function losing(state: { lose: boolean }): ProviderFactory {
  const unlessLost = <T>(answer: T): T => {
    if (!state.lose) return answer;
    state.lose = false;
    throw new Error('the answer was lost');
  };
  return {
    ...taskwarriorFactory,
    async open(config, effects): Promise<Provider> {
      const { write, comment, ...rest } = await taskwarriorFactory.open(config, effects);
      return {
        ...rest,
        ...(write && {
          write: { ...write, create: async (...args) => unlessLost(await write.create(...args)) },
        }),
        ...(comment && {
          comment: { ...comment, add: async (...args) => unlessLost(await comment.add(...args)) },
        }),
      };
    },
  };
}

function opener(options: Record<string, unknown>) {
  return async (): Promise<ProviderHarness> => {
    const rig = createPersonDatabase(`uda.${BODY}.type=string\n`);
    const clock = { second: Math.floor(Date.now() / 1000) };
    const state = { lose: false };
    const bodies: Field[] = options.body ? ['body'] : [];
    return {
      factory: losing(state),
      config: (change) => rig.config({ options, ...change }),
      effects: rig.effects,
      people: peopleOf(rig, clock),
      fields: ['title', 'status', 'labels', 'priority', 'due', 'blocked_by', 'comments', ...bodies],
      states: STATES,
      account: 'taskwarrior',
      absentRef: '00000000-0000-4000-8000-000000000000',
      async tick() {
        clock.second += 2;
      },
      loseNextAnswer() {
        state.lose = true;
      },
      close: async () => {},
    };
  };
}

describe.skipIf(!hasTaskwarrior)('the real program', () => {
  describeProvider('taskwarrior', opener({ body: BODY }));
});
