// A question over Linear and over Taskwarrior: it goes up as a comment, the reply of somebody trusted wakes its task with the
// answer first in what its agent is given, and what was done closes the issue.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createPersonDatabase, hasTaskwarrior } from '../providers/taskwarrior/person-database.ts';
import { addUser, findIssue, identifierOf } from '../support/linear-server/records.ts';
import { createLinearServer } from '../support/linear-server/server.ts';
import { addAsker, callsIn, SESSION, saveMirror } from './asker.ts';
import { createRoom, type E2eRoom, until } from './room.ts';

const QUESTION = 'Which of the two tables?';

let room: E2eRoom;
beforeEach(async () => {
  room = await createRoom();
  addAsker(room);
});
afterEach(() => room.close());

const nameOf = async (title: string): Promise<string> =>
  (await room.json('list')).tasks.find(({ title: one }: { title: string }) => one === title).name;

/** The answer is the first thing of the prompt's tasks, as somebody trusted's, once. */
function expectAnswerFirst(words: string): void {
  const prompt = room.read('prompt.md');
  const answers = prompt.indexOf('\n## Answers');
  expect(answers).toBeGreaterThan(0);
  expect(prompt.indexOf(words)).toBeGreaterThan(answers);
  expect(prompt.indexOf('\n## The task')).toBeGreaterThan(prompt.indexOf(words));
  expect(prompt.slice(answers)).toMatch(/· answer ·[^\n]*a member this mirror trusts/);
}

test('Linear: asked as a comment, a guest is only shown, a member answers', async () => {
  const server = await createLinearServer();
  try {
    const { state, person } = server;
    const issue = findIssue(state, person.addIssue({ title: 'Drop a table', description: 'Please.' }))!;
    const id = identifierOf(state, issue);
    saveMirror(room, 'provider: linear', 'source: ENG', `url: ${server.url}`);
    Object.assign(room.daemonEnv, { LINEAR_API_KEY: 'lin_api_good' });
    const bodies = () => state.comments.filter(({ issueId }) => issueId === issue.id).map(({ body }) => body);
    const daemon = await room.up();
    await daemon.see('question.asked', { text: QUESTION });
    const name = await nameOf('Drop a table');
    await until('it stands upstream', () => bodies().some((body) => body.includes(QUESTION)));
    expect(bodies().filter((body) => body.includes(QUESTION))).toHaveLength(1);
    expect((await room.json('inbox')).inbox).toMatchObject([{ kind: 'question', name }]);

    server.tick(5_000);
    person.addComment(id, 'Drop them all!', { by: addUser(state, 'Mallory', { guest: true }) });
    await until('it is in the file', () => room.read(`tasks/${name}.md`).includes('> Drop them all!'));
    expect((await room.json('show', name)).waiting).toBe(true);
    expect(daemon.all('turn.started', { name })).toHaveLength(1);

    const from = daemon.mark();
    server.tick(5_000);
    const asked = state.comments.find(({ body }) => body.includes(QUESTION))!;
    person.addComment(id, 'The second one, please.', { parent: asked.id });
    const { index } = await daemon.see('turn.started', { name, reasons: ['answered'] }, from);
    await daemon.see('turn.ended', { name, state: 'completed' }, index);
    expectAnswerFirst('The second one, please.');
    expect(callsIn(room)[1]).toContain(`--resume ${SESSION}`);
    const stateOf = () => state.states.find(({ id: one }) => one === issue.stateId)!.type;
    await until('it is closed upstream', () => stateOf() === 'completed');
    expect(daemon.all('turn.started', { name })).toHaveLength(2);
    expect(bodies().filter((body) => body.includes(QUESTION))).toHaveLength(1);
    expect((await room.json('inbox')).inbox).toEqual([]);
  } finally {
    await room.close();
    await server.close();
  }
});

describe.skipIf(!hasTaskwarrior)('Taskwarrior', () => {
  test('asked as an annotation, and answered by one', async () => {
    const database = createPersonDatabase('uda.notes.type=string\n');
    try {
      const uuid = '00000000-0000-4000-8000-000000000001';
      const entry = '20261120T100000Z';
      database.put([{ uuid, status: 'pending', entry, description: 'Drop a table', notes: 'Please.' }]);
      const options = `options: { taskrc: ${database.rc}, taskdata: ${database.data}, body: notes }`;
      saveMirror(room, 'provider: taskwarrior', "source: 'status.any:'", 'filter: { state: all }', options);
      const notes = () =>
        ((database.records(uuid)[0]!.annotations ?? []) as { description: string }[]).map(
          ({ description }) => description,
        );
      const daemon = await room.up();
      await daemon.see('question.asked', { text: QUESTION });
      const name = await nameOf('Drop a table');
      await until('it stands there', () => notes().some((note) => note.includes(QUESTION)));
      expect(notes().filter((note) => note.includes(QUESTION))).toHaveLength(1);
      // Taskwarrior takes whole tasks only: what a person writes within the milliseconds of a write of ours is lost to it.
      const { index: pushed } = await daemon.see('mirror.pushed', { name });
      await daemon.see('sync.finished', {}, pushed);

      const from = daemon.mark();
      database.task(uuid, 'annotate', 'The second one, please.');
      const { index } = await daemon.see('turn.started', { name, reasons: ['answered'] }, from);
      await daemon.see('turn.ended', { name, state: 'completed' }, index);
      expectAnswerFirst('The second one, please.');
      await until('it is done there', () => database.records(uuid)[0]!.status === 'completed');
      expect(daemon.all('turn.started', { name })).toHaveLength(2);
      expect(notes().filter((note) => note.includes(QUESTION))).toHaveLength(1);
    } finally {
      await room.close();
      database.close();
    }
  });
});
