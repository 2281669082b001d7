// A reference that names another issue than the one that was mirrored: nothing is written to it.
import { expect, test } from 'vitest';
import { openIssue } from '../support/github-server/people.ts';
import { addRepo } from '../support/github-server/state.ts';
import { openGithubMirror, refOf } from './server-mirror.ts';

for (const pull of [true, false])
  test(`M3: a repository made anew under the same name gets no word meant for the old one${pull ? '' : ', nor by a push alone'}`, async () => {
    const rig = await openGithubMirror();
    const { state } = rig.server;
    const ref = refOf(openIssue(state, rig.repo, { title: 'Old' }));
    await rig.run();
    const task = rig.taskOf(ref);
    state.repos.delete('acme/web');
    const fresh = openIssue(state, addRepo(state, 'acme/web'), { title: 'New', user: 'me' });
    expect(refOf(fresh)).toBe(ref);
    rig.tick();
    await rig.room.call('comment', { ref: task, text: 'About the old one' });
    await rig.room.call('complete', { ref: task, outcome: 'Solved' });
    expect(await rig.run({ pull })).toMatchObject({ error: null, pushed: 0, commentsOut: 0, detached: 1 });
    expect(fresh).toMatchObject({ state: 'open', comments: [], title: 'New' });
    const view = rig.sync.mirrors().find((one) => one.task === task)!;
    expect(view).toMatchObject({ state: 'detached', message: expect.stringContaining('another issue') });
    expect(await rig.run({ full: true })).toMatchObject({ error: null, pushed: 0, commentsOut: 0 });
    expect(fresh.comments).toEqual([]);
  });
