// What a review of a task's work answers: its diff, what became of its branch, and its pull request.
import * as z from 'zod';
import { count, instant, once, taskId, text } from './shapes.ts';

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

const link = () => text().nullable();

const review = () =>
  z.strictObject({
    author: text(),
    trusted: z.boolean().meta({ description: 'what anybody else says starts nothing' }),
    verdict: z.enum(['approved', 'changes_requested', 'commented', 'dismissed']),
    text: text(),
    place: text().nullable().meta({ description: '`path:line` of a comment on a line' }),
    ...{ at: instant(), url: link() },
  });

const pullCheck = () =>
  z.strictObject({ name: text(), state: z.enum(['pending', 'passed', 'failed']), url: link() });

export const pullRequest = once(() =>
  z
    .strictObject({
      ref: text().meta({ description: '`owner/repository#number`' }),
      ...{ url: text(), branch: text() },
      state: z.enum(['open', 'merged', 'closed']),
      draft: z.boolean(),
      mergeable: z.boolean().nullable().meta({ description: 'null while GitHub does not say' }),
      commit: text().meta({ description: 'the last one that it has' }),
      verdict: z
        .enum(['none', 'approved', 'changes_requested'])
        .meta({ description: 'of the trusted people who reviewed it' }),
      reviews: z.array(review()).meta({ description: 'and comments on lines, the oldest first' }),
      checks: z.array(pullCheck()),
      seen_at: instant(),
      trouble: text().nullable().meta({ description: 'why it could not be looked at since' }),
    })
    .meta({ id: 'PullRequest' }),
);

export const openedAnswer = once(() =>
  z.strictObject({
    task: taskId(),
    opened: z.boolean().meta({ description: 'false when it was there already' }),
    pull_request: pullRequest(),
  }),
);

export type PullRequest = z.output<ReturnType<typeof pullRequest>>;
export type Opened = z.output<ReturnType<typeof openedAnswer>>;
export type TaskDiff = z.output<ReturnType<typeof diffAnswer>>;
export type Merged = z.output<ReturnType<typeof mergedAnswer>>;
export type Discarded = z.output<ReturnType<typeof discardedAnswer>>;
