import { beforeEach, expect, test } from 'vitest';
import type { TurnId } from '../../../src/core/ids.ts';
import { refresh } from '../../../src/tasks/observe/refresh.ts';
import { rig } from '../each-room.ts';

const AGENT_OF = { kind: 'agent', agent: 'runbook', turn: 'b11111111' as TurnId } as const;
beforeEach(() => {
  rig.save('One.md', '---\nid: abc12345\nstatus: doing\n---\nDo it.\n');
  rig.runTurn('b11111111', 'abc12345');
});

const kinds = async () => (await rig.call('inbox', {})).inbox.map(({ kind }) => kind);

test('what was answered by hand, or finished, while nothing ran the room', async () => {
  await rig.call('ask', { ref: 'One', question: 'Which branch?' }, AGENT_OF);
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
  await rig.call('pause', { ref: 'One' });
  expect(await kinds()).toEqual([]);
  await rig.call('resume', { ref: 'One' });
  await rig.call(
    'pause',
    { ref: 'One', reason: 'gave up after 5 failed attempts: exit code 1' },
    { kind: 'runtime' },
  );
  expect((await rig.call('inbox', {})).inbox).toMatchObject([
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
  await rig.call('pause', { ref: 'One' });
  expect(await kinds()).toEqual([]);
});

test('files that can not be read, held edits, agents that can not run, messages', async () => {
  rig.save('Bad.md', '---\nstatus: nope\n---\n');
  rig.save('Lost.md', '---\nid: lost1234\nowner: nobody\n---\nDo.\n');
  rig.save('Lost too.md', '---\nid: lost1235\nowner: nobody\n---\nDo.\n');
  await refresh(rig.handle);
  rig.deps.ledger.tasks.update('lost1234', { held: true });
  await rig.call('notify', { text: 'Look at this.' }, AGENT_OF);
  const items = (await rig.call('inbox', {})).inbox;
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
  const items = (await rig.call('inbox', {})).inbox;
  expect(items).toHaveLength(101);
  expect(items.at(-1)).toMatchObject({ kind: 'invalid', text: 'and 20 more of this kind' });
});
