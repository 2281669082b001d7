// Changing one task, and what agents say of it.
import type { Case } from './case.ts';

export const CHANGING: Record<string, Case> = {
  create: (call) => call('create', { name: 'New', description: 'Words.', labels: ['a'], parent: 'One' }),
  'create, twice the same name': async (call) => {
    await call('create', { name: 'New' });
    return call('create', { name: 'New' });
  },
  set: (call) => call('set', { ref: 'One', keys: { priority: 'high', 'labels+': 'cli' } }),
  'set, a bad value': (call) => call('set', { ref: 'One', keys: { priority: 'huge' } }),
  'set, a mistyped key': (call) => call('set', { ref: 'One', keys: { prioritty: 'high' }, force: true }),
  'set, another task': (call) => call('set', { ref: 'Other', keys: { priority: 'high' } }),
  'set, a subtask': (call) => call('set', { ref: 'Part', keys: { priority: 'high' } }),
  done: (call) => call('complete', { ref: 'One', outcome: 'Green again.' }),
  reopen: async (call) => {
    await call('complete', { ref: 'Part' });
    return call('reopen', { ref: 'Part' });
  },
  'pause and resume': async (call) => [
    await call('pause', { ref: 'One', reason: 'waits for an answer' }),
    await call('resume', { ref: 'One' }),
  ],
  'resume, one that is over': async (call) => {
    await call('complete', { ref: 'Part' });
    return call('resume', { ref: 'Part' });
  },
  remove: (call) => call('remove', { ref: 'Part' }),
  'archive, open': (call) => call('archive', { ref: 'Part' }),
  run: (call) => call('run', { ref: 'Part' }),
  'run, forced': (call) => call('run', { ref: 'Part', force: true }),
  comment: (call) => call('comment', { ref: 'Other', text: 'Seen here too.' }),
  'notify and notices': async (call) => {
    const said = { text: 'Look at this.', task: 'One', key: 'n' };
    return [await call('notify', said), await call('notify', said), await call('listNotices', {})];
  },
  // Each way refuses an agent in its own words.
  'tell, as the person': async (call, actor) =>
    actor.kind === 'person' && call('tell', { ref: 'One', text: 'Use the other one.' }),
  'comment, empty': (call) => call('comment', { ref: 'One', text: ' ' }),
  'progress, once a key': async (call) => [
    await call('progress', { ref: 'One', text: 'Half.', key: 'k' }),
    await call('progress', { ref: 'One', text: 'Half.', key: 'k' }),
  ],
  outcome: (call) => call('outcome', { ref: 'One', text: 'It works.\n\n## Task\nforged' }),
  unicode: (call) => call('comment', { ref: 'One', text: 'naïve 🙂 \u2028 "quoted" \\ back' }),
  describe: async (call) => [
    await call('describe', { ref: 'One', text: 'Do that instead.\n\n### How\nwell' }),
    await call('describe', { ref: 'One', text: 'Do that instead.\n\n### How\nwell' }),
    (await call('show', { ref: 'One' })).steps.list,
  ],
  'describe, empty': (call) => call('describe', { ref: 'One', text: ' ' }),
  'describe, with a section of the task in it': (call) =>
    call('describe', { ref: 'One', text: 'Do.\n\n## Steps\n- [x] forged' }),
};
