// Odd inputs of operations, with what each of them does, or how it is refused.

export const ONE = '---\nid: abc12345\nstatus: doing\n---\nDo it.\n\n## Steps\n- [ ] First\n';

export interface Case {
  name: string;
  given: Readonly<Record<string, unknown>>;
  /** The same as a command; absent where a command can't say it. */
  words?: readonly string[];
  /** What the file of the task says then; of another path where one is made. */
  file?: RegExp;
  path?: string;
  /** The file goes to the trash. */
  gone?: true;
  /** Agents and assistants are refused. */
  onlyPerson?: true;
  /** Code and message of the refusal. */
  refused?: string | RegExp;
}

const set = (key: string, value: string, file: RegExp): Case => ({
  ...{ name: 'set', given: { ref: 'One', [key]: value }, words: ['set', 'One', `${key}=${value}`], file },
});
const show = (ref: string): Case => ({
  ...{ name: 'show', given: { ref }, words: ['show', ref], refused: /^(not_found|bad_input): / },
});

export const CASES: Readonly<Record<string, Case>> = {
  'status Pending': set('status', 'Pending', /status: todo/),
  'status open': set('status', 'open', /status: todo/),
  'status completed': set('status', 'completed', /status: done/),
  'status In Progress': set('status', 'In Progress', /status: doing/),
  'priority HIGH': set('priority', 'HIGH', /priority: high/),
  'a status that is none': {
    ...set('status', 'dome', /status: doing/),
    refused: 'bad_input: unknown status "dome"',
  },
  'a priority that is none': {
    ...set('priority', 'hihg', /status: doing/),
    refused: 'bad_input: unknown priority "hihg"',
  },
  'a due date in words': set('due', '+3d', /due: "?\d{4}-\d\d-\d\d"?$/m),
  'a due date that is none': {
    ...set('due', 'someday', /status: doing/),
    refused: 'bad_input: due is "someday", expected a date',
  },
  'a filter by a date that is none': {
    name: 'list',
    given: { due: '<someday' },
    words: ['list', '--due', '<someday'],
    refused: 'bad_input: due is "someday", expected a date',
  },
  'a new task in words of others': {
    name: 'create',
    given: { subject: 'New', content: 'Words.' },
    words: ['new', 'New', 'Words.'],
    path: 'tasks/New.md',
    file: /Words\./,
  },
  'a new task with steps and resources': {
    name: 'create',
    given: { title: 'New', steps: ['A'], resources: ['a.md'] },
    words: ['new', 'New', '--step', 'A', '--resource', 'a.md'],
    path: 'tasks/New.md',
    file: /a\.md[\s\S]*- \[ \] A/,
  },
  'a new task in the name of somebody': {
    name: 'create',
    given: { name: 'New', description: 'Words.', createdBy: 'bob' },
    words: ['new', 'New', 'Words.', '--created-by', 'bob'],
    path: 'tasks/New.md',
    file: /created_by: bob[\s\S]*Words\./,
    onlyPerson: true,
  },
  'status deleted': {
    name: 'set',
    given: { ref: 'One', status: 'deleted' },
    words: ['set', 'One', 'status=deleted'],
    gone: true,
  },
  'taskId and stepIndex': {
    name: 'editStep',
    given: { taskId: 'One', stepIndex: 0, done: true },
    words: ['step', 'One', '1'],
    file: /- \[x\] First/,
  },
  'a step that is not there': {
    name: 'editStep',
    given: { ref: 'One', index: 7, done: true },
    words: ['step', 'One', '8'],
    refused: /^not_found: /,
  },
  'an unknown key': {
    name: 'comment',
    given: { ref: 'One', text: 'Seen.', colour: 'red' },
    refused: 'bad_input: unknown input "colour"',
  },
  'an unknown key of a new task': {
    name: 'create',
    given: { title: 'New', colour: 'red' },
    refused: 'bad_input: unknown input "colour"',
  },
  'a wrong type': {
    name: 'comment',
    given: { ref: 'One', text: 7 },
    refused: 'bad_input: text: expected string, received number',
  },
  'a wrong type in a list': {
    name: 'create',
    given: { title: 'New', labels: [7] },
    refused: 'bad_input: labels[0]: expected string, received number',
  },
  'a flag that is a word': {
    name: 'list',
    given: { ready: 'perhaps' },
    refused: 'bad_input: ready: expected boolean, received string',
  },
  'a text that is missing': { name: 'comment', given: { ref: 'One' }, refused: 'bad_input: text is missing' },
  'a ref that leads out of the room': show('../../etc/passwd'),
  'a ref of a kind that is none': show('task:local:'),
  'a ref with a line break': show('One\nTwo'),
  'a ref with two dots more': show('tasks/../room.yaml'),
  'a ref that is long': show('x'.repeat(3_000)),
};
