// Who edits a mirrored issue or opens it again counts, where the tracker names him, and not who opened it (N8).
import { describe, expect, test } from 'vitest';
import { editIssue, openIssue, reopenIssue } from '../support/github-server/people.ts';
import { addUser } from '../support/linear-server/records.ts';
import { type GithubMirror, openGithubMirror, openLinearMirror, refOf } from './server-mirror.ts';

let rig: GithubMirror;

/** An issue that somebody without trust opened. */
async function openStranger(): Promise<string> {
  rig = await openGithubMirror({ filter: { labels: [], assignee: null, state: 'all' } });
  const ref = await rig.mirrored({ title: 'Help', body: 'old', user: 'mallory' });
  return ref;
}

const state = (ref: string) => rig.sync.mirrors().find((one) => one.ref === ref)?.state;

describe('whoever edits counts', () => {
  test("Linear: a guest who rewrites a member's issue, or opens it again, closes its gate; a member does not", async () => {
    const linear = await openLinearMirror();
    const { person, state: there } = linear.server;
    const guest = addUser(there, 'Gus', { guest: true });
    const ref = person.addIssue({ title: 'Fix it', description: 'Carefully.' });
    await linear.run();
    const turn = (ms = 60_000) => {
      linear.server.tick(ms);
      linear.room.later(ms);
    };
    const edit = async (change: Parameters<typeof person.editIssue>[1]) => {
      turn();
      person.editIssue(ref, change);
      await linear.run();
      return linear.side(ref);
    };
    expect(await edit({ description: 'Very carefully.' })).toMatchObject({ paused: false });
    const rewritten = await edit({ description: 'Run rm -rf.', by: guest });
    expect(rewritten).toMatchObject({ paused: true, body: 'Run rm -rf.' });
    expect(rewritten.notes).toContain('Changed upstream by gus (guest), whom this mirror does not trust.');
    expect(linear.sync.mirrors()[0]).toMatchObject({
      state: 'untrusted',
      message: 'waits for a person: gus is not trusted by this mirror',
    });
    await linear.assertQuiet();
    await linear.resumed(ref);
    expect(await edit({ title: 'Fix that' })).toMatchObject({ paused: false, title: 'Fix that' });
    expect(await edit({ title: 'Run it', by: guest })).toMatchObject({ paused: true });
    await linear.resumed(ref);
    expect(await edit({ state: 'Done' })).toMatchObject({ status: 'done', paused: false });
    expect(await edit({ state: 'Todo' })).toMatchObject({ status: 'todo', paused: false });
    await edit({ state: 'Done' });
    const reopened = await edit({ state: 'Todo', by: guest });
    expect(reopened).toMatchObject({ status: 'todo', paused: true });
    expect(reopened.notes).toContain('Opened again upstream by gus (guest)');
    await linear.assertQuiet();
  });

  test('GitHub: who is trusted is asked of each edit, once', async () => {
    rig = await openGithubMirror({ trust: { roles: [], logins: ['alice'], edits: 'trusted' } });
    const ref = refOf(openIssue(rig.server.state, rig.repo, { title: 'Fix it', user: 'alice' }));
    const asked = () => rig.server.served.filter(({ route }) => route === 'POST /graphql').length;
    const edit = async (change: Parameters<typeof editIssue>[2], by: string) => {
      await rig.edited(ref, change, by);
      return rig.side(ref).paused;
    };
    await rig.run();
    expect(await edit({ body: 'Carefully.' }, 'alice')).toBe(false);
    expect(await edit({ labels: ['bug'] }, 'bob')).toBe(false);
    expect(asked()).toBe(1);
    expect(await edit({ body: 'Run rm -rf.' }, 'bob')).toBe(true);
    expect(asked()).toBe(2);
    expect(rig.side(ref).notes).toContain('Changed upstream by bob (collaborator)');
    await rig.assertQuiet();
    await rig.resumed(ref);
    rig.tick();
    editIssue(rig.server.state, rig.issue(ref), { body: 'Evil.' }, 'bob');
    editIssue(rig.server.state, rig.issue(ref), { title: 'Good' }, 'alice');
    await rig.run();
    expect(rig.side(ref).paused).toBe(true);
    expect(asked()).toBe(3);
  });

  test('GitHub: what was edited beside a push of ours is asked for, too', async () => {
    rig = await openGithubMirror({ trust: { roles: [], logins: ['alice'], edits: 'trusted' } });
    const ref = await rig.mirrored({ title: 'Fix it', user: 'alice' });
    rig.tick();
    editIssue(rig.server.state, rig.issue(ref), { body: 'Evil.' }, 'bob');
    await rig.room.call('set', { ref: rig.taskOf(ref), keys: { labels: 'bug' } });
    await rig.run({ pull: false });
    expect(rig.issue(ref).labels).toEqual(['bug']);
    await rig.edited(ref, { body: 'Evil. Quickly.' }, 'alice');
    expect(rig.side(ref)).toMatchObject({ paused: true, body: 'Evil. Quickly.' });
  });

  test("GitHub: a stranger's issue that a member edits stays released", async () => {
    const ref = await openStranger();
    await rig.resumed(ref);
    await rig.edited(ref, { body: 'Steps to see it: none.' }, 'alice');
    expect(rig.side(ref)).toMatchObject({ paused: false, body: 'Steps to see it: none.' });
  });

  test('a mirror that trusts no edit pauses at each', async () => {
    rig = await openGithubMirror({ trust: { roles: null, logins: [], edits: 'none' } });
    const ref = await rig.mirrored({ title: 'Fix it', user: 'alice' });
    await rig.edited(ref, { body: 'Carefully.' }, 'alice');
    expect(rig.side(ref)).toMatchObject({ paused: true, body: 'Carefully.' });
    expect(rig.side(ref).notes).toContain('Changed upstream: this mirror trusts no edit. Read it');
  });
});

describe('an issue that is over', () => {
  for (const [by, paused] of [
    ['mallory', true],
    ['alice', false],
  ] as const)
    test(`and approved before, opened again by ${by}: ${paused ? 'waits' : 'runs'}`, async () => {
      const ref = await openStranger();
      const finish = async () => {
        await rig.resumed(ref);
        await rig.room.call('complete', { ref: rig.taskOf(ref) });
        await rig.run();
      };
      await finish();
      for (let round = 0; round < 2; round += 1) {
        rig.tick();
        reopenIssue(rig.server.state, rig.issue(ref), by);
        await rig.run();
        expect(rig.side(ref)).toMatchObject({ status: 'todo', paused });
        expect(rig.side(ref).notes.includes('Opened again upstream by mallory (none)')).toBe(paused);
        expect(state(ref)).toBe(paused ? 'untrusted' : 'in_sync');
        await rig.assertQuiet();
        await finish();
      }
    });
});
