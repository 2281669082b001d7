import { describe, expect, test } from 'vitest';
import type { Daemon } from './daemon.ts';
import { room } from './each-room.ts';
import { SETTINGS } from './room.ts';

let daemon: Daemon;

const starts = (name: string) => daemon.all('turn.started', { name }).length;
const ended = (name: string, from = 0) => daemon.see('turn.ended', { name }, from);

describe('blocked tasks', () => {
  test('wait for their blocker and run when it is done', async () => {
    room.save('tasks/Second.md', '---\nblocked_by: First\n---\nAfter the first.\n');
    room.save('tasks/First.md', '---\nid: first1\n---\nGo ahead.\n');
    room.save('tasks/Third.md', '---\nblocked_by: [task:first1, "Second"]\n---\nAfter both.\n');
    daemon = await room.up();
    await ended('First');
    await room.quiet(daemon);
    expect([starts('Second'), starts('Third')]).toEqual([0, 0]);
    const { tasks } = await room.json('list');
    expect(tasks.filter((task: { blocked: boolean }) => task.blocked)).toHaveLength(2);
    await room.ok('done', 'First');
    await daemon.see('task.unblocked', { name: 'Second' });
    const { reasons } = await daemon.see('turn.started', { name: 'Second' });
    expect(reasons).toContain('unblocked');
    await ended('Second');
    await room.quiet(daemon);
    expect(starts('Third')).toBe(0);
    room.edit('tasks/Second.md', (text) => text.replace('status: doing', 'status: done'));
    await ended('Third');
  });

  test('a task that becomes blocked while its turn runs has the turn stopped, and runs when it is free', async () => {
    room.gate('Second');
    room.save('tasks/First.md', '---\nid: first1\nstatus: draft\n---\n');
    room.save('tasks/Second.md', 'Starts, and is then blocked.\n');
    daemon = await room.up();
    const { turn } = await daemon.see('turn.started', { name: 'Second' });
    await daemon.see('task.changed', { name: 'Second', status: 'doing' });
    await room.ok('set', 'Second', 'blocked_by=First');
    await daemon.see('turn.ended', { turn, state: 'killed', reason: 'paused' });
    await room.quiet(daemon);
    expect(starts('Second')).toBe(1);
    const from = daemon.mark();
    await room.ok('done', 'first1');
    const again = await daemon.see('turn.started', { name: 'Second' }, from);
    room.open('Second');
    await daemon.see('turn.ended', { turn: again.turn, state: 'completed' });
  });
});

test('the heartbeat wakes what is open, and nothing else; missed ticks are one', async () => {
  room.save('tasks/Open.md', 'Open.\n');
  room.save('tasks/Paused.md', '---\npaused: true\n---\nPaused.\n');
  room.save('tasks/Draft.md', '---\nstatus: draft\n---\nDraft.\n');
  room.save('tasks/Done.md', '---\nstatus: done\n---\nDone.\n');
  expect((await room.run(['once'])).code).toBe(0);
  const threeDaysAgo = Date.now() - 3 * 86_400_000;
  room.sql(`INSERT OR REPLACE INTO meta(key, value) VALUES('heartbeat', '${threeDaysAgo}')`);
  daemon = await room.up();
  await daemon.see('turn.started', { name: 'Open', reasons: ['heartbeat'] });
  await room.quiet(daemon);
  expect(daemon.all('turn.started')).toHaveLength(1);
});

test('the loop guard pauses a task whose only cause is its own last turn', async () => {
  room.settings(...SETTINGS, 'loop_guard: 3');
  // Each turn writes into the input: that is one more turn, without anybody else having asked for it.
  const command = 'taskroom progress said; sed -i "s/^Talk/Talk again/" tasks/Talk.md';
  room.agent('talker', { command });
  room.save('tasks/Talk.md', '---\nowner: talker\n---\nTalk.\n');
  daemon = await room.up();
  const { reason } = await daemon.see('task.paused', { name: 'Talk' });
  await room.quiet(daemon);
  expect(reason).toContain('3 turns in a row');
  expect(starts('Talk')).toBe(4);
  expect(room.read('tasks/Talk.md')).toMatch(/^paused: true$/m);
  expect(room.read('tasks/Talk.md')).toMatch(/· said\n- .* · Paused: 3 turns in a row/);
});

test.each([
  ['asks for its own next turn', 'taskroom run "$TASKROOM_TASK"', 1],
  [
    'has two tasks that write each other',
    `if [ ! -e other ]; then
      echo "$TASKROOM_TASK" > first
      taskroom new Other Do --owner talker --json | sed 's/.*"id":"\\([^"]*\\)".*/\\1/' > other
      taskroom set "$TASKROOM_TASK" "parent=$(cat other)"
    fi
    them=$(cat first); [ "$TASKROOM_TASK" != "$them" ] || them=$(cat other)
    taskroom describe "$them" "Do, after $TASKROOM_TURN"`,
    2,
  ],
])('it pauses the tasks of an agent that %s', async (_what, command, count) => {
  room.settings(...SETTINGS, 'loop_guard: 3');
  room.agent('talker', { command: `taskroom progress said\n${command}`, access: 'readonly' });
  room.save('tasks/Talk.md', '---\nowner: talker\n---\nTalk.\n');
  daemon = await room.up();
  for (let nth = 0; nth < count; nth += 1) await daemon.see('task.paused', {}, nth);
  await room.quiet(daemon);
  expect(daemon.all('turn.started').length).toBeLessThanOrEqual(count * 4);
});

