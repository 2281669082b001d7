// Saves of a text that was read before the runtime wrote into the file.
import { writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Daemon } from './daemon.ts';
import { room } from './each-room.ts';

let daemon: Daemon;
const PATH = 'tasks/Write.md';

const starts = () => daemon.all('turn.started', { name: 'Write' });

describe('a stale buffer saved over what the runtime wrote', () => {
  test('keeps what was typed; id and entries are merged back, the status is not', async () => {
    room.settings('default_agent: gate', 'settle: 50ms');
    daemon = await room.up();
    const stale = '## Task\nWrite it.\n\n## Notes\n\n## Progress\n';
    room.gate('Write');
    room.save(PATH, stale);
    const { id, turn } = await daemon.see('turn.started', { name: 'Write' });
    room.open('Write', 'taskroom progress "from the turn"; taskroom outcome "all of it"');
    await daemon.see('turn.ended', { turn });
    await room.ok('comment', String(id), 'from the person');
    const answering = await daemon.see('turn.started', { id, reasons: ['comment'] });
    room.open('Write');
    await daemon.see('turn.ended', { turn: answering.turn });
    await room.quiet(daemon);
    room.save(
      PATH,
      stale
        .replace('## Notes\n', '## Notes\nTyped into an old buffer.\n')
        .replace(/^/, '---\nstatus: todo\n---\n'),
    );
    await daemon.see('task.restored', { path: PATH });
    const again = await daemon.see('turn.started', { id, reasons: ['edited'] });
    room.open('Write');
    await daemon.see('turn.ended', { turn: again.turn });
    await room.quiet(daemon);
    const text = room.read(PATH);
    for (const part of [
      `id: ${id}\n`,
      'Typed into an old buffer.\n',
      'from the turn\n',
      '\nall of it\n',
      '> from the person\n',
    ])
      expect(text.split(part), part).toHaveLength(2);
    expect(starts()).toHaveLength(3);
    expect(daemon.all('task.changed', { id, status: 'todo', was: 'doing' })).toHaveLength(1);
  });

  test('an entry deleted on purpose afterwards stays deleted', async () => {
    daemon = await room.up();
    room.save(PATH, '---\nid: one1\nstatus: draft\n---\n## Task\nWrite.\n\n## Progress\n');
    await room.quiet(daemon);
    const stale = room.read(PATH);
    await room.ok('progress', 'one1', 'one entry');
    room.save(PATH, `${stale}\n## Notes\nnew\n`);
    await daemon.see('task.restored', { path: PATH });
    await room.quiet(daemon);
    expect(room.read(PATH)).toContain('one entry');
  });
});

describe('steps that commands add while an editor saves what it read before them', () => {
  test('come back, each once, and what was typed stands', async () => {
    daemon = await room.up();
    room.save(
      PATH,
      '---\nid: one1\nstatus: draft\n---\n## Task\nWrite.\n\n## Steps\n\n- [ ] mine\n\n## Notes\n',
    );
    await room.quiet(daemon);
    const titles = Array.from({ length: 8 }, (_, at) => `step ${at}`);
    for (const [at, title] of titles.entries()) {
      const stale = `${room.read(PATH)}typed ${at}\n`;
      await room.ok('step', 'one1', '--add', title);
      if (at % 2 === 0) room.save(PATH, stale);
      else writeFileSync(room.at(PATH), stale);
    }
    await room.ok('step', 'one1', '--add', 'the last');
    await room.quiet(daemon);
    for (const title of ['mine', ...titles, 'the last'])
      expect(room.read(PATH).split(`\n- [ ] ${title}\n`), title).toHaveLength(2);
    for (const at of titles.keys()) expect(room.read(PATH).split(`\ntyped ${at}\n`)).toHaveLength(2);
  });

  test('stay away once the person removes them', async () => {
    daemon = await room.up();
    room.save(PATH, '---\nid: one1\nstatus: draft\n---\n## Task\nWrite.\n');
    await room.quiet(daemon);
    await room.ok('step', 'one1', '--add', 'one');
    await room.ok('step', 'one1', '--add', 'two');
    room.edit(PATH, (text) => text.replace('- [ ] one\n', ''));
    await room.ok('step', 'one1', '--add', 'three');
    await room.quiet(daemon);
    expect(room.read(PATH)).toContain('## Steps\n\n- [ ] two\n- [ ] three\n');
    expect(room.read(PATH)).not.toContain('one\n');
  });
});
