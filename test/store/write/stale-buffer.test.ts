import { closeSync, linkSync, openSync, rmSync, utimesSync, writeFileSync, writeSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { setKey } from '../../../src/core/document/document.ts';
import { appendEntry } from '../../../src/core/merge/lost-entries.ts';
import { editBody } from '../../../src/core/task/body/body-edit.ts';
import { appendStep } from '../../../src/core/task/body/step-edits.ts';
import type { Change } from '../../../src/store/write/writer.ts';
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

// Steps that edits of ours added, and a save from before them.
describe('steps that our edits added', () => {
  const add = (title: string): Change => ({
    ...by,
    edit: (text) =>
      editBody(text, PATH, (body, offset) =>
        appendStep(body, { title, details: '', done: false, task: null }, offset),
      ),
  });
  const tick = (from: string, to: string): Change => ({ ...by, edit: (text) => text.replace(from, to) });
  const earlier = (ms: number) => rig.database.run('UPDATE entries SET at_ms = at_ms - ?', ms);
  const saveAndRestore = (text: string) => {
    rig.save(text);
    return rig.writer.restore(PATH);
  };

  test('come back into a save that was made from before them, ticked as they were', async () => {
    await rig.writer.edit(PATH, add('one'));
    await rig.writer.edit(PATH, add('two'));
    await rig.writer.edit(PATH, tick('- [ ] one', '- [x] one'));
    const whole = rig.read();
    expect(await saveAndRestore(TEXT.replace('note', 'typed'))).toEqual({ restored: 2 });
    expect(rig.count('- [x] one\n')).toBe(1);
    expect(rig.count('- [ ] two\n')).toBe(1);
    expect(rig.count('] one')).toBe(1);
    expect(rig.count('typed')).toBe(1);
    expect(await saveAndRestore(whole)).toEqual({ restored: 0 });
  });

  test('several come back minutes later too, once', async () => {
    await rig.writer.edit(PATH, add('one'));
    await rig.writer.edit(PATH, add('two'));
    earlier(60_000);
    expect(await saveAndRestore(TEXT)).toEqual({ restored: 2 });
    rig.database.run('UPDATE entries SET restored_at_ms = restored_at_ms - 6000');
    expect(await saveAndRestore(TEXT)).toEqual({ restored: 0 });
  });

  test('one that a person removed stays removed, and may be added again', async () => {
    await rig.writer.edit(PATH, add('one'));
    earlier(6_000);
    expect(await saveAndRestore(TEXT)).toEqual({ restored: 0 });
    await rig.writer.edit(PATH, add('one'));
    await rig.writer.edit(PATH, add('two'));
    const both = rig.read();
    expect(await saveAndRestore(both)).toEqual({ restored: 0 });
    expect(await saveAndRestore(both.replace('- [ ] one\n', ''))).toEqual({ restored: 0 });
    await rig.writer.edit(PATH, { ...by, edit: (text) => setKey(text, 'status', 'doing') });
    expect(rig.count('- [ ] one')).toBe(0);
    expect(rig.count('- [ ] two')).toBe(1);
  });

  test('one that our own edit took out or renamed stays out', async () => {
    await rig.writer.edit(PATH, add('one'));
    await rig.writer.edit(PATH, tick('- [ ] one', '- [ ] another'));
    expect(await saveAndRestore(rig.read().replace('note', 'typed'))).toEqual({ restored: 0 });
    expect(rig.count('] one')).toBe(0);
  });

  test('one that a person ticks in a file we replaced meanwhile stands once', async () => {
    await rig.writer.edit(PATH, add('one'));
    const before = rig.read();
    const editor = openSync(rig.room.at(PATH), 'r+');
    await rig.writer.edit(PATH, add('two'));
    writeSync(editor, before.replace('- [ ] one', '- [x] one'), 0);
    closeSync(editor);
    await rig.writer.settleReplaced(0);
    expect(rig.count('- [x] one\n')).toBe(1);
    expect(rig.count('] one')).toBe(1);
    expect(rig.count('- [ ] two\n')).toBe(1);
  });
});
