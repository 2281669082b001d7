// Steps that edits of ours added, and a save from before them.
import { closeSync, openSync, writeSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { setKey } from '../../../src/core/document/document.ts';
import { editBody } from '../../../src/core/task/body/body-edit.ts';
import { appendStep } from '../../../src/core/task/body/step-edits.ts';
import type { Change } from '../../../src/store/write/writer.ts';
import { rig } from './each-room.ts';
import { by, PATH, TEXT } from './writer-room.ts';

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
