// What a review of a task's work answers: its diff, and what became of its branch.
import * as z from 'zod';
import { count, once, taskId, text } from './shapes.ts';

export const diffAnswer = once(() =>
  z
    .strictObject({
      task: taskId(),
      branch: text()
        .nullable()
        .meta({ description: 'null: the task has no workspace, and there is nothing to show' }),
      base: text().nullable().meta({ description: 'the commit that it is compared with' }),
      path: text().nullable().meta({ description: 'of the worktree; null where it is not there' }),
      files: z.array(fileDiff()),
      note: text().nullable().meta({ description: 'what is left out, and why' }),
    })
    .meta({ id: 'TaskDiff' }),
);

const hunk = () =>
  z.strictObject({
    header: text(),
    old_start: count(),
    new_start: count(),
    lines: z.array(text()).meta({ description: 'each with its sign' }),
  });

const fileDiff = () =>
  z.strictObject({
    path: text(),
    old_path: text().nullable().meta({ description: 'null where it is the same' }),
    change: z.enum(['added', 'deleted', 'modified', 'renamed', 'type_changed']),
    binary: z.boolean(),
    additions: count(),
    deletions: count(),
    head: z.array(text()).meta({ description: "git's lines before the first hunk" }),
    hunks: z.array(hunk()),
  });

export const mergedAnswer = once(() =>
  z.strictObject({
    task: taskId(),
    branch: text(),
    into: text(),
    commit: text(),
    changed: z.boolean().meta({ description: 'false when it was merged already' }),
  }),
);

export const discardedAnswer = once(() =>
  z.strictObject({
    task: taskId(),
    branch: text(),
    reference: text().meta({ description: 'where its work is kept for 30 days' }),
    restore: text().meta({ description: 'the command that makes the branch again' }),
  }),
);

export type TaskDiff = z.output<ReturnType<typeof diffAnswer>>;
export type Merged = z.output<ReturnType<typeof mergedAnswer>>;
export type Discarded = z.output<ReturnType<typeof discardedAnswer>>;
