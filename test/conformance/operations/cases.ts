// The cases of the operations suite, and the room that each begins in.
import type { InputOf, OperationName, OutputOf } from '../../../src/operations/client.ts';
import type { Actor } from '../../../src/tasks/task-room.ts';
import type { TestRoom } from '../../tasks/test-room.ts';

/** Calls an operation as the actor of the case. */
export type Call = <Name extends OperationName>(name: Name, input: InputOf<Name>) => Promise<OutputOf<Name>>;

/** Calls operations and answers with what came of them; a driver that lacks one leaves the case out. */
export type Case = (call: Call, actor: Actor) => Promise<unknown>;

/** What every case begins with; a driver adds a running turn of task `abc12345` where an agent asks. */
export function seedRoom(room: TestRoom): void {
  room.save(
    'One.md',
    '---\nid: abc12345\nstatus: doing\nlabels: [web]\n---\nDo it.\n\n## Steps\n- [ ] First\n',
  );
  room.save('Part.md', '---\nid: part1234\nstatus: todo\nparent: abc12345\n---\nA part.\n');
  room.save('Other.md', '---\nid: other123\nstatus: todo\nblocked_by: [One]\n---\nAnother.\n');
  room.save('Bad.md', '---\nstatus: nope\n---\n');
}

/** Ids of the seed; all others were made. */
export const SEED_IDS = ['abc12345', 'part1234', 'other123'];

