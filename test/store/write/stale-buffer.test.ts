import { linkSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { setKey } from '../../../src/core/document/document.ts';
import { appendEntry } from '../../../src/core/merge/lost-entries.ts';
import { rig } from './each-room.ts';
import { by, comment, PATH, progress, say, TEXT } from './writer-room.ts';

const status = (value: string) => ({ ...by, edit: (text: string) => setKey(text, 'status', value) });

describe('a stale buffer saved over a write of ours', () => {
  test('what the person typed stands, the entries and the id come back, values do not', async () => {
    const fresh = TEXT.replace('id: abc\n', '');
    rig.save(fresh);
    await rig.writer.edit(PATH, {
      actor: 'runtime',
      task: null,
      id: 'abc',
      edit: (text) => setKey(text, 'status', 'doing'),
    });
    await rig.writer.edit(PATH, say('first'));
    await rig.writer.edit(PATH, { ...by, append: [{ section: 'Comments', block: comment('c1') }] });
    rig.save(fresh.replace('Do it.', 'Do it well.'));
    expect(await rig.writer.restore(PATH)).toEqual({ restored: 3 });
    const expected = appendEntry(
      appendEntry(fresh.replace('Do it.', 'Do it well.'), 'Progress', progress('first')),
      'Comments',
      comment('c1'),
    );
    expect(rig.read()).toBe(setKey(expected, 'id', 'abc'));
    expect(await rig.writer.restore(PATH)).toEqual({ restored: 0 });
  });

  test('the next edit brings them back too', async () => {
    await rig.writer.edit(PATH, say('first'));
    rig.saveInPlace(TEXT.replace('note', 'typed'));
    await rig.writer.edit(PATH, say('second'));
    const both = appendEntry(
      appendEntry(TEXT, 'Progress', progress('first')),
      'Progress',
      progress('second'),
    );
    expect(rig.read()).toBe(both.replace('note', 'typed'));
  });

  test('once: a person who deletes the entry again means it', async () => {
    await rig.writer.edit(PATH, say('first'));
    rig.save(TEXT);
    expect(await rig.writer.restore(PATH)).toEqual({ restored: 1 });
    writeFileSync(rig.room.at(PATH), TEXT);
    rig.database.run('UPDATE entries SET restored_at_ms = restored_at_ms - 6000');
    expect(await rig.writer.restore(PATH)).toEqual({ restored: 0 });
    await rig.writer.edit(PATH, status('doing'));
    expect(rig.read()).toBe(TEXT.replace('todo', 'doing'));
  });

  test('a text that is taken half written deletes nothing', async () => {
    const say = (id: string) => ({ ...by, append: [{ section: 'Comments' as const, block: comment(id) }] });
    for (const id of ['one', 'two']) await rig.writer.edit(PATH, say(id));
    const whole = rig.read();
    // Each came back once: one that is missing again counts as deleted.
    for (const id of ['two', 'one']) {
      rig.save(whole.replace(`${comment(id)}\n`, ''));
      rig.later(1_000);
      expect(await rig.writer.restore(PATH)).toEqual({ restored: 1 });
    }
    rig.later(10_000);
    let isCut = false;
    const hurried = rig.open({
      probe(point) {
        if (point !== 'intended' || isCut) return;
        isCut = true;
        writeFileSync(rig.room.at(PATH), whole.slice(0, whole.indexOf(comment('two'))));
        const now = rig.effects.now() / 1000;
        utimesSync(rig.room.at(PATH), now - 1, now - 1);
      },
    });
    await hurried.edit(PATH, say('three'));
    for (const id of ['one', 'two', 'three']) expect(rig.count(comment(id)), id).toBe(1);
  });

  test('what seemed to be deleted, and is brought by the rest of a save, counts again', async () => {
    const say = (id: string) => ({ ...by, append: [{ section: 'Comments' as const, block: comment(id) }] });
    rig.save(`${TEXT}\n## Comments\n`);
    for (const id of ['one', 'two']) await rig.writer.edit(PATH, say(id));
    const whole = rig.read();
    rig.database.run(
      'UPDATE entries SET at_ms = at_ms - 9000, restored_at_ms = (SELECT min(at_ms) FROM entries) - 9000 - seq',
    );
    const cut = whole.slice(0, whole.indexOf(comment('two')));
    const rest = rig.room.at('tasks/.still-open');
    writeFileSync(rig.room.at(PATH), cut);
    linkSync(rig.room.at(PATH), rest);
    await rig.writer.edit(PATH, say('three'));
    expect(rig.count(comment('two'))).toBe(0);
    const stale = rig.read();
    writeFileSync(rest, whole);
    rmSync(rest);
    rig.later(3_000);
    await rig.writer.settleReplaced(0);
    expect(rig.count(comment('two'))).toBe(1);
    rig.save(stale);
    expect(await rig.writer.restore(PATH)).toEqual({ restored: 1 });
    for (const id of ['one', 'two', 'three']) expect(rig.count(comment(id)), id).toBe(1);
  });

  test('a save that can not have seen the restored entry brings it back again', async () => {
    await rig.writer.edit(PATH, say('first'));
    for (let round = 0; round < 3; round += 1) {
      rig.save(TEXT);
      expect(await rig.writer.restore(PATH)).toEqual({ restored: 1 });
    }
  });

  test('not after ten minutes, not into another file of that name', async () => {
    await rig.writer.edit(PATH, say('first'));
    const after = rig.read();
    rig.save('## Task\n\nSomething else.\n');
    expect(await rig.writer.restore(PATH)).toEqual({ restored: 0 });
    rig.save(TEXT.replace('id: abc', 'id: other'));
    expect(await rig.writer.restore(PATH)).toEqual({ restored: 0 });
    rig.save(after);
    await rig.writer.edit(PATH, say('second'));
    rig.later(11 * 60_000);
    rig.save(TEXT);
    expect(await rig.writer.restore(PATH)).toEqual({ restored: 0 });
  });

  test('a renamed file is found by its id, and a file that is gone is no error', async () => {
    await rig.writer.edit(PATH, say('first'));
    rmSync(rig.room.at(PATH));
    expect(await rig.writer.restore(PATH)).toEqual({ restored: 0 });
    rig.save(TEXT, 'tasks/b.md');
    expect(await rig.writer.restore('tasks/b.md')).toEqual({ restored: 1 });
    expect(rig.read('tasks/b.md')).toBe(appendEntry(TEXT, 'Progress', progress('first')));
  });
});
