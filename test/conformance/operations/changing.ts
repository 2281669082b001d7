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
    await tasks.pause('One', actor, 'waits for an answer'),
    await tasks.resume('One', actor),
  ],
  'resume, one that is over': async (tasks, actor) => {
    await tasks.setStatus('Part', 'done', actor);
    return tasks.resume('Part', actor);
  },
  remove: (tasks, actor) => tasks.remove('Part', actor),
  'archive, open': (tasks, actor) => tasks.archive('Part', actor),
  run: (tasks, actor) => tasks.run('Part', {}, actor),
  'run, forced': (tasks, actor) => tasks.run('Part', { force: true }, actor),
  comment: (tasks, actor) => tasks.comment('Other', 'Seen here too.', actor),
  'notify and notices': async (tasks, actor) => {
    const notice = await tasks.notify('Look at this.', actor, { ref: 'One', key: 'n' });
    return [
      notice,
      await tasks.notify('Look at this.', actor, { ref: 'One', key: 'n' }),
      await tasks.notices({}),
    ];
  },
  'comment, empty': (tasks, actor) => tasks.comment('One', ' ', actor),
  'progress, once a key': async (tasks, actor) => [
    await tasks.progress('One', 'Half.', actor, 'k'),
    await tasks.progress('One', 'Half.', actor, 'k'),
  ],
  outcome: (tasks, actor) => tasks.outcome('One', 'It works.\n\n## Task\nforged', actor),
  unicode: (tasks, actor) => tasks.comment('One', 'naïve 🙂 \u2028 "quoted" \\ back', actor),
  describe: async (tasks, actor) => [
    await tasks.describe('One', 'Do that instead.\n\n### How\nwell', actor),
    await tasks.describe('One', 'Do that instead.\n\n### How\nwell', actor),
    (await tasks.show('One')).stepList,
  ],
  'describe, empty': (tasks, actor) => tasks.describe('One', ' ', actor),
  'describe, with a section of the task in it': (tasks, actor) =>
    tasks.describe('One', 'Do.\n\n## Steps\n- [x] forged', actor),
};
