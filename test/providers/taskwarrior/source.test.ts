// Words of a Taskwarrior source, what can be missing on a machine, and an export of Taskwarrior 3.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createNodeEffects } from '../../../src/node.ts';
import type { SourceConfig } from '../../../src/providers/provider.ts';
import { taskwarriorFactory } from '../../../src/providers/taskwarrior/taskwarrior.ts';
import { listAll } from '../../conformance/provider-harness.ts';
import { tempFolder } from '../../support/temp-folder.ts';

const UUID = '6f0e1a52-0000-4000-8000-000000000001';

const CONFIG: SourceConfig = {
  source: 'project:Home',
  filter: { labels: [], assignee: null, state: 'open' },
  url: null,
  fields: null,
  options: {},
};

describe('words of a source', () => {
  it.each<[string, Partial<SourceConfig>, RegExp]>([
    ['an empty filter', { source: ' ' }, /no Taskwarrior filter/],
    ['two lines', { source: 'a\nb' }, /no Taskwarrior filter/],
    ['an assignee', { filter: { labels: [], assignee: 'me', state: 'open' } }, /no assignee/],
    ['a url', { url: 'https://example.org' }, /no url/],
    ['an unknown option', { options: { taskrx: '/x' } }, /unknown key "taskrx"/],
    ['a relative path', { options: { taskrc: 'x/y' } }, /no path/],
    ['a number as a path', { options: { taskdata: 3 } }, /no path/],
    ['a body in an attribute that means something else', { options: { body: 'due' } }, /can't hold a body/],
    ['a body in our own attribute', { options: { body: 'taskroom' } }, /can't hold a body/],
    ['a body with a dot', { options: { body: 'a.b' } }, /can't hold a body/],
  ])('%s', (_what, change, message) => {
    expect(taskwarriorFactory.check({ ...CONFIG, ...change })).toMatchObject([
      { message: expect.stringMatching(message) },
    ]);
  });

  it('good ones pass', () => {
    const options = { taskrc: '~/.taskrc-work', taskdata: '/srv/tasks', body: 'notes' };
    expect(taskwarriorFactory.check({ ...CONFIG, options })).toEqual([]);
  });

  it('refs have a short form, and come from what people copy', () => {
    expect(taskwarriorFactory.shortRef(UUID)).toBe('6f0e1a52');
    for (const text of [UUID, ` ${UUID.toUpperCase()}`, `taskwarrior:${UUID}`, `task:taskwarrior:${UUID}`])
      expect(taskwarriorFactory.refOfUrl(text, CONFIG)).toBe(UUID);
  });
});

/** A `task` that says it is this version and exports these bytes. */
function fakeProgram(version: string, output = '[]'): { PATH: string; HOME: string; TASKRC: string } {
  const dir = tempFolder('taskroom-taskwarrior');
  writeFileSync(join(dir, 'export.json'), output);
  writeFileSync(join(dir, 'taskrc'), '');
  const script = `#!/bin/sh\ncase "$*" in --version) echo ${version};; *' import -') cat >/dev/null;; *) cat '${dir}/export.json';; esac\n`;
  writeFileSync(join(dir, 'task'), script, { mode: 0o755 });
  return { PATH: `${dir}:/usr/bin:/bin`, HOME: dir, TASKRC: join(dir, 'taskrc') };
}

describe.skipIf(process.platform === 'win32')('what is missing', () => {
  const missing = (env: Record<string, string>, options = {}) =>
    taskwarriorFactory.missing({ ...CONFIG, options }, createNodeEffects(env));

  it('the program: its package is named, and opening says the same', async () => {
    const env = { PATH: tempFolder('taskroom-taskwarrior'), HOME: tempFolder('taskroom-taskwarrior') };
    expect(await missing(env)).toMatchObject([
      {
        what: expect.stringContaining('not on the PATH'),
        set: expect.stringContaining('apt install taskwarrior'),
      },
    ]);
    const opening = taskwarriorFactory.open(CONFIG, createNodeEffects(env));
    await expect(opening).rejects.toMatchObject({
      code: 'unavailable',
      hint: expect.stringContaining('taskwarrior'),
    });
  });

  it('a new enough version', async () => {
    expect(await missing(fakeProgram('2.5.3'))).toMatchObject([
      { what: expect.stringContaining('found 2.5.3') },
    ]);
    for (const version of ['2.6.0', '2.10.1', '3.0.0', '3.4.1'])
      expect(await missing(fakeProgram(version))).toEqual([]);
    expect(await missing(fakeProgram('nonsense'))).toHaveLength(1);
  });

  it('configuration and data, before the program would make empty ones', async () => {
    const { PATH } = fakeProgram('2.6.2');
    const HOME = tempFolder('taskroom-taskwarrior');
    expect(await missing({ PATH, HOME })).toMatchObject([{ set: expect.stringContaining('TASKRC') }]);
    expect(await missing({ PATH, HOME, TASKRC: join(HOME, 'nope') })).toHaveLength(1);
    mkdirSync(join(HOME, '.config', 'task'), { recursive: true });
    writeFileSync(join(HOME, '.config', 'task', 'taskrc'), '');
    expect(await missing({ PATH, HOME })).toEqual([]);
    expect(await missing({ PATH, HOME, TASKDATA: join(HOME, 'nope') })).toMatchObject([
      { set: expect.stringContaining('TASKDATA') },
    ]);
    expect(await missing({ PATH, HOME }, { taskrc: '~/other' })).toMatchObject([
      { what: expect.stringContaining(join(HOME, 'other')) },
    ]);
  });
});

// As Taskwarrior 3 is documented to print it: no `waiting` status, always an array of depends, records other programs made without
// `modified`, `entry` or `description`.
const EXPORT_3 = `[
{"id":0,"description":"Done one","end":"20251102T101112Z","entry":"20251101T101112Z","modified":"20251102T101112Z","status":"completed","uuid":"11111111-1111-4111-8111-111111111111","urgency":0},
{"id":1,"description":"Open one","due":"20990101T000000Z","entry":"20251101T101112Z","modified":"20251103T101112Z","priority":"M","project":"Home","status":"pending","uuid":"22222222-2222-4222-8222-222222222222","annotations":[{"entry":"20251101T101113Z","description":"a note"}],"depends":["11111111-1111-4111-8111-111111111111"],"tags":["agent","next"],"urgency":10.9},
{"id":2,"description":"Later","entry":"20251101T101112Z","modified":"20251101T101112Z","status":"pending","uuid":"33333333-3333-4333-8333-333333333333","wait":"99991230T000000Z","urgency":-2.9},
{"id":3,"status":"pending","uuid":"44444444-4444-4444-8444-444444444444","urgency":0},
{"id":4,"description":"Weekly","due":"20251107T000000Z","entry":"20251101T101112Z","mask":"-","modified":"20251101T101112Z","recur":"weekly","rtype":"periodic","status":"recurring","uuid":"55555555-5555-4555-8555-555555555555","urgency":1}
]
`;

describe.skipIf(process.platform === 'win32')('an export of Taskwarrior 3', () => {
  it('is read', async () => {
    const config = { ...CONFIG, filter: { ...CONFIG.filter, state: 'all' as const } };
    const effects = createNodeEffects({ ...fakeProgram('3.4.1', EXPORT_3), TZ: 'UTC' });
    const provider = await taskwarriorFactory.open(config, effects);
    const { items } = await listAll(provider, null);
    const found = Object.fromEntries(items.map((item) => [item.ref[0], item]));
    expect(Object.keys(found)).toEqual(['1', '2', '3', '4']);
    expect(found['2']).toMatchObject({
      title: 'Open one',
      state: 'pending',
      priority: 'medium',
      due: '2099-01-01',
      labels: ['project:Home', 'agent', 'next'],
      blockedBy: [{ ref: '11111111-1111-4111-8111-111111111111', finished: true }],
      comments: { complete: true, items: [{ body: 'a note', mine: false, author: 'taskwarrior' }] },
    });
    expect(found['3']).toMatchObject({ state: 'waiting', status: 'draft' });
    expect(found['4']).toMatchObject({ title: '', createdAt: 0, state: 'pending' });
  });
});
