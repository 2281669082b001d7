// What people do at the tracker. Some issues and comments are a stranger's.

import { splitMarker } from '../../support/memory-provider/reading.ts';
import type { MemoryIssue } from '../../support/memory-provider/tracker.ts';
import { changedLine } from './line-edit.ts';
import type { Act, Step } from './step.ts';
import { wordsOf } from './typed-words.ts';
import type { World } from './world.ts';

export const STRANGER = 'stranger';
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

export const REMOTE_STEPS: Readonly<Record<string, Act>> = {
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
