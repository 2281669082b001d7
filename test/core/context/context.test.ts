import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  buildContext,
  type ContextInput,
  contextBytes,
  localServices,
} from '../../../src/core/context/context.ts';
import type { TaskId } from '../../../src/core/ids.ts';
import type { Task } from '../../../src/core/task/task.ts';
import { forAll } from '../../support/for-all.ts';

const TASK: Task = {
  ...{ path: 'tasks/Fix the build.md', name: 'Fix the build', id: '3nprht9x' as TaskId, title: null },
  ...{ status: 'todo', paused: false, requester: 'owner', owner: null, priority: null, parent: null },
  ...{ blockedBy: [], labels: [], repositories: [], steps: [], resources: [], sprint: null, artifact: null },
  ...{ base: null, scope: null, sort: null, due: null, activeForm: null, budget: null, remote: null },
  ...{ created: null, createdBy: null, completedBy: null, updated: null, revision: 'r', hash: 'h' },
};

function input(over: Partial<ContextInput> & { task?: Task } = {}): ContextInput {
  return {
    task: TASK,
    body: '## Task\nDo it.\n',
    ...localServices({ readable: true, writable: true }),
    ...over,
  };
}

const comment = (n: number, size = 20) => ({
  author: 'alice',
  role: null,
  at: `t${n}`,
  text: `${n} ${'x'.repeat(size)}`,
});

describe('buildContext', () => {
  it('gives exactly the two objects of T7 for a plain task', () => {
    const context = buildContext(input());
    expect(context).toStrictEqual({
      task: {
        ...{ provider: 'local', ref: 'task:local:3nprht9x', thread_id: 'task:local:3nprht9x' },
        ...{ name: 'Fix the build', body: '## Task\nDo it.\n', status: 'todo', requester: 'owner' },
      },
      task_services: { read: true, write: true, comment: true },
    });
    expect(Object.keys(context.task)).toEqual([
      ...['provider', 'ref', 'name', 'body', 'status', 'requester', 'thread_id'],
    ]);
    expect(Object.keys(context.task_services)).toEqual(['read', 'write', 'comment']);
  });

  it.each([
    ['github:acme/web#12', 'github', 'task:github:acme/web#12'],
    ['task:linear:ENG-42', 'linear', 'task:linear:ENG-42'],
    ['taskwarrior:8e1c', 'taskwarrior', 'task:taskwarrior:8e1c'],
  ])('remote %j is a task of %s', (remote, provider, ref) => {
    const { task } = buildContext(input({ task: { ...TASK, remote } }));
    expect(task).toMatchObject({ provider, ref, thread_id: 'task:local:3nprht9x' });
  });

  it.each(['', 'github', 'github:', 'local:x', 'https://github.com/acme/web/issues/12'])(
    'remote %j never passes for local',
    (remote) => {
      const build = () => buildContext(input({ task: { ...TASK, remote } }));
      expect(build).toThrow(expect.objectContaining({ code: 'invalid_file' }));
    },
  );
});

describe('the budget', () => {
  const maxBytes = 64 * 1024;
  const many = (count: number, size: number) => Array.from({ length: count }, (_, n) => comment(n, size));

  it('cuts the oldest comments first and says how many', () => {
    const context = buildContext(input({ comments: many(100, 2000), progress: ['p1', 'p2'], maxBytes }));
    const [note, ...kept] = context.comments!;
    expect(note).toMatchObject({
      author: 'taskroom',
      text: `${100 - kept.length} older comments left out to keep this short; the task file has them`,
    });
    expect(kept).toEqual(many(100, 2000).slice(-kept.length));
    expect(kept.length).toBeGreaterThan(25);
    expect(context.progress).toEqual(['p1', 'p2']);
    expect(context.task.body).toBe('## Task\nDo it.\n');
    expect(contextBytes(context)).toBeLessThanOrEqual(maxBytes);
    // No more than needed: one comment more would not fit.
    expect(contextBytes(context) + 2000).toBeGreaterThan(maxBytes);
  });

  it('then the middle of the body, at ends of lines', () => {
    const lines = Array.from({ length: 20_000 }, (_, n) => `line ${n}`);
    const body = `${lines.join('\n')}\n`;
    const context = buildContext(input({ body, maxBytes }));
    const [head, note, tail] = context.task.body.split(/\n\n(\[taskroom: .*\])\n\n/);
    expect(body.startsWith(head!)).toBe(true);
    expect(body.endsWith(tail!)).toBe(true);
    expect(head).toMatch(/\n?line \d+\n?$/);
    expect(tail).toMatch(/^line \d+\n/);
    expect(note).toBe(
      `[taskroom: ${body.length - head!.length - tail!.length} characters left out here to keep this short; the task file has them]`,
    );
    expect(contextBytes(context)).toBeLessThanOrEqual(maxBytes);
    expect(contextBytes(context)).toBeGreaterThan(maxBytes - 1000);
  });

  it('holds for any task, and changes nothing below it', () => {
    const text = (max: number) =>
      fc.tuple(fc.string({ unit: 'binary', maxLength: 8 }), fc.nat(max)).map(([s, n]) => s.repeat(n + 1));
    const record = fc.record({
      body: text(20_000),
      comments: fc.array(text(3000), { maxLength: 6 }),
      progress: fc.array(text(3000), { maxLength: 6 }),
      title: text(5000),
      extra: text(5000),
      steps: fc.array(text(2000), { maxLength: 6 }),
    });
    forAll(20, record, (raw) => {
      const steps = raw.steps.map((details) => ({ title: 't', details, done: false, task: null }));
      const comments = raw.comments.map((words) => ({ author: 'a', role: null, at: '', text: words }));
      const task = { ...TASK, title: raw.title, requester: raw.title, steps };
      const whole = input({
        task,
        body: raw.body,
        comments,
        progress: raw.progress,
        extra: { x: raw.extra },
      });
      const uncut = buildContext({ ...whole, maxBytes: Number.MAX_SAFE_INTEGER });
      for (const limit of [0, maxBytes]) {
        const context = buildContext({ ...whole, maxBytes: limit });
        const size = contextBytes(context);
        expect(size).toBeLessThanOrEqual(Math.max(limit, 32 * 1024));
        if (contextBytes(uncut) <= Math.max(limit, 32 * 1024)) expect(context).toEqual(uncut);
        else expect(size).toBeLessThan(contextBytes(uncut));
        expect(context.task.thread_id).toBe('task:local:3nprht9x');
      }
    });
  });
});
