// What a review of a task's work answers: its diff, what became of its branch, and its pull request.
import * as z from 'zod';
import { count, flag, instant, list, named, once, orNull, taskId, text } from './shapes.ts';

export const diffAnswer = named('TaskDiff', () => ({
  task: taskId(),
  branch: orNull(text(), 'null: the task has no workspace, and there is nothing to show'),
  base: orNull(
    text(),
    'the commit that it is compared with; null where the workspace has several repositories',
  ),
  path: orNull(text(), 'of the workspace; null where it is not there'),
  files: z.array(fileDiff()),
  note: orNull(text(), 'what is left out, and why'),
}));

const hunk = () =>
  z.strictObject({
    header: text(),
    old_start: count(),
    new_start: count(),
    lines: list(text(), 'each with its sign'),
  });

const fileDiff = () =>
  z.strictObject({
    path: text('in the workspace'),
    old_path: orNull(text(), 'null where it is the same'),
    change: z.enum(['added', 'deleted', 'modified', 'renamed', 'type_changed']),
    binary: z.boolean(),
    additions: count(),
    deletions: count(),
    head: list(text(), "git's lines before the first hunk"),
    hunks: z.array(hunk()),
  });

/** @param members what became of the branch in each repository */
const ofBranch = <Members extends z.core.$ZodLooseShape>(members: () => Members) =>
  once(() => {
    const repository = text("its folder in the workspace; '' where it is the workspace itself");
    const repositories = z.array(z.strictObject({ repository, ...members() }));
    return z.strictObject({ task: taskId(), branch: text(), repositories });
  });

export const mergedAnswer = ofBranch(() => ({
  into: text(),
  commit: text(),
  changed: flag('false when it was merged already'),
}));

export const discardedAnswer = ofBranch(() => ({
  reference: text('where its work is kept for 30 days'),
  restore: text('the command that makes the branch again'),
}));

const link = () => text().nullable();

const review = () =>
  z.strictObject({
    author: text(),
    trusted: flag('what anybody else says starts nothing'),
    verdict: z.enum(['approved', 'changes_requested', 'commented', 'dismissed']),
    text: text(),
    place: orNull(text(), '`path:line` of a comment on a line'),
    ...{ at: instant(), url: link() },
  });

const pullCheck = () =>
  z.strictObject({ name: text(), state: z.enum(['pending', 'passed', 'failed']), url: link() });

export const pullRequest = named('PullRequest', () => ({
  ref: text('`owner/repository#number`'),
  ...{ url: text(), branch: text() },
  state: z.enum(['open', 'merged', 'closed']),
  draft: z.boolean(),
  mergeable: orNull(z.boolean(), 'null while GitHub does not say'),
  commit: text('the last one that it has'),
  verdict: z
    .enum(['none', 'approved', 'changes_requested'])
    .meta({ description: 'of the trusted people who reviewed it' }),
  reviews: list(review(), 'and comments on lines, the oldest first'),
  checks: z.array(pullCheck()),
  seen_at: instant(),
  trouble: orNull(text(), 'why it could not be looked at since'),
}));

export const openedAnswer = once(() =>
  z.strictObject({
    task: taskId(),
    opened: list(text(), 'those that were not there before, by their `ref`'),
    pull_requests: list(pullRequest(), 'one of each repository of the task that has commits'),
  }),
);

export type PullRequest = z.output<ReturnType<typeof pullRequest>>;
export type Opened = z.output<ReturnType<typeof openedAnswer>>;
export type TaskDiff = z.output<ReturnType<typeof diffAnswer>>;
export type Merged = z.output<ReturnType<typeof mergedAnswer>>;
export type Discarded = z.output<ReturnType<typeof discardedAnswer>>;
