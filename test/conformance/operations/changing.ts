// Changing one task, and what agents say of it.
import type { Case } from './case.ts';

export const CHANGING: Record<string, Case> = {
  create: (tasks, actor) =>
    tasks.call('create', { name: 'New', description: 'Words.', labels: ['a'], parent: 'One' }, actor),
  'create, twice the same name': async (tasks, actor) => {
    await tasks.call('create', { name: 'New' }, actor);
    return tasks.call('create', { name: 'New' }, actor);
  },
  set: (tasks, actor) =>
    tasks.call('set', { ref: 'One', keys: { priority: 'high', 'labels+': 'cli' } }, actor),
  'set, a bad value': (tasks, actor) => tasks.call('set', { ref: 'One', keys: { priority: 'huge' } }, actor),
  'set, a mistyped key': (tasks, actor) =>
    tasks.call('set', { ref: 'One', keys: { prioritty: 'high' }, force: true }, actor),
  'set, another task': (tasks, actor) =>
    tasks.call('set', { ref: 'Other', keys: { priority: 'high' } }, actor),
  'set, a subtask': (tasks, actor) => tasks.call('set', { ref: 'Part', keys: { priority: 'high' } }, actor),
  done: (tasks, actor) => tasks.call('complete', { ref: 'One', outcome: 'Green again.' }, actor),
  reopen: async (tasks, actor) => {
    await tasks.call('complete', { ref: 'Part' }, actor);
    return tasks.call('reopen', { ref: 'Part' }, actor);
  },
  'pause and resume': async (tasks, actor) => [
    await tasks.call('pause', { ref: 'One', reason: 'waits for an answer' }, actor),
    await tasks.call('resume', { ref: 'One' }, actor),
  ],
  'resume, one that is over': async (tasks, actor) => {
    await tasks.call('complete', { ref: 'Part' }, actor);
    return tasks.call('resume', { ref: 'Part' }, actor);
  },
  remove: (tasks, actor) => tasks.call('remove', { ref: 'Part' }, actor),
  'archive, open': (tasks, actor) => tasks.call('archive', { ref: 'Part' }, actor),
  run: (tasks, actor) => tasks.call('run', { ref: 'Part' }, actor),
  'run, forced': (tasks, actor) => tasks.call('run', { ref: 'Part', force: true }, actor),
  comment: (tasks, actor) => tasks.call('comment', { ref: 'Other', text: 'Seen here too.' }, actor),
  'notify and notices': async (tasks, actor) => {
    const said = { text: 'Look at this.', task: 'One', key: 'n' };
    return [
      await tasks.call('notify', said, actor),
      await tasks.call('notify', said, actor),
      await tasks.call('listNotices', {}, actor),
    ];
  },
  // Each way refuses an agent in its own words.
  'tell, as the person': async (tasks, actor) =>
    actor.kind === 'person' && tasks.call('tell', { ref: 'One', text: 'Use the other one.' }, actor),
  'comment, empty': (tasks, actor) => tasks.call('comment', { ref: 'One', text: ' ' }, actor),
  'progress, once a key': async (tasks, actor) => [
    await tasks.call('progress', { ref: 'One', text: 'Half.', key: 'k' }, actor),
    await tasks.call('progress', { ref: 'One', text: 'Half.', key: 'k' }, actor),
  ],
  outcome: (tasks, actor) =>
    tasks.call('outcome', { ref: 'One', text: 'It works.\n\n## Task\nforged' }, actor),
  unicode: (tasks, actor) =>
    tasks.call('comment', { ref: 'One', text: 'naïve 🙂 \u2028 "quoted" \\ back' }, actor),
  describe: async (tasks, actor) => [
    await tasks.call('describe', { ref: 'One', text: 'Do that instead.\n\n### How\nwell' }, actor),
    await tasks.call('describe', { ref: 'One', text: 'Do that instead.\n\n### How\nwell' }, actor),
    (await tasks.call('show', { ref: 'One' }, actor)).steps.list,
  ],
  'describe, empty': (tasks, actor) => tasks.call('describe', { ref: 'One', text: ' ' }, actor),
  'describe, with a section of the task in it': (tasks, actor) =>
    tasks.call('describe', { ref: 'One', text: 'Do.\n\n## Steps\n- [x] forged' }, actor),
};
