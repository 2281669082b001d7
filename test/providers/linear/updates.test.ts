import { describe, expect, test } from 'vitest';
import { linearFactory } from '../../../src/providers/linear/linear.ts';
import type { RemoteChange, RemoteTask } from '../../../src/providers/provider.ts';
import { forEachTest } from '../../support/for-each-test.ts';
import { addTeam, addUser, byId, findIssue, stamp } from '../../support/linear-server/records.ts';
import { createLinearServer } from '../../support/linear-server/server.ts';
import { effectsWith, sourceOn } from './harness.ts';

const { signal } = new AbortController();
const effects = effectsWith({ LINEAR_API_KEY: 'lin_api_good' });
const server = forEachTest(() => createLinearServer());
const provider = forEachTest(() => linearFactory.open(sourceOn(server.url), effects));

const look = async (ref: string): Promise<RemoteTask> => (await provider.get([ref], signal)).get(ref)!;

async function update(ref: string, change: RemoteChange, expected?: RemoteTask): Promise<RemoteTask> {
  return await provider.write!.update(ref, change, expected ?? (await look(ref)), signal);
}

describe('the one assignee', () => {
  const zoe = forEachTest(() => addUser(server.state, 'Zoe'));

  test.each<[string, 'ann' | null, string[], string[], string[]]>([
    ['is set where nobody is', null, ['zoe'], [], ['zoe']],
    ['is named by address or full name too', null, ['Zoe@Example.com'], [], ['zoe']],
    ['is replaced when it is removed', 'ann', ['zoe'], ['ann'], ['zoe']],
    ['stays when another is only added', 'ann', ['zoe'], [], ['ann']],
    ['stays when it is added again', 'ann', ['zoe', 'ann'], [], ['ann']],
    ['is nobody when it is removed', 'ann', [], ['ann'], []],
    ['stays when somebody else is removed', 'ann', [], ['zoe'], ['ann']],
  ])('%s', async (_name, before, add, remove, after) => {
    const ref = server.person.addIssue({ assignee: before === null ? null : server.person.ann });
    expect((await update(ref, { assignees: { add, remove } })).assignees).toEqual(after);
  });

  test('that somebody else set meanwhile is a conflict', async () => {
    const ref = server.person.addIssue();
    const expected = await look(ref);
    server.person.editIssue(ref, { assignee: server.person.ann });
    const late = update(ref, { assignees: { add: ['zoe'], remove: [] } }, expected);
    await expect(late).rejects.toMatchObject({ code: 'conflict' });
    server.person.editIssue(ref, { assignee: zoe });
    expect((await update(ref, { assignees: { add: ['zoe'], remove: [] } }, expected)).assignees).toEqual([
      'zoe',
    ]);
  });
});

describe('labels', () => {
  function addLabel(name: string, teamId: string | null, isGroup = false): string {
    const label = { ...stamp(server.state), name, teamId, isGroup, parentId: null };
    server.state.labels.push(label);
    return label.id;
  }

  test("the team's own before the workspace's, never another team's, made when there is none", async () => {
    const { state } = server;
    const eng = state.teams[0]!;
    const ops = addTeam(state, 'OPS');
    const wide = addLabel('Wide', null);
    addLabel('Both', null);
    const own = addLabel('both', eng.id);
    addLabel('theirs', ops.id);
    const ref = server.person.addIssue();
    await update(ref, { labels: { add: ['wide', 'Both', 'theirs', 'brand new'], remove: [] } });
    const { labelIds } = findIssue(state, ref)!;
    expect(labelIds.slice(0, 2)).toEqual([wide, own]);
    expect(labelIds.slice(2).map((id) => byId(state.labels, id))).toMatchObject([
      { name: 'theirs', teamId: eng.id },
      { name: 'brand new', teamId: eng.id },
    ]);
  });

  test('a group is refused, in words', async () => {
    addLabel('Kind', server.state.teams[0]!.id, true);
    const ref = server.person.addIssue();
    const change = { labels: { add: ['kind'], remove: [] } };
    await expect(update(ref, change)).rejects.toMatchObject({
      code: 'refused',
      message: expect.stringMatching(/group/),
    });
  });
});

describe('states', () => {
  test('an urgent issue that stays high stays urgent; one in review that stays doing stays there', async () => {
    const ref = server.person.addIssue({ priority: 1, state: 'In Review' });
    await update(ref, { priority: 'high', status: 'doing', title: 'New' });
    expect(findIssue(server.state, ref)).toMatchObject({ priority: 1, title: 'New' });
    expect((await look(ref)).state).toBe('In Review');
  });

  test('named states are used, and a name that is wrong is said', async () => {
    const states = { doing: 'in review', done: 'Shipped' };
    const named = await linearFactory.open(sourceOn(server.url, { options: { states } }), effects);
    const ref = server.person.addIssue();
    const task = await named.write!.update(ref, { status: 'doing' }, await look(ref), signal);
    expect(task.state).toBe('In Review');
    const wrong = named.write!.update(ref, { status: 'done' }, task, signal);
    await expect(wrong).rejects.toMatchObject({
      code: 'bad_input',
      message: expect.stringMatching(/Shipped/),
    });
  });
});
