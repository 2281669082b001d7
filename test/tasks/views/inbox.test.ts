import { afterEach, beforeEach, expect, test } from 'vitest';
import type { TaskId, TurnId } from '../../../src/core/ids.ts';
import { refresh } from '../../../src/tasks/observe/refresh.ts';
import { AGENT, openTestRoom, PERSON, type TestRoom } from '../test-room.ts';

const AGENT_OF = { kind: 'agent', agent: 'runbook', turn: 'b11111111' as TurnId } as const;
let rig: TestRoom;
beforeEach(() => {
  rig = openTestRoom();
  rig.save('One.md', '---\nid: abc12345\nstatus: doing\n---\nDo it.\n');
  rig.runTurn('b11111111', 'abc12345');
});
afterEach(() => rig.close());

const kinds = async () => (await rig.tasks.call('inbox', {}, PERSON)).inbox.map(({ kind }) => kind);

test('is empty where nothing needs the person', async () => {
  expect((await rig.tasks.call('inbox', {}, PERSON)).inbox).toEqual([]);
  expect(await rig.tasks.call('status', {}, PERSON)).toMatchObject({ inbox: 0 });
});

test('a question, with the command that answers it, until there is an answer', async () => {
  const { question } = await rig.tasks.call(
    'ask',
    { ref: 'One', question: 'Which branch?\nmain?' },
    AGENT_OF,
  );
  expect((await rig.tasks.call('inbox', {}, PERSON)).inbox).toEqual([
    {
      kind: 'question',
      key: `question:abc12345:${question}`,
      task: 'abc12345',
      name: 'One',
      text: 'runbook asks: Which branch? main?',
      settle: "taskroom answer abc12345 'your answer'",
      at: new Date(rig.now()).toISOString(),
    },
  ]);
  expect(await rig.tasks.call('status', {}, PERSON)).toMatchObject({ inbox: 1 });
  rig.later(1_000);
  const second = await rig.tasks.call('ask', { ref: 'One', question: 'Which runner?' }, AGENT_OF);
  expect((await rig.tasks.call('inbox', {}, PERSON)).inbox.map(({ settle }) => settle)).toEqual([
    `taskroom answer abc12345 'your answer' --question ${question}`,
    `taskroom answer abc12345 'your answer' --question ${second.question}`,
  ]);
  await rig.tasks.call('answer', { ref: 'One', text: 'main', question }, PERSON);
  await rig.tasks.call('answer', { ref: 'One', text: 'The small one.' }, PERSON);
  expect((await rig.tasks.call('inbox', {}, PERSON)).inbox).toEqual([]);
});

test('what was answered by hand, or finished, while nothing ran the room', async () => {
  await rig.tasks.call('ask', { ref: 'One', question: 'Which branch?' }, AGENT_OF);
  rig.save('One.md', `${rig.read('tasks/One.md')}\nmain\n`);
  expect(await kinds()).toEqual([]);
  await refresh(rig.handle);
  expect(await kinds()).toEqual([]);
  rig.save(
    'Two.md',
    '---\nid: two12345\n---\nDo.\n\n## Questions\n\n**@agent:x** · 2026-11-20 10:00 <!-- q:k1 -->\n> Why?\n',
  );
  expect(await kinds()).toEqual(['question']);
  rig.save('Two.md', rig.read('tasks/Two.md').replace('id: two12345', 'id: two12345\nstatus: canceled'));
  expect(await kinds()).toEqual([]);
});

test('a task that the runtime or an agent paused, while it is; none that the person paused', async () => {
  await rig.tasks.call('pause', { ref: 'One' }, PERSON);
  expect(await kinds()).toEqual([]);
  await rig.tasks.call('resume', { ref: 'One' }, PERSON);
  await rig.tasks.call(
    'pause',
    { ref: 'One', reason: 'gave up after 5 failed attempts: exit code 1' },
    { kind: 'runtime' },
  );
  expect((await rig.tasks.call('inbox', {}, PERSON)).inbox).toMatchObject([
    {
      kind: 'paused',
      name: 'One',
      text: 'paused: gave up after 5 failed attempts: exit code 1',
      settle: 'taskroom resume abc12345',
    },
  ]);
  rig.save('One.md', rig.read('tasks/One.md').replace('paused: true', 'paused: false'));
  expect(await kinds()).toEqual([]);
  await refresh(rig.handle);
  await rig.tasks.call('pause', { ref: 'One' }, PERSON);
  expect(await kinds()).toEqual([]);
});

