// The operations on tasks for a caller elsewhere: each call is handed on by name and input, and whoever carries it out
// knows who asks. No validation and no packages here; the table at the other end has both.
import type { Operations, TaskList } from '../tasks/contract/operations.ts';

/** Operations that change nothing: one that nobody carries out now is of no use later. */
export const READS = [
  'list',
  'listAsJson',
  'overview',
  'show',
  'names',
  'history',
  'context',
  'turns',
  'turn',
  'output',
  'skipped',
  'notices',
  'brief',
  'plans',
  'plan',
  'stats',
] as const satisfies readonly (keyof Operations)[];

/** Carries one operation out elsewhere. Rejects with the RoomError that it failed with. */
export type Send = (name: keyof Operations, input: object) => Promise<unknown>;

/** The `Operations` that `send` carries. The actor of a call is ignored: the other end knows it. */
export function createRemoteOperations(send: Send): Operations {
  const call = <Result>(name: keyof Operations, input: object = {}): Promise<Result> =>
    send(name, withoutUndefined(input)) as Promise<Result>;
  return {
    list: async (filter) => listOf(await call<WireList>('list', { filter })),
    listAsJson: () => call('listAsJson'),
    overview: () => call('overview'),
    show: (ref) => call('show', { ref }),
    names: () => call('names'),
    create: (task) => call('create', { task: withoutUndefined(task) }),
    set: (ref, changes, _actor, options = {}) => call('set', { ref, changes, ...options }),
    describe: (ref, text) => call('describe', { ref, text }),
    setStatus: (ref, status, _actor, options = {}) => call('setStatus', { ref, status, ...options }),
    pause: (ref, _actor, reason) => call('pause', { ref, reason }),
    resume: (ref) => call('resume', { ref }),
    remove: (ref) => call('remove', { ref }),
    archive: (ref) => call('archive', { ref }),
    run: (ref, options) => call('run', { ref, ...options }),
    release: () => call('release'),
    comment: (ref, text, _actor, key) => call('comment', { ref, text, key }),
    progress: (ref, text, _actor, key) => call('progress', { ref, text, key }),
    note: (ref, text, _actor, key) => call('note', { ref, text, key }),
    outcome: (ref, text, _actor, key) => call('outcome', { ref, text, key }),
    printed: (ref, text, _actor, key) => call('printed', { ref, text, key }),
    notify: (text, _actor, about = {}) => call('notify', { text, ...about }),
    notices: (filter) => call('notices', filter),
    markNoticesTold: async (seqs) => void (await call('markNoticesTold', { seqs })),
    ask: (ref, question, _actor, key) => call('ask', { ref, question, key }),
    answer: (ref, text, _actor, question) => call('answer', { ref, text, question }),
    setStep: (ref, index, done) => call('setStep', { ref, index, done }),
    editStep: (ref, index, change) => call('editStep', { ref, index, ...withoutUndefined(change) }),
    addStep: (ref, title, _actor, details) => call('addStep', { ref, title, details }),
    setSteps: (ref, steps) => call('setSteps', { ref, steps }),
    createSubtask: (parent, task, _actor, step) =>
      call('createSubtask', { parent, task: withoutUndefined(task), step }),
    block: (ref, by) => call('block', { ref, by }),
    unblock: (ref, by) => call('unblock', { ref, by }),
    addResource: (ref, resource) => call('addResource', { ref, ...resource }),
    removeResource: (ref, index) => call('removeResource', { ref, index }),
    history: (options) => call('history', options),
    context: (ref) => call('context', { ref }),
    turns: (filter) => call('turns', filter),
    markTold: async (turns) => void (await call('markTold', { turns })),
    turn: (ref) => call('turn', { ref }),
    output: (turn, offset, limit) => call('output', { turn, offset, limit }),
    kill: (ref) => call('kill', { ref }),
    skipped: () => call('skipped'),
    stats: (options) => call('stats', options),
    brief: (ref, page = {}) => call('brief', { ref, ...page }),
    createPlan: (plan) => call('createPlan', { plan: withoutUndefined(plan) }),
    plans: () => call('plans'),
    plan: (name) => call('plan', { name }),
    setPlanStage: (name, stage) => call('setPlanStage', { name, stage }),
    removePlan: (name) => call('removePlan', { name }),
  };
}

type WireList = Omit<TaskList, 'whyNot'> & { whyNot?: Entries };

function listOf({ whyNot, ...list }: WireList): TaskList {
  return { ...list, ...(whyNot === undefined ? {} : { whyNot: new Map(whyNot) }) };
}

type Entries = [
  string,
  NonNullable<TaskList['whyNot']> extends ReadonlyMap<string, infer Why> ? Why : never,
][];

/** JSON says nothing of them, and the other end refuses what it does not know. */
function withoutUndefined(input: object): object {
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
}
