// What a person does to one task's file while the room runs, and what happens then.
import { copyFileSync, existsSync, renameSync, rmSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { room } from './each-room.ts';
import { NAME, PATH, runningTask, settledTask, startsOf } from './one-task.ts';
import { SETTINGS } from './room.ts';

describe('a new file without front matter', () => {
  test('gets an id and becomes a turn; its own words stay as they are', async () => {
    const daemon = await room.up();
    room.save(PATH, 'CI fails on main.\r\n\r\nNo final newline');
    const { id } = await daemon.see('task.seen', { name: NAME });
    const { turn } = await daemon.see('turn.started', { name: NAME });
    expect(turn).toMatch(/^b[0-9a-z]{8}$/);
    await daemon.see('turn.ended', { turn, state: 'completed', reason: 'ok', exit_code: 0 });
    await room.quiet(daemon);
    const text = room.read(PATH);
    expect(text).toMatch(new RegExp(`^---\\r\\nid: ${id}\\r\\nstatus: doing\\r\\n---\\r\\n`));
    expect(text.endsWith('CI fails on main.\r\n\r\nNo final newline')).toBe(true);
    expect(startsOf(daemon)).toBe(1);
  });

  test('that is empty, or only a heading, becomes a turn too', async () => {
    const daemon = await room.up();
    room.save('tasks/Empty.md', '');
    room.save('tasks/Heading.md', '# Only a heading\n');
    await daemon.see('turn.ended', { name: 'Empty' });
    await daemon.see('turn.ended', { name: 'Heading' });
  });
});

describe('an edit of Notes while the turn runs', () => {
  test('stays byte for byte, next to what the runtime wrote, and gives exactly one more turn', async () => {
    const { id, daemon } = await runningTask(
      room,
      '---\nrequester: owner   # me\n---\n\n## Task\nCI fails.\n\n## Notes\n\n## Progress\n\n## Outcome\n',
    );
    const typed = '## Notes\n\tnöte one  \n\n\n* note two\u00a0\n';
    room.edit(PATH, (text) => text.replace('## Notes\n', typed));
    const taken = room.read(PATH);
    await room.ok('progress', id, 'half way');
    room.open(NAME, 'taskroom outcome "found it"');
    const first = await daemon.see('turn.ended', { name: NAME });
    const second = await daemon.see('turn.started', { name: NAME, reasons: ['edited'] }, first.index);
    room.open(NAME);
    await daemon.see('turn.ended', { turn: second.turn });
    await room.quiet(daemon);
    expect(startsOf(daemon)).toBe(2);
    const text = room.read(PATH);
    expect(text).toContain(typed);
    expect(text).toContain('requester: owner   # me\n');
    expect(text).toMatch(/## Progress\n\n- \d{4}-\d\d-\d\d \d\d:\d\d · half way\n/);
    expect(text).toMatch(/## Outcome\n\n\*\*.*\*\* · agent:gate\n\nfound it\n/);
    const ours = text.replace(/\n- 20.*half way\n/, '').replace(/\n\*\*20[\s\S]*found it\n/, '');
    expect(ours).toBe(taken);
  });

  test('of Progress, Steps or status alone gives none', async () => {
    const { daemon } = await settledTask(
      room,
      '---\nstatus: todo\n---\n## Task\nCI fails.\n\n## Steps\n- [ ] look\n\n## Progress\n',
    );
    room.edit(PATH, (text) =>
      text.replace('[ ]', '[x]').replace('## Progress\n', '## Progress\n- seen it\n'),
    );
    await daemon.see('task.stepped', { name: NAME, done: 1, total: 1, title: 'look' });
    await room.quiet(daemon);
    expect(startsOf(daemon)).toBe(1);
  });
});

test('a renamed file is the same task under a new name', async () => {
  const { id, daemon } = await settledTask(room);
  renameSync(room.at(PATH), room.at('tasks/Mend the build.md'));
  await daemon.see('task.renamed', { id, name: 'Mend the build', was: NAME });
  await room.quiet(daemon);
  expect(daemon.all('task.gone')).toEqual([]);
  expect(startsOf(daemon, 'Mend the build')).toBe(0);
  expect((await room.json('show', 'Mend the build')).id).toBe(id);
});

test('pausing by hand stops the running turn, and resuming runs it again', async () => {
  const { turn, daemon } = await runningTask(room, '---\nstatus: todo\npaused: no # go\n---\nCI fails.\n');
  room.edit(PATH, (text) => text.replace('paused: no', 'paused: yes'));
  const ended = await daemon.see('turn.ended', { turn, state: 'killed', reason: 'paused' });
  await room.quiet(daemon);
  expect(daemon.all('task.paused')).toHaveLength(1);
  expect(startsOf(daemon)).toBe(1);
  expect(room.agentLog()).toHaveLength(1);
  room.edit(PATH, (text) => text.replace('paused: yes', 'paused: no'));
  const again = await daemon.see('turn.started', { name: NAME }, ended.index);
  expect(again.reasons).toContain('resumed');
  room.open(NAME);
  await daemon.see('turn.ended', { turn: again.turn, state: 'completed' });
  expect(room.read(PATH)).toContain('paused: no # go\n');
});

test('a killed turn is over with everything it started, counts as consumed and is not run again', async () => {
  const { turn, daemon } = await runningTask(room);
  const asked = await room.json('kill', NAME);
  expect(asked).toMatchObject({ id: turn, state: 'running' });
  await daemon.see('turn.ended', { turn, state: 'killed', reason: 'person' });
  await room.quiet(daemon);
  expect(startsOf(daemon)).toBe(1);
  await daemon.kill();
  const next = await room.up();
  await room.quiet(next);
  expect(startsOf(next)).toBe(0);
  const refused = await room.run(['kill', turn]);
  expect(refused).toMatchObject({ code: 4, stderr: expect.stringContaining(`turn ${turn} is over: killed`) });
});

test('a copy becomes a task of its own: a new id, no remote, a turn of its own', async () => {
  const { id, daemon } = await settledTask(
    room,
    '---\nstatus: todo\nremote: github:acme/web#12\nlabels: [a,   b]\n---\nCI fails.\n',
  );
  copyFileSync(room.at(PATH), room.at('tasks/Copy of it.md'));
  const copied = await daemon.see('task.copied', { of: id });
  await daemon.see('turn.ended', { name: 'Copy of it' });
  await room.quiet(daemon);
  const text = room.read('tasks/Copy of it.md');
  expect(text).toContain(`id: ${copied.id}\n`);
  expect(text).not.toContain('remote:');
  expect(text).toContain('labels: [a,   b]\n');
  expect(room.read(PATH)).toContain(`id: ${id}\n`);
  expect(room.read(PATH)).toContain('remote: github:acme/web#12\n');
  expect(startsOf(daemon)).toBe(1);
});

test('broken front matter is reported with its place, nothing is scheduled, and mending it runs what was edited', async () => {
  const { id, daemon } = await settledTask(room, '---\nstatus: todo\nlabels: [a]\n---\nCI fails.\n');
  room.edit(PATH, (text) =>
    text.replace('labels: [a]', 'labels: [a').replace('CI fails.', 'CI fails again.'),
  );
  const { problems } = await daemon.see('task.invalid', { path: PATH });
  expect(problems).toMatchObject([
    { path: PATH, line: 4, col: expect.any(Number), message: expect.any(String) },
  ]);
  room.save('tasks/Neighbour.md', 'Still runs.\n');
  await daemon.see('turn.ended', { name: 'Neighbour' });
  await room.quiet(daemon);
  expect(startsOf(daemon)).toBe(1);
  const listed = await room.json('list');
  expect(listed.invalid).toMatchObject([{ path: PATH }]);
  const shown = await room.run(['show', id]);
  expect(shown).toMatchObject({ code: 6, stderr: expect.stringContaining(`${PATH}:4:`) });
  room.edit(PATH, (text) => text.replace('labels: [a', 'labels: [a]'));
  await daemon.see('task.mended', { path: PATH });
  await daemon.see('turn.started', { id, reasons: ['edited'] });
  await room.quiet(daemon);
  expect(startsOf(daemon)).toBe(2);
});

test('a parent that is canceled by hand takes its subtasks along, however they are linked, and stops their turns; `once` does so too', async () => {
  const parent = (id: string) => `---\nid: ${id}\nstatus: draft\n---\n`;
  room.save('tasks/Big.md', `${parent('bigg1111')}\n## Steps\n- [ ] a (task:deep1111)\n`);
  room.save('tasks/Deep.md', `${parent('deep1111')}\n## Steps\n- [ ] b (task:${NAME})\n`);
  const { id, turn, daemon } = await runningTask(room, '---\nid: leaf1111\nparent: Deep\n---\nDo it.\n');
  room.edit('tasks/Big.md', (text) => text.replace('draft', 'canceled'));
  await daemon.see('turn.ended', { turn, state: 'killed', reason: 'canceled' });
  await room.quiet(daemon);
  expect(room.read('tasks/Deep.md')).toMatch(/status: canceled\n[\s\S]*Canceled with Big, its parent\./);
  expect(room.read(PATH)).toContain('status: canceled');
  const { history } = await room.json('history');
  expect(history.map((line: { id: string }) => line.id).sort()).toEqual(['bigg1111', 'deep1111', id].sort());
  await room.ok('stop');
  room.save('tasks/Child.md', '---\nid: chil1111\nstatus: draft\nparent: Top\n---\n');
  room.save('tasks/Top.md', parent('topp1111'));
  await room.ok('once');
  room.edit('tasks/Top.md', (text) => text.replace('draft', 'canceled'));
  await room.ok('once');
  expect(room.read('tasks/Child.md')).toContain('status: canceled');
});

describe('a deleted file', () => {
  test('is forgotten: its turn is stopped, no history', async () => {
    const { id, turn, daemon } = await runningTask(room);
    rmSync(room.at(PATH));
    await daemon.see('task.gone', { id });
    await daemon.see('turn.ended', { turn, state: 'killed' });
    await room.quiet(daemon);
    expect((await room.json('history')).history).toEqual([]);
    expect(existsSync(room.at(PATH))).toBe(false);
    expect(await room.run(['show', id])).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('is gone'),
    });
  });

  test('is a canceled task where the room says so', async () => {
    room.settings(...SETTINGS, 'on_delete: cancel');
    const { id, daemon } = await settledTask(room);
    rmSync(room.at(PATH));
    await daemon.see('task.gone', { id });
    await room.quiet(daemon);
    expect((await room.json('history')).history).toMatchObject([{ id, status: 'canceled', name: NAME }]);
  });
});

// The end of a task: done and canceled, by command and by hand, while a turn runs and after it; and opened again.

describe('done and reopened', () => {
  test('a task that becomes done while its turn runs gives the turn time to end by itself', async () => {
    const { turn, daemon } = await runningTask(room);
    room.open(NAME, 'taskroom done --outcome "it works"; read -r more < "$pipe"');
    await daemon.see('task.changed', { name: NAME, status: 'done' });
    await room.json('list');
    expect(daemon.all('turn.ended')).toEqual([]);
    room.open(NAME);
    await daemon.see('turn.ended', { turn, state: 'completed' });
    await room.quiet(daemon);
    expect(startsOf(daemon)).toBe(1);
    expect((await room.json('history')).history).toHaveLength(1);
  });

  test('canceled while its turn runs: the turn is stopped', async () => {
    const { id, turn, daemon } = await runningTask(room);
    room.edit(PATH, (text) => text.replace('status: doing', 'status: canceled'));
    await daemon.see('turn.ended', { turn, state: 'killed', reason: 'canceled' });
    await room.quiet(daemon);
    expect((await room.json('history', id)).history).toMatchObject([{ status: 'canceled' }]);
  });
});
