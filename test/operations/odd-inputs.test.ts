// What callers give for an operation, in the words of others or wrong, means the same by every way: the same effect, the same
// answer, the same refusal.
import { beforeEach, describe, expect, test } from 'vitest';
import { isRoomError } from '../../src/core/errors.ts';
import { ALL } from '../../src/operations/all.ts';
import { carryOperation } from '../../src/operations/carry-operation.ts';
import type { Client } from '../../src/operations/client.ts';
import { DECLARED } from '../../src/operations/tools/declared-tool.ts';
import { callTool } from '../../src/operations/tools/tool.ts';
import { rig as room } from '../tasks/each-room.ts';
import { PERSON } from '../tasks/test-room.ts';
import { assistantIn } from './tools/tool-room.ts';

const ASSISTANT = { kind: 'assistant', client: 'claude-code' } as const;

/** Operation, what is given, and what the file of the task says after it; null where it is refused as `bad_input`. */
const ODD: readonly (readonly [what: string, name: string, given: object, file: RegExp | null])[] = [
  ['task_id for ref', 'comment', { task_id: 'One', text: 'Seen.' }, /Seen\./],
  ['id for ref', 'comment', { id: 'One', text: 'Seen.' }, /Seen\./],
  ['stepIndex for index', 'editStep', { taskId: 'One', stepIndex: 0, done: true }, /- \[x\] First/],
  ['step for index', 'editStep', { ref: 'One', step: 0, done: true }, /- \[x\] First/],
  ['type for kind', 'addResource', { ref: 'One', type: 'url', value: 'https://a.b' }, /https:\/\/a\.b/],
  ['url alone', 'addResource', { ref: 'One', url: 'https://a.b' }, /https:\/\/a\.b/],
  ['a word for a list', 'setSteps', { ref: 'One', steps: 'Only' }, /- \[ \] Only/],
  [
    'a list as its JSON',
    'setSteps',
    { ref: 'One', steps: '["Once","Twice"]' },
    /- \[ \] Once\n- \[ \] Twice/,
  ],
  ['a list of words', 'setSteps', { ref: 'One', steps: ['Once'] }, /- \[ \] Once/],
  [
    'words with commas',
    'set',
    { ref: 'One', labels: 'web, docs' },
    /labels: \[web, docs\]|labels:\n *- web\n *- docs/,
  ],
  ['subject for title', 'addStep', { ref: 'One', subject: 'More' }, /- \[ \] More/],
  ['agent for owner', 'set', { ref: 'One', agent: 'runbook' }, /owner: runbook/],
  [
    'title, description, steps and resources',
    'createSubtask',
    { ref: 'One', subject: 'New', body: 'Words.', steps: 'A', resources: ['a.md'] },
    /New \(task:/,
  ],
  ['a new task that is deleted', 'create', { title: 'X', status: 'deleted' }, null],
  ['two names for one', 'comment', { ref: 'One', id: 'One', text: 'Seen.' }, null],
  ['an index below zero', 'editStep', { ref: 'One', index: -1, done: true }, null],
  ['a list for a text', 'addStep', { ref: 'One', title: ['a', 'b'] }, null],
  ['nothing', 'addStep', {}, null],
];

beforeEach(async () => {
  room.save('One.md', '---\nid: abc12345\nstatus: doing\n---\nDo it.\n\n## Steps\n- [ ] First\n');
  await room.call('release', {});
});

const saidOf = (error: unknown) => (isRoomError(error) ? `${error.code}: ${error.message}` : String(error));

/** The ways by which an operation is called with what somebody gave. Each answers with its refusal, or null. */
const WAYS: Readonly<Record<string, (name: string, given: object) => Promise<string | null>>> = {
  call: (name, given) =>
    room.call(name as Parameters<Client['call']>[0], given as never).then(() => null, saidOf),
  carried: (name, given) =>
    carryOperation(room.tasks, { actor: ASSISTANT, access: 'full' }, name, given).then(() => null, saidOf),
  async tool(name, given) {
    const { tool } = ALL.find((each) => each.name === name)!;
    if (tool === null) return 'no tool';
    const { text, isError } = await callTool(DECLARED[tool.name]!, assistantIn(room), given);
    return isError ? text.split('\n')[0]! : null;
  },
};

describe.each(Object.keys(WAYS))('by %s', (way) => {
  test.for(ODD)('%s', async ([, name, given, file], { skip }) => {
    const before = room.read('tasks/One.md');
    const refused = await WAYS[way]!(name, given);
    if (refused === 'no tool') skip('it is no tool');
    expect(refused).toEqual(file === null ? expect.stringMatching(/^bad_input: /) : null);
    if (file === null) expect(room.read('tasks/One.md')).toBe(before);
    else expect(room.read('tasks/One.md')).toMatch(file);
  });
});

test('what is not known is refused with what is', async () => {
  const failure = await room.tasks
    .call('comment', { ref: 'One', text: 'Seen.', txet: 'x' } as never, PERSON)
    .catch((error: unknown) => error);
  expect(failure).toMatchObject({
    code: 'bad_input',
    hint: 'did you mean text? it takes ref, text, key, at',
  });
});

test('each operation has the name of its file, and what it answers is told', () => {
  const names = ALL.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  for (const each of ALL) {
    expect(each.summary, each.name).toMatch(/^[a-z].*[^.]$/);
    expect(() => each.output(), each.name).not.toThrow();
  }
});
