// A mirrored file restored from an older version: it does not undo what came from upstream since.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { closeIssue, editIssue, openIssue } from '../support/github-server/people.ts';
import { PERSON } from '../tasks/test-room.ts';
import { type GithubMirror, openGithubMirror, refOf } from './server-mirror.ts';

let rig: GithubMirror;

/** Mirrored, then changed in every way upstream and pulled. @returns the file as it was before that */
async function openChanged(): Promise<{ ref: string; old: string; restore(): void }> {
  rig = await openGithubMirror();
  const issue = openIssue(rig.server.state, rig.repo, {
    title: 'Old title',
    body: 'Old body',
    labels: ['bug'],
  });
  const ref = refOf(issue);
  await rig.run();
  const old = rig.read(ref);
  rig.tick();
  editIssue(rig.server.state, issue, { title: 'New title', body: 'New body', labels: ['feature'] });
  closeIssue(rig.server.state, issue);
  await rig.run();
  rig.tick();
  const restore = () => writeFileSync(join(rig.room.dir, rig.pathOf(ref)), old);
  return { ref, old, restore };
}

const upstream = (ref: string) => {
  const { title, body, labels, state } = rig.issue(ref);
  return { title, body, labels, state };
};
const NEW = { title: 'New title', body: 'New body', labels: ['feature'], state: 'closed' };

for (const pull of [true, false])
  test(`M11: what was pulled since stands, and the restored words are in the attic (pull: ${pull})`, async () => {
    const { ref, restore } = await openChanged();
    restore();
    expect(await rig.run({ pull })).toMatchObject({ error: null, pushed: 0 });
    expect(upstream(ref)).toEqual(NEW);
    expect(rig.side(ref)).toMatchObject({
      title: 'New title',
      body: 'New body',
      labels: ['feature'],
      status: 'done',
    });
    const { notes } = rig.side(ref);
    expect(notes).toContain('An earlier version of this file was restored: the body from upstream stands');
    const kept = [...notes.matchAll(/kept in `([^`]+)`/g)].map(([, path]) =>
      readFileSync(join(rig.room.dir, path!), 'utf8'),
    );
    expect(kept.join('\n')).toContain('Old title');
    expect(kept.join('\n')).toContain('Old body');
    await rig.run();
    await rig.assertQuiet();
  });

test('M11: --force pushes all of it', async () => {
  const { ref, restore } = await openChanged();
  restore();
  await rig.run({ force: true });
  expect(upstream(ref)).toEqual({ title: 'Old title', body: 'Old body', labels: ['bug'], state: 'open' });
});

test('M11: a value that went up from here and is changed back is an edit, and goes up', async () => {
  rig = await openGithubMirror();
  const ref = refOf(openIssue(rig.server.state, rig.repo, { title: 'Old title' }));
  await rig.run();
  const old = rig.read(ref);
  await rig.room.tasks.set(rig.taskOf(ref), { title: 'New title' }, PERSON);
  await rig.run();
  expect(rig.issue(ref).title).toBe('New title');
  writeFileSync(join(rig.room.dir, rig.pathOf(ref)), old);
  await rig.run();
  expect(rig.issue(ref).title).toBe('Old title');
  expect(rig.side(ref).notes).toBe('');
});
