// What keeps a task from its turn, as each command says it.
import { chmodSync } from 'node:fs';
import { expect, test } from 'vitest';
import { room } from './each-room.ts';
import { SETTINGS } from './room.ts';

test('a missing agent: once fails, and list, show and status say it with what to do', async () => {
  room.save('tasks/Lost.md', '---\nid: lost1\nowner: nobody\n---\nLost.\n');
  const once = await room.run(['once', '--json']);
  expect(once.code).toBe(1);
  expect(JSON.parse(once.stdout)).toMatchObject({
    turns: 0,
    stuck: [{ id: 'lost1', reason: expect.stringContaining('nobody') }],
  });
  const said = /no agent "nobody" in agents\/.*owner/;
  expect(await room.ok('list')).toMatch(said);
  expect(await room.ok('show', 'Lost')).toMatch(said);
  expect(await room.json('show', 'Lost')).toMatchObject({ why_not: { reason: 'no_agent' } });
  expect((await room.run(['status'])).stdout).toMatch(said);
  const daemon = await room.up();
  await daemon.see('task.waiting', { name: 'Lost', reason: /nobody/ });
  expect((await room.json('status')).stuck).toMatchObject([{ id: 'lost1', why_not: { reason: 'no_agent' } }]);
});

test('an agent whose program is not installed: said by list, show, status, up and once, with or without JSON, until it is there', async () => {
  room.settings(...SETTINGS, 'sweep: 1s');
  room.agent('far', { command: ['far-agent'], writes: false });
  room.save('tasks/Far.md', '---\nid: far1\nowner: far\n---\nFar.\n');
  room.save('tasks/Near.md', '---\nid: near1\n---\nNear.\n');
  const said = /the program "far-agent" was not found/;
  const why = { reason: 'no_agent', text: expect.stringMatching(said), hint: expect.any(String) };
  const everywhere = async () => {
    expect(await room.ok('list')).toMatch(said);
    expect(await room.ok('show', 'Far')).toMatch(said);
    expect(await room.json('show', 'Far')).toMatchObject({ why_not: why });
    for (const filter of [[], ['--status', 'todo,doing']]) {
      const { tasks } = await room.json('list', ...filter);
      const whyNots = tasks.map((task: { name: string; why_not: object | null }) => [
        task.name,
        task.why_not,
      ]);
      expect(Object.fromEntries(whyNots)).toEqual({ Far: why, Near: null });
    }
    expect((await room.run(['status'])).stdout).toMatch(said);
    expect(JSON.parse((await room.run(['status', '--json'])).stdout).stuck).toMatchObject([
      { id: 'far1', why_not: why },
    ]);
    const asked = await room.run(['run', 'Far']);
    expect(asked).toMatchObject({ code: 4, stderr: expect.stringMatching(said) });
  };
  const once = await room.run(['once', '--json']);
  expect(once.code).toBe(1);
  expect(JSON.parse(once.stdout)).toMatchObject({
    turns: 1,
    stuck: [{ id: 'far1', reason: expect.stringMatching(said) }],
  });
  await everywhere();
  const programs = room.at('programs');
  room.daemonEnv.PATH = `${programs}:${process.env.PATH}`;
  const daemon = await room.up();
  await daemon.see('task.waiting', { name: 'Far', reason: said });
  await everywhere();
  // The daemon has it now, whatever the PATH of the one who asks.
  room.save('programs/far-agent', '#!/bin/sh\n');
  chmodSync(room.at('programs/far-agent'), 0o755);
  await daemon.see('turn.ended', { name: 'Far', state: 'completed' });
  expect((await room.json('list')).tasks).toMatchObject([{ why_not: null }, { why_not: null }]);
  expect(daemon.all('turn.started', { name: 'Far' })).toHaveLength(1);
});

test('a circle of blockers and a reached limit are said, not only that it waits', async () => {
  room.settings(...SETTINGS.map((line) => line.replace('task: 4', 'task: 1')));
  room.gate('Busy');
  room.save('tasks/Busy.md', '---\nid: busy1\npriority: high\n---\nBusy.\n');
  room.save('tasks/A.md', '---\nid: aaa1\nblocked_by: B\n---\nA.\n');
  room.save('tasks/B.md', '---\nid: bbb1\nblocked_by: A\n---\nB.\n');
  const daemon = await room.up();
  await daemon.see('turn.started', { name: 'Busy' });
  room.save('tasks/Next.md', '---\nid: next1\n---\nNext.\n');
  await daemon.see('turn.requested', { name: 'Next' });
  expect(await room.json('show', 'Next')).toMatchObject({ why_not: { reason: 'limit' } });
  expect(await room.json('show', 'A')).toMatchObject({
    why_not: { reason: 'blocked', text: expect.stringContaining('→') },
  });
  const list = await room.ok('list');
  expect(list).toMatch(/as many turns run as may/);
  expect(list).toMatch(/waits for itself: (A → B → A|B → A → B)/);
  const { tasks } = await room.json('list');
  const reasons = tasks.map((task: { name: string; why_not: { reason: string } | null }) => [
    task.name,
    task.why_not?.reason ?? null,
  ]);
  expect(Object.fromEntries(reasons)).toEqual({ A: 'blocked', B: 'blocked', Busy: null, Next: 'limit' });
  room.open('Busy');
  await daemon.see('turn.ended', { name: 'Next' });
  expect(await room.json('show', 'Next')).toMatchObject({ why_not: { reason: 'nothing_new' } });
});
