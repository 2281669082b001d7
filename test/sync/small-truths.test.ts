// Small troubles of mirrors: each says what is the case, and goes on once it is mended.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createNodeEffects } from '../../src/node.ts';
import { linearFactory } from '../../src/providers/linear/linear.ts';
import { editIssue } from '../support/github-server/people.ts';
import { createLinearServer } from '../support/linear-server/server.ts';
import { openMemoryMirror } from './memory-mirror.ts';
import { openGithubMirror } from './server-mirror.ts';

for (const [what, text] of [
  ['emptied', ''],
  ['filled with NUL', '\0'.repeat(400)],
])
  test(`M12: a mirrored file that was ${what} is not in sync, nothing goes up, and it recovers`, async () => {
    const rig = await openGithubMirror();
    const ref = await rig.mirrored({ title: 'One', body: 'words' });
    const [path, before] = [rig.pathOf(ref), rig.read(ref)];
    writeFileSync(join(rig.room.dir, path), text!);
    rig.tick();
    await rig.run();
    const view = () => rig.sync.mirrors().find((one) => one.ref === ref)!;
    expect(view().state).not.toBe('in_sync');
    expect(rig.issue(ref)).toMatchObject({ state: 'open', body: 'words', title: 'One' });
    writeFileSync(join(rig.room.dir, path), before);
    expect(await rig.run({ byPerson: true })).toMatchObject({ error: null });
    expect(view()).toMatchObject({ state: 'in_sync', path });
  });

test('M12: a file that was mended right before a sync that a person asks for is taken at once', async () => {
  const rig = await openGithubMirror();
  const ref = await rig.mirrored({ title: 'One' });
  const [path, before] = [join(rig.room.dir, rig.pathOf(ref)), rig.read(ref)];
  writeFileSync(path, before.replace('status: todo', 'status: [broken'));
  await rig.run();
  writeFileSync(path, before.replace('status: todo', 'status: done'));
  expect(await rig.run({ byPerson: true })).toMatchObject({ pushed: 1 });
  expect(rig.issue(ref).state).toBe('closed');
});

test('M12: a comment that failed for want of a token goes up when a person syncs with a new one', async () => {
  const rig = await openGithubMirror();
  const ref = await rig.mirrored({ title: 'One' });
  const token = rig.server.state.tokens.get('good-token')!;
  await rig.room.call('comment', { ref: rig.taskOf(ref), text: 'Which version?' });
  rig.server.state.tokens.delete('good-token');
  expect((await rig.run({ pull: false })).error).toMatchObject({ code: 'unauthorized' });
  rig.server.state.tokens.set('good-token', token);
  expect(await rig.run({ byPerson: true })).toMatchObject({ error: null, commentsOut: 1, waiting: 0 });
  expect(rig.issue(ref).comments).toHaveLength(1);
});

test('M12: a label with blanks around it is the same label', async () => {
  const rig = openMemoryMirror({ mirror: { push: ['labels'] } });
  const ref = await rig.mirrored({ title: 'One', labels: [' bug '] });
  rig.edit(ref, /labels:.*/, 'labels: ["bug ", feature]');
  await rig.run();
  expect(await rig.run({ full: true })).toMatchObject({ pushed: 0, updated: 0, error: null, skipped: [] });
  expect(
    rig.tracker
      .find(ref)!
      .labels.map((label) => label.trim())
      .sort(),
  ).toEqual(['bug', 'feature']);
});

test('M12: where a query is too complex Linear is asked for smaller pages', async () => {
  const server = await createLinearServer();
  onTestFinished(() => server.close());
  const refs = Array.from({ length: 30 }, (_, at) => server.person.addIssue({ title: `Issue ${at}` }));
  const real = globalThis.fetch;
  const dear: typeof fetch = async (input, init) => {
    const { query, variables } = JSON.parse(String(init?.body)) as {
      query: string;
      variables?: { page?: number };
    };
    if (/query Issues/.test(query) && (variables?.page ?? 0) > 8) {
      const extensions = {
        code: 'INPUT_ERROR',
        type: 'invalid input',
        userPresentableMessage: 'Query complexity is 12000.',
      };
      return Response.json({ errors: [{ message: 'Query too complex', extensions }] }, { status: 400 });
    }
    return real(input, init);
  };
  const filter = { labels: [], assignee: null, state: 'all' } as const;
  const source = { source: 'ENG', filter, url: server.url, fields: null, options: {} };
  globalThis.fetch = dear;
  onTestFinished(() => {
    globalThis.fetch = real;
  });

  const effects = { ...createNodeEffects(), env: { LINEAR_API_KEY: 'lin_api_good' }, fetch: dear };
  const provider = await linearFactory.open(source, effects);
  const seen: string[] = [];
  for await (const { items } of provider.list(null, new AbortController().signal))
    seen.push(...items.map(({ ref }) => ref));
  expect([...new Set(seen)].sort()).toEqual([...refs].sort());
});

test('M12: a redirect to a page of another kind is a trouble that passes, not an issue that is gone', async () => {
  const rig = await openGithubMirror();
  const ref = await rig.mirrored({ title: 'One' });
  await rig.room.call('comment', { ref: rig.taskOf(ref), text: 'Which version?' });
  const real = globalThis.fetch;
  globalThis.fetch = async (input, init) =>
    init?.method === 'POST'
      ? new Response('', { status: 302, headers: { location: '/login' } })
      : real(input, init);
  try {
    expect(await rig.run()).toMatchObject({ detached: 0, commentsOut: 0 });
  } finally {
    globalThis.fetch = real;
  }
  rig.room.later(20_000);
  expect(await rig.run({ byPerson: true })).toMatchObject({ error: null, commentsOut: 1 });
  expect(rig.issue(ref).comments).toHaveLength(1);
});

test('the type of an issue on GitHub stands in its file, changes and goes with it, and is never sent', async () => {
  const rig = await openGithubMirror();
  const ref = await rig.mirrored({ title: 'One', type: 'Bug' });
  const issue = rig.issue(ref);
  expect(rig.read(ref)).toMatch(/^type: Bug$/m);
  rig.tick();
  editIssue(rig.server.state, issue, { type: 'Feature: [x]\n---' });
  await rig.run();
  // Words that would end the front matter are a text of one line there.
  expect(rig.sync.mirrors()).toMatchObject([{ ref, state: 'in_sync' }]);
  expect(rig.read(ref)).toMatch(/^type: ".*Feature.*"$/m);
  rig.tick();
  editIssue(rig.server.state, issue, { type: null });
  await rig.run();
  expect(rig.read(ref)).not.toMatch(/^type:/m);
});
