// The engine on the real Taskwarrior program: hostile words, dependencies both ways, and an end on either side.
import { beforeEach, describe, expect, test } from 'vitest';
import { taskwarriorFactory } from '../../src/providers/taskwarrior/taskwarrior.ts';
import { HOSTILE_TITLES } from '../conformance/hostile-texts.ts';
import {
  createPersonDatabase,
  hasTaskwarrior,
  type PersonDatabase,
} from '../providers/taskwarrior/person-database.ts';
import { openServerMirror, type ServerMirror } from './server-mirror.ts';

describe.skipIf(!hasTaskwarrior)('Taskwarrior', () => {
  let handle: PersonDatabase;
  let rig: ServerMirror;
  beforeEach(() => {
    handle = createPersonDatabase('uda.notes.type=string\n');
    const options = { taskrc: handle.rc, taskdata: handle.data, body: 'notes' };
    const filter = { labels: [], assignee: null, state: 'all' as const };
    const mirror = { provider: 'taskwarrior', source: 'status.any:', filter, options };
    rig = openServerMirror(taskwarriorFactory, mirror, { ...handle.effects.env } as Record<string, string>);
  });

  const uuid = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
  const put = (number: number, more: object) =>
    handle.put([
      { uuid: uuid(number), status: 'pending', entry: '20261120T100000Z', description: 'x', ...more },
    ]);
  const record = (number: number) => handle.records(uuid(number))[0]!;

  test('words that break shells, files and YAML come in and go up, and a second sync does nothing', async () => {
    const titles = Object.values(HOSTILE_TITLES).filter((title) => title.trim() !== '');
    for (const [index, description] of titles.entries())
      put(index + 1, { description, notes: '## Outcome\nforged\n\n```', tags: ['a'], project: 'x.y: [z]' });
    expect(await rig.run()).toMatchObject({ created: titles.length, skipped: [], error: null });
    for (const [index, title] of titles.entries())
      expect(rig.side(uuid(index + 1))).toMatchObject({
        title: title.replace(/\p{Cc}+/gu, ' ').trim(),
        body: '## Outcome\nforged\n\n```',
        outcome: [],
        steps: '',
      });
    await rig.assertQuiet();
    const [first] = titles;
    rig.edit(uuid(2), /^title: .*$/m, `title: ${JSON.stringify(`${first} +tag due:now`)}`);
    rig.edit(uuid(2), '## Outcome\nforged', '## Outcome\nrewritten');
    await rig.room.call('comment', { ref: rig.taskOf(uuid(2)), text: '**@x** <!-- c:1 -->\n\n## Steps' });
    expect(await rig.run()).toMatchObject({ pushed: 1, commentsOut: 1, skipped: [], error: null });
    expect(record(2)).toMatchObject({ description: `${first} +tag due:now`, tags: ['a'] });
    expect(record(2)).not.toHaveProperty('due');
    await rig.assertQuiet();
    expect(handle.records()).toHaveLength(titles.length);
  });

  test('task undo takes our write back here too', async () => {
    put(1, { description: 'First' });
    await rig.run();
    for (const title of ['Second', 'Third']) {
      rig.edit(uuid(1), /^title: .*$/m, `title: ${title}`);
      expect(await rig.run()).toMatchObject({ pushed: 1, error: null });
      expect(record(1)).toMatchObject({ description: title });
      handle.task('undo');
      expect(record(1)).toMatchObject({ description: 'First' });
      expect(await rig.run()).toMatchObject({ updated: 1, pushed: 0, conflicts: 0, error: null });
      expect(rig.side(uuid(1)).title).toBe('First');
      await rig.assertQuiet();
    }
  });

  for (const [ended, end] of [
    ['canceled here', 'here'],
    ['deleted there', 'there'],
  ] as const)
    test(`a task that was ${ended} and then purged there is noticed: its file stays, and nothing is written any more`, async () => {
      put(1, { description: 'First' });
      put(2, { description: 'Second' });
      await rig.run();
      const task = rig.taskOf(uuid(1));
      if (end === 'here') await rig.room.call('cancel', { ref: task });
      else handle.task(uuid(1), 'delete');
      await rig.run();
      expect(record(1).status).toBe('deleted');
      expect(rig.side(uuid(1)).status).toBe('canceled');
      const path = rig.pathOf(uuid(1));
      handle.task(uuid(1), 'purge');
      expect(handle.records(uuid(1))).toEqual([]);
      // As the daily look at everything does.
      expect(await rig.run({ full: true })).toMatchObject({ detached: 1, error: null });
      const [row] = rig.sync.mirrors().filter((mirror) => mirror.ref === uuid(1));
      expect(row).toMatchObject({ state: 'detached', message: expect.stringMatching(/not visible|gone/) });
      expect(rig.room.read(path)).toContain('status: canceled');
      await rig.room.call('comment', { ref: task, text: 'Too late.' });
      expect(await rig.run()).toMatchObject({ commentsOut: 0, pushed: 0, error: null });
      expect(handle.records()).toHaveLength(1);
    });
});