test('what a runbook may not run waits for another agent, and nothing is written to it', async () => {
  room.settings('default_agent: runbook', 'settle: 50ms');
  const texts = {
    Talk: '---\nid: talk1\n---\nNo block to run here.\n',
    Foreign: '---\nid: foreign1\nrequester: github:eve\n---\n```sh run\ntouch owned\n```\n',
  };
  for (const [name, text] of Object.entries(texts)) room.save(`tasks/${name}.md`, text);
  daemon = await room.up();
  await daemon.see('task.waiting', { name: 'Talk', reason: /runbook runs the person's own/ });
  await daemon.see('task.waiting', { name: 'Foreign', reason: /runbook runs the person's own/ });
  await room.quiet(daemon);
  for (const [name, text] of Object.entries(texts)) expect(room.read(`tasks/${name}.md`)).toBe(text);
  expect(daemon.all('turn.started')).toEqual([]);
});

describe('a mass edit', () => {
  const names = Array.from({ length: 60 }, (_, at) => `Task ${String(at).padStart(2, '0')}`);
  const all = (edit: (name: string) => string) => {
    for (const name of names) room.save(`tasks/${name}.md`, edit(name));
  };

  test('is held whole, shown, and released by run --all', async () => {
    daemon = await room.up();
    all((name) => `${name} at first.\n`);
    await daemon.see('tasks.held', { count: 60 });
    await room.quiet(daemon);
    expect(daemon.all('turn.started')).toEqual([]);
    expect((await room.json('status')).held).toHaveLength(60);
    expect(await room.json('run', '--all')).toMatchObject({ released: 60, daemon: true });
    for (const name of names) await ended(name);
    await room.quiet(daemon);
    expect(daemon.all('turn.started')).toHaveLength(60);
  });

  test('of tasks that ran before, made while nothing watched, is held too; run lets one go', async () => {
    room.settings(...SETTINGS, 'hold_above: 0');
    all((name) => `---\nid: ${name.replace(' ', '')}\n---\n${name}\n`);
    expect((await room.run(['once'])).code).toBe(0);
    room.settings(...SETTINGS);
    for (const name of names) room.edit(`tasks/${name}.md`, (text) => `${text}more\n`);
    daemon = await room.up();
    await daemon.see('tasks.held', { count: 60 });
    await room.quiet(daemon);
    expect(daemon.all('turn.started')).toEqual([]);
    await room.ok('run', 'Task07');
    await ended('Task 07');
    await room.quiet(daemon);
    expect(daemon.all('turn.started')).toHaveLength(1);
  });
});

describe('settings', () => {
  test('are reloaded; bad ones are told and the last good ones stay', async () => {
    daemon = await room.up();
    room.settings(...SETTINGS, 'loop_gard: 3');
    const { problems } = await daemon.see('config.invalid');
    expect(problems).toMatchObject([
      { path: 'room.yaml', line: 6, col: 1, hint: expect.stringContaining('loop_guard') },
    ]);
    room.save('tasks/A.md', 'Runs with the old settings.\n');
    await ended('A');
    await room.quiet(daemon);
    room.settings('default_agent: runbook', 'settle: 50ms');
    await daemon.see('config.reloaded');
    room.save('tasks/B.md', '```sh run\necho hi\n```\n');
    expect(await daemon.see('turn.started', { name: 'B' })).toMatchObject({ agent: 'runbook' });
  });

  test('a room whose settings are bad from the start does not run, and says why', async () => {
    room.settings('settle: soon');
    const ran = await room.run(['up']);
    expect(ran).toMatchObject({ code: 6, stderr: expect.stringContaining('room.yaml:1:') });
  });
});

describe('priorities and limits', () => {
  const order = (from = 0) => daemon.all('turn.started', {}, from).map((event) => event.name);

  test('two tasks run side by side, one task never beside itself', async () => {
    for (const name of ['A', 'B']) room.gate(name);
    room.save('tasks/A.md', 'A.\n');
    room.save('tasks/B.md', 'B.\n');
    daemon = await room.up();
    const a = await daemon.see('turn.started', { name: 'A' });
    const b = await daemon.see('turn.started', { name: 'B' });
    room.edit('tasks/A.md', (text) => `${text}More.\n`);
    await room.ok('run', 'A');
    room.open('B');
    await daemon.see('turn.ended', { turn: b.turn });
    expect((await room.json('status')).running).toHaveLength(1);
    room.open('A');
    const first = await daemon.see('turn.ended', { turn: a.turn });
    await daemon.see('turn.started', { name: 'A' }, first.index);
    room.open('A');
    await daemon.see('turn.ended', { name: 'A' }, first.index + 1);
    await room.quiet(daemon);
    expect(starts('A')).toBe(2);
  });

  test('the limit of tasks holds, then priority, then age decide', async () => {
    room.settings('default_agent: gate', 'settle: 50ms', 'limits:', '  task: 1');
    room.gate('Z first');
    daemon = await room.up();
    room.save('tasks/Z first.md', 'First.\n');
    await daemon.see('turn.started', { name: 'Z first' });
    for (const [name, priority] of [
      ['Y', 'low'],
      ['X', 'medium'],
      ['W', 'high'],
      ['A', 'medium'],
    ] as const) {
      const from = daemon.mark();
      room.save(`tasks/${name}.md`, `---\npriority: ${priority}\n---\n${name}\n`);
      await daemon.see('turn.requested', { name }, from);
    }
    room.open('Z first');
    await ended('Y');
    expect(order()).toEqual(['Z first', 'W', 'X', 'A', 'Y']);
  });
});
