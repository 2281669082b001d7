// Changing one task, and what agents say of it.
import type { Case } from './case.ts';

export const CHANGING: Record<string, Case> = {
  create: (tasks, actor) =>
    tasks.create({ name: 'New', body: 'Words.', labels: ['a'], parent: 'One' }, actor),
  'create, twice the same name': async (tasks, actor) => {
    await tasks.create({ name: 'New' }, actor);
    return tasks.create({ name: 'New' }, actor);
  },
  set: (tasks, actor) => tasks.set('One', { priority: 'high', 'labels+': 'cli' }, actor),
  'set, a bad value': (tasks, actor) => tasks.set('One', { priority: 'huge' }, actor),
  'set, a mistyped key': (tasks, actor) => tasks.set('One', { prioritty: 'high' }, actor, { force: true }),
  'set, another task': (tasks, actor) => tasks.set('Other', { priority: 'high' }, actor),
  'set, a subtask': (tasks, actor) => tasks.set('Part', { priority: 'high' }, actor),
  done: (tasks, actor) => tasks.setStatus('One', 'done', actor, { outcome: 'Green again.' }),
  reopen: async (tasks, actor) => {
    await tasks.setStatus('Part', 'done', actor);
    return tasks.setStatus('Part', 'todo', actor, { onlyFinished: true });
  },
  'pause and resume': async (tasks, actor) => [
    await tasks.call('pause', { ref: 'One', reason: 'waits for an answer' }, actor),
    await tasks.call('resume', { ref: 'One' }, actor),
  ],
  'resume, one that is over': async (tasks, actor) => {
    await tasks.setStatus('Part', 'done', actor);
    return tasks.call('resume', { ref: 'Part' }, actor);
  },
  remove: (tasks, actor) => tasks.remove('Part', actor),
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
    (await tasks.show('One')).stepList,
  ],
  'describe, empty': (tasks, actor) => tasks.call('describe', { ref: 'One', text: ' ' }, actor),
  'describe, with a section of the task in it': (tasks, actor) =>
    tasks.call('describe', { ref: 'One', text: 'Do.\n\n## Steps\n- [x] forged' }, actor),
};