export const CASES: Readonly<Record<string, Case>> = {
  // Looking at tasks and turns.
  list: (call) => call('list', { all: true }),
  'list, open ones': (call) => call('list', {}),
  'list, by id': (call) => call('list', { ids: ['aaaa1111', 'nowhere1'] }),
  'list, filtered': (call) => call('list', { status: ['todo'], ready: true, limit: 5, sort: 'name' }),
  'how many tasks': (call) => call('taskStats', {}),
  show: (call) => call('show', { ref: 'One' }),
  'show, nothing there': (call) => call('show', { ref: 'Nowhere' }),
  names: (call) => call('names', {}),
  context: async (call) => (await call('context', { ref: 'One' })).context,
  'context of nothing': (call) => call('context', { ref: 'Nowhere' }),
  'output of a turn without any': (call) => call('turnOutput', { turn: 'b11111111', limit: 100 }),
  history: (call) => call('history', { limit: 3 }),
  turns: (call) => call('listTurns', { task: 'One', state: 'running' }),
  turn: (call) => call('showTurn', { turn: 'One' }),
  stats: (call) => call('stats', {}),
  'stats of no week': (call) => call('stats', { weeks: 0 }),

  // Changing one task, and what agents say of it.
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

  // The steps of a task.
  steps: async (call) => [
    await call('editStep', { ref: 'One', index: 0, done: true }),
    await call('addStep', { ref: 'One', title: 'Second', details: 'with details' }),
    await call('setSteps', { ref: 'One', steps: [{ title: 'Only', details: '', done: false, task: null }] }),
  ],
  'step, not there': (call) => call('editStep', { ref: 'One', index: 7, done: true }),
  'edit a step': async (call) => [
    await call('editStep', { title: 'Renamed', details: 'with\ndetails', ref: 'One', index: 0 }),
    await call('editStep', { done: true, ref: 'One', index: 0 }),
    await call('editStep', { details: '', ref: 'One', index: 0 }),
    await call('editStep', { title: 'Renamed', ref: 'One', index: 0 }),
    (await call('show', { ref: 'One' })).steps.list,
  ],
  'edit a step, nothing to change': (call) => call('editStep', { ref: 'One', index: 0 }),
  'edit a step, not there': (call) => call('editStep', { done: true, ref: 'One', index: 7 }),
  'edit a step, a title too long': (call) =>
    call('editStep', { title: 'x'.repeat(61), ref: 'One', index: 0 }),
  'edit a step, a link in its title': (call) =>
    call('editStep', { title: 'Look (task:other123)', ref: 'One', index: 0 }),
  'edit a linked step': async (call) => {
    await call('createSubtask', { ref: 'One', name: 'Child', index: 0 });
    await call('editStep', { title: 'Renamed', details: 'why', ref: 'One', index: 0 });
    return (await call('show', { ref: 'One' })).steps.list.map(({ title, details, task }) => [
      title,
      details,
      task !== null,
    ]);
  },
  'replace steps, a linked one dropped': async (call) => {
    await call('createSubtask', { ref: 'One', name: 'Child', index: 0 });
    return call('setSteps', { ref: 'One', steps: [] });
  },
  'replace steps, a link made': (call) =>
    call('setSteps', { ref: 'One', steps: [{ title: 'Only', details: '', done: false, task: 'other123' }] }),
  'replace steps, one linked twice': async (call) => {
    await call('createSubtask', { ref: 'One', name: 'Child', index: 0 });
    const [step] = (await call('show', { ref: 'One' })).steps.list;
    return call('setSteps', { ref: 'One', steps: [step!, step!] });
  },

  // Subtasks, what waits for what, and resources.
  'subtask of a step': async (call) => [
    await call('createSubtask', { ref: 'One', name: 'Child', description: 'Words.', index: 0 }),
    (await call('show', { ref: 'One' })).steps.list.map(({ task }) => task !== null),
    (await call('show', { ref: 'One' })).subtasks.map(({ name, status }) => [name, status]),
  ],
  'subtask without a step': (call) =>
    call('createSubtask', { ref: 'One', name: `A child ${'with a long name '.repeat(5)}` }),
  'subtask, a second one of a step': async (call) => {
    await call('createSubtask', { ref: 'One', name: 'Child', index: 0 });
    return call('createSubtask', { ref: 'One', name: 'Twin', index: 0 });
  },
  'subtask of a step that is not there': (call) =>
    call('createSubtask', { ref: 'One', name: 'Child', index: 7 }),
  'subtask that names another parent': (call) =>
    call('createSubtask', { ref: 'One', name: 'Child', parent: 'Other' }),
  'subtask for nobody': (call) =>
    call('createSubtask', { ref: 'One', name: 'Child', owner: 'nobody', index: 0 }),
  'subtask of a task that is over': async (call) => {
    await call('complete', { ref: 'Part' });
    return call('createSubtask', { ref: 'Part', name: 'Child' });
  },
  "subtask of another's task": (call) => call('createSubtask', { ref: 'Other', name: 'Child' }),
  'block and unblock': async (call) => [
    await call('block', { ref: 'One', by: 'Part' }),
    await call('block', { ref: 'One', by: 'part1234' }),
    (await call('show', { ref: 'One' })).blockers,
    (await call('show', { ref: 'Part' })).blocks,
    await call('unblock', { ref: 'One', by: 'Part' }),
    await call('unblock', { ref: 'One', by: 'Part' }),
  ],
  'block, in a circle': (call) => call('block', { ref: 'One', by: 'Other' }),
  'block, by itself': (call) => call('block', { ref: 'One', by: 'One' }),
  'block, by nothing there': (call) => call('block', { ref: 'One', by: 'Nowhere' }),
  'block, the other end': (call) => call('block', { ref: 'Part', by: 'One' }),
  resources: async (call) => [
    await call('addResource', { kind: 'url', value: 'https://example.org/spec', label: 'Spec', ref: 'One' }),
    await call('addResource', { kind: 'file', value: 'docs/plan.md', label: null, ref: 'One' }),
    await call('addResource', { kind: 'file', value: 'docs/plan.md', label: null, ref: 'One' }),
    (await call('show', { ref: 'One' })).resources,
    await call('removeResource', { ref: 'One', index: 0 }),
    (await call('show', { ref: 'One' })).resources,
    await call('removeResource', { ref: 'One', index: 0 }),
  ],
  'resource, no URL': (call) =>
    call('addResource', { kind: 'url', value: 'docs/plan.md', label: null, ref: 'One' }),
  'resource, empty': (call) => call('addResource', { kind: 'file', value: ' ', label: null, ref: 'One' }),
  'resource, not there': (call) => call('removeResource', { ref: 'One', index: 2 }),

  // Several tasks changed at once.
  bulk: (call) =>
    call('bulk', {
      changes: [
        { do: 'create', name: 'First', parent: 'One' },
        { do: 'create', name: 'Second', blocked_by: ['First'] },
        { do: 'update', ref: 'One', keys: { priority: 'high' } },
        { do: 'complete', ref: 'Part', outcome: 'It works.' },
      ],
    }),
  'bulk, one that can not be': (call) =>
    call('bulk', {
      changes: [
        { do: 'create', name: 'First' },
        { do: 'update', ref: 'Nowhere', keys: { priority: 'high' } },
      ],
    }),
  "bulk, one of another's": (call) =>
    call('bulk', {
      changes: [
        { do: 'complete', ref: 'Part' },
        { do: 'complete', ref: 'Other' },
      ],
    }),
  'bulk, deletion': (call) => call('bulk', { changes: [{ do: 'delete', ref: 'Part' }] }),
  'complete all': (call) => call('completeAll', {}),
  'complete all that fit': (call) => call('completeAll', { label: 'web' }),
  'remove all that are over': async (call) => {
    await call('cancel', { ref: 'Part' });
    return call('removeAll', { which: 'completed' });
  },

  // Plans in artifacts/.
  plans: async (call) => [
    await call('createPlan', { name: 'Ship', steps: [{ title: 'One more' }, { title: 'Two' }] }),
    await call('setPlanStage', { name: 'Ship', stage: 'final' }),
    (await call('showPlan', { name: 'Ship' })).tasks,
    (await call('listPlans', {})).plans,
    (await call('removePlan', { name: 'Ship' })).unlinked,
  ],
  'plans, nothing there': (call) => call('setPlanStage', { name: 'Nowhere', stage: 'final' }),
  'plans, a bad owner': (call) => call('createPlan', { name: 'Ship', owner: 'nobody' }),

  // Questions and the inbox.
  'ask, once a key': async (call) => {
    const asked = await call('ask', { ref: 'One', question: 'Which branch?', key: 'k' });
    const again = await call('ask', { ref: 'One', question: 'Which branch?', key: 'k' });
    const { waiting, questions } = await call('show', { ref: 'One' });
    const same = asked.question === again.question && questions[0]?.key === asked.question;
    return [same, asked.changed, again.changed, waiting, questions.map(({ author, text }) => [author, text])];
  },
  'ask, too long': (call) => call('ask', { ref: 'One', question: 'x'.repeat(8_001) }),
  'ask, another task': (call) => call('ask', { ref: 'Other', question: 'Why?' }),
  inbox: async (call) => call('inbox', {}).then((said) => said.inbox),
  'inbox, with a question': async (call) => {
    await call('ask', { ref: 'One', question: 'Which branch?' });
    return (await call('inbox', {})).inbox.map(({ kind, name, text }) => [kind, name, text]);
  },

  // Scopes and jobs, as far as they need no daemon.
  scopes: async (call) => [
    await call('createScope', { name: 'spike' }),
    await call('createScope', { name: 'spike' }),
    await call('create', { name: 'In it', scope: 'spike' }),
    (await call('listScopes', {})).scopes.map(({ name, created_by, counts }) => [name, created_by, counts]),
    (await call('removeScope', { name: 'spike' })).removed.map(({ name }) => name),
    (await call('listScopes', {})).scopes,
  ],
  'scopes, nothing there': (call) => call('removeScope', { name: 'nowhere' }),
  'jobs, none': (call) => call('listJobs', { task: 'One' }),
  'job, not allowed': (call) => call('startJob', { task: 'One', command: 'true' }),
  'job, an empty command': (call) => call('startJob', { task: 'One', command: ' ' }),
  'job, not there': (call) => call('showJob', { job: 'b00000000' }),
  'job, stopped though it is not there': (call) => call('stopJob', { job: 'b00000000' }),
};
