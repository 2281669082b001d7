// The real Taskwarrior with the settings, filters and data that people have: none of them bends what a mirror does.
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { RemoteChange } from '../../../src/providers/provider.ts';
import { taskwarriorFactory } from '../../../src/providers/taskwarrior/taskwarrior.ts';
import { listAll } from '../../conformance/provider-harness.ts';
import { add, newAttempt, one, open, signal, update } from './opened-provider.ts';
import { createPersonDatabase, hasTaskwarrior } from './person-database.ts';

describe.skipIf(!hasTaskwarrior)('Taskwarrior, the real program', { timeout: 20_000 }, () => {
  it('takes no default, alias, context or hook of the person, and renumbers nothing', async () => {
    const rc = [
      ...['default.project=Inbox', 'default.due=eom', 'default.priority=H', 'alias.export=delete'],
      ...['alias.import=delete', 'alias.next=delete', 'context.work.read=+work'],
      ...['context.work.write=+work', 'context=work', 'json.array=off', 'verbose=on', ''],
    ].join('\n');
    const { rig, provider } = await open(rc, { source: 'description.isnt:nothing' });
    const hooks = join(rig.data, 'hooks');
    mkdirSync(hooks);
    for (const name of ['on-launch', 'on-add', 'on-modify', 'on-exit'])
      writeFileSync(join(hooks, name), `#!/bin/sh\ntouch '${rig.dir}/hooked'\ncat\n`, { mode: 0o755 });
    const draft = {
      title: 'Bare',
      body: 'stays in the room',
      status: 'todo',
      labels: [],
      priority: null,
      due: null,
    } as const;
    const made = await provider.write!.create(draft, newAttempt(), signal);
    expect(made).toMatchObject({
      title: 'Bare',
      labels: [],
      priority: null,
      due: null,
      mine: true,
      admitted: true,
    });
    const changed = await provider.write!.update(made.ref, { title: 'Barer' }, made, signal);
    expect(changed).toMatchObject({ title: 'Barer', labels: [], priority: null, due: null });
    expect((await listAll(provider, null)).items).toEqual([changed]);
    await provider.write!.update(made.ref, { status: 'done' }, changed, signal);
    await listAll(provider, null);
    expect(existsSync(join(rig.dir, 'hooked'))).toBe(false);
    // Done and never collected: the person's numbers are as they were on the screen.
    expect(readFileSync(join(rig.data, 'pending.data'), 'utf8')).toContain('Barer');
  });

  it('a filter is a filter, whatever words it has', async () => {
    const { rig, provider } = await open('', { source: 'project:"My Home" or +b' });
    const [a, b] = [add(rig, 'A', 'project:My Home'), add(rig, 'B', '+b')];
    add(rig, 'C');
    const { items } = await listAll(provider, null);
    expect(items.map(({ ref }) => ref).sort()).toEqual([a, b].sort());
    const sources = [
      ...['delete', 'status:pending delete', '+b rc.hooks=on', 'import -', 'execute touch x'],
      ...['$(touch x)', '+b; touch x'],
    ];
    for (const source of sources) {
      const other = await taskwarriorFactory.open(rig.config({ source }), rig.effects);
      await listAll(other, null).catch((error: unknown) =>
        expect(error).toMatchObject({ code: 'bad_input' }),
      );
    }
    expect(rig.records('status:pending')).toHaveLength(3);
    const broken = await taskwarriorFactory.open(rig.config({ source: '( +b' }), rig.effects);
    await expect(listAll(broken, null)).rejects.toMatchObject({
      code: 'bad_input',
      message: expect.stringContaining('Mismatched parentheses'),
    });
    await expect(update(broken, b, { title: 'never' })).rejects.toMatchObject({ code: 'bad_input' });
  });

  it('text that is not UTF-8 is shown, and never written back', async () => {
    const { rig, provider } = await open();
    const [good, bad] = [add(rig, 'Good'), '6f0e1a52-0000-4000-8000-00000000000a'];
    const line = `[description:"half \xff" entry:"1795168800" modified:"1795168800" status:"pending" uuid:"${bad}"]\n`;
    appendFileSync(join(rig.data, 'pending.data'), Buffer.from(line, 'latin1'));
    expect((await one(provider, bad)).title).toBe('half \ufffd');
    await expect(update(provider, bad, { priority: 'low' })).rejects.toMatchObject({ code: 'refused' });
    await update(provider, good, { priority: 'low' });
    expect(readFileSync(join(rig.data, 'pending.data')).includes(Buffer.from('half \xff', 'latin1'))).toBe(
      true,
    );
  });

  it('what a task has no place for is said', async () => {
    const { rig, provider } = await open();
    const ref = add(rig, 'Plain');
    const changes: RemoteChange[] = [
      { body: 'words' },
      { assignees: { add: ['me'], remove: [] } },
      { parent: '6f0e1a52-0000-4000-8000-000000000001' },
      { title: ' \n ' },
      { due: 'someday' },
      { blockedBy: { add: [ref], remove: [] } },
      { blockedBy: { add: ['ENG-42'], remove: [] } },
      { title: 'x'.repeat(1001) },
    ];
    for (const change of changes) {
      await expect(update(provider, ref, change), JSON.stringify(change).slice(0, 40)).rejects.toMatchObject({
        code: 'bad_input',
      });
    }
    const [record] = rig.records(ref);
    expect(record).toMatchObject({ description: 'Plain' });
    rig.put([{ ...record, description: 'one\ntwo' }]);
    await update(provider, ref, { title: 'one two', priority: 'low' });
    expect((await one(provider, ref)).title).toBe('one\ntwo');
  });

  it('a body attribute of another type is missing, with what to set', async () => {
    const { rig } = await open('uda.effort.type=numeric\nuda.notes.type=string\n');
    const missing = (body: string) =>
      taskwarriorFactory.missing(rig.config({ options: { body } }), rig.effects);
    expect(await missing('effort')).toMatchObject([
      { set: expect.stringContaining('uda.effort.type=string') },
    ]);
    expect(await missing('notes')).toEqual([]);
    expect(await missing('undefined_one')).toEqual([]);
  });

  it('configuration and data of the options win over those of the environment', async () => {
    const { rig } = await open();
    const other = createPersonDatabase();
    const ref = add(other, 'Elsewhere');
    const options = { taskrc: other.rc, taskdata: other.data };
    const provider = await taskwarriorFactory.open(rig.config({ options }), rig.effects);
    expect((await listAll(provider, null)).items.map((each) => each.ref)).toEqual([ref]);
  });
});