test('what mirrors leave to the person', async () => {
  await refresh(rig.handle);
  const { mirrors, tasks, unresolvedChildren } = rig.deps.ledger;
  const row = {
    ...{
      provider: 'github',
      url: null,
      chore: 'web',
      path: null,
      cause: null,
      localHash: null,
      remoteHash: null,
    },
    ...{ remoteUpdatedAt: 0, syncedAt: 5, dueAt: null, tries: 0, base: null },
  };
  const states = ['conflict', 'untrusted', 'detached', 'error', 'in_sync'];
  for (const [at, state] of states.entries()) {
    const paused = state === 'untrusted' ? 'paused: true\n' : '';
    rig.save(`M${at}.md`, `---\nid: mirror0${at}\n${paused}---\n`);
    mirrors.insert({
      ...row,
      task: `mirror0${at}` as TaskId,
      uid: `u${at}`,
      ref: `a/b#${at}`,
      state,
      message: `why ${at}`,
    });
  }
  await refresh(rig.handle);
  unresolvedChildren.put({
    task: 'mirror04' as TaskId,
    parent: 'abc12345' as TaskId,
    reason: 'mirrored',
    at: 7,
  });
  tasks.update('abc12345', { status: 'canceled' });
  expect(
    (await rig.tasks.call('inbox', {}, PERSON)).inbox.map(({ kind, name, text, settle }) => [
      kind,
      name,
      text,
      settle,
    ]),
  ).toEqual([
    ['trust', 'M1', 'github:a/b#1 why 1; read it before it runs', 'taskroom resume mirror01'],
    [
      'conflict',
      'M0',
      'github:a/b#0: why 0; compare, and save the task as it should be',
      'taskroom edit mirror00 && taskroom sync web',
    ],
    [
      'tracker',
      'M2',
      'github:a/b#2: why 2; without the mirror it is a local task',
      'taskroom mirror unlink mirror02',
    ],
    [
      'tracker',
      'M3',
      'github:a/b#3 does not take it: why 3; take it back, or let it be taken there',
      'taskroom edit mirror03 && taskroom sync web',
    ],
    [
      'tracker',
      'M4',
      'its parent abc12345 was canceled, and its issue is not ours to close; taskroom resume mirror04 lets it go on',
      'taskroom cancel mirror04',
    ],
  ]);
  await rig.tasks.call('resume', { ref: 'M4' }, AGENT);
  expect(unresolvedChildren.list()).toHaveLength(1);
  await rig.tasks.call('resume', { ref: 'M4' }, PERSON);
  expect(unresolvedChildren.list()).toEqual([]);
});

test('files that can not be read, held edits, agents that can not run, messages', async () => {
  rig.save('Bad.md', '---\nstatus: nope\n---\n');
  rig.save('Lost.md', '---\nid: lost1234\nowner: nobody\n---\nDo.\n');
  rig.save('Lost too.md', '---\nid: lost1235\nowner: nobody\n---\nDo.\n');
  await refresh(rig.handle);
  rig.deps.ledger.tasks.update('lost1234', { held: true });
  await rig.tasks.call('notify', { text: 'Look at this.' }, AGENT_OF);
  const items = (await rig.tasks.call('inbox', {}, PERSON)).inbox;
  expect(items.map(({ kind, name, settle }) => [kind, name, settle])).toEqual([
    ['held', null, 'taskroom run --all'],
    ['invalid', 'tasks/Bad.md', 'taskroom edit tasks/Bad.md'],
    ['setup', 'nobody', 'taskroom set lost1235 owner=runbook'],
    ['notice', 'One', 'taskroom inbox --notices'],
  ]);
  expect(items[1]?.text).toContain('tasks/Bad.md:2:9 unknown status "nope"');
  rig.save('Bad.md', '---\nstatus: todo\n---\n');
  expect(await kinds()).not.toContain('invalid');
});

test('many of a kind are a hundred and a line that says so', async () => {
  for (let at = 0; at < 120; at += 1) rig.save(`Bad ${at}.md`, '---\nstatus: nope\n---\n');
  const items = (await rig.tasks.call('inbox', {}, PERSON)).inbox;
  expect(items).toHaveLength(101);
  expect(items.at(-1)).toMatchObject({ kind: 'invalid', text: 'and 20 more of this kind' });
});
