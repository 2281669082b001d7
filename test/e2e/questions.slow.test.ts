// A question all the way: an agent asks and ends its turn, somebody answers in the file, by a command or in the tracker, and
// the same session goes on with the answer.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openIssue, sayComment } from '../support/github-server/people.ts';
import { type GithubServer, startGithubServer } from '../support/github-server/server.ts';
import { addRepo } from '../support/github-server/state.ts';
import { addAsker, callsIn, SESSION, saveMirror } from './asker.ts';
import type { Daemon } from './daemon.ts';
import { room } from './each-room.ts';
import { SETTINGS, until } from './room.ts';

beforeEach(() => {
  addAsker(room);
});

const calls = () => callsIn(room);

/** The task has asked, and its turn is over. */
async function asked(daemon: Daemon, name: string): Promise<{ id: string; from: number }> {
  const { id } = await daemon.see('question.asked', { name, text: 'Which of the two tables?' });
  const { index } = await daemon.see('turn.ended', { name, state: 'completed', reason: 'ok' });
  await daemon.see('room.idle', {}, index);
  return { id: String(id), from: daemon.mark() };
}

describe('a local task', () => {
  const name = 'Drop a table';
  const path = `tasks/${name}.md`;

  async function askedLocally() {
    room.save(path, `---\nid: drop1234\nowner: claude\n---\nDrop it.\n`);
    const daemon = await room.up();
    return { daemon, ...(await asked(daemon, name)) };
  }

  test('waits while it is not answered, and goes on in the same session with the answer', async () => {
    const { daemon, from } = await askedLocally();
    expect(room.read('refused.log')).toMatch(/answer/);
    const shown = await room.json('show', name);
    expect(shown).toMatchObject({
      ...{ status: 'doing', waiting: true, paused: false, running: null, pending: false },
      questions: [{ author: 'agent:claude', text: 'Which of the two tables?', answers: [] }],
      why_not: { reason: 'waiting' },
      turns: [{ state: 'completed', reason: 'ok' }],
    });
    expect(await room.ok('list')).toContain('waits for your answer');
    // Words elsewhere are read with the answer.
    room.edit(path, (text) => text.replace('Drop it.', 'Drop it today.'));
    await room.quiet(daemon);
    expect(daemon.all('turn.requested', { name }, from)).toEqual([]);
    expect(await room.ok('answer', name, 'The second.\n\n```')).toContain('goes on');
    await daemon.see('turn.started', { name, reasons: ['answered', 'edited'] }, from);
    await daemon.see('turn.ended', { name, state: 'completed' }, from);
    expect(room.read(path)).toMatch(/status: done/);
    expect(room.read(path)).toMatch(/## Outcome\n.*trusted: the person of this room.*The second\./s);
    expect(calls()).toHaveLength(2);
    expect(calls()[1]).toContain(`--resume ${SESSION}`);
    expect((await room.json('show', name)).waiting).toBe(false);
  });

  test('takes what is typed below the question, once it is at rest', async () => {
    room.settings(...SETTINGS.filter((line) => !line.startsWith('settle')), 'settle: 1s');
    const { daemon, from } = await askedLocally();
    const type = (words: string) =>
      room.edit(path, (text) => text.replace(/(> Which of the two tables\?\n)[^#]*/, `$1\n${words}\n\n`));
    type('The f');
    await daemon.see('question.answered', { name }, from);
    type('The first.');
    await daemon.see('turn.ended', { name, state: 'completed' }, from);
    expect(daemon.all('turn.started', { name }, from)).toMatchObject([{ reasons: ['answered'] }]);
    expect(room.read(path)).toMatch(/## Outcome\n.*The first\./s);
  });

  test('finds the answer that came while the daemon was down', async () => {
    const { daemon } = await askedLocally();
    daemon.signal('SIGTERM');
    await daemon.ended;
    room.edit(path, (text) => text.replace('tables?\n', 'tables?\n\nThe third.\n'));
    const again = await room.up();
    await again.see('turn.started', { name, reasons: ['answered'] });
    await again.see('turn.ended', { name, state: 'completed' });
    expect(room.read(path)).toMatch(/## Outcome\n.*The third\./s);
  });
});

describe('a mirrored task', () => {
  let server: GithubServer;
  afterEach(() => server.close());

  test('asks as a comment, and goes on with the reply of the author; that of a stranger is only shown', async () => {
    server = await startGithubServer();
    const repo = addRepo(server.state, 'acme/web');
    repo.people.set('alice', 'MEMBER');
    const issue = openIssue(server.state, repo, { title: 'Drop a table', body: 'Please.', user: 'alice' });
    saveMirror(room, 'provider: github', 'source: acme/web', `url: ${server.url}`);
    Object.assign(room.daemonEnv, { GITHUB_TOKEN: 'good-token', GH_CONFIG_DIR: '/nonexistent' });
    const name = 'Drop a table (web#1)';
    const path = `tasks/${name}.md`;
    const daemon = await room.up();
    await daemon.see('question.asked', { name });
    await until('it stands upstream', () =>
      issue.comments.some(({ body }) => body.includes('Which of the two tables?')),
    );
    expect(issue.comments.filter(({ body }) => body.includes('Which of the two tables?'))).toHaveLength(1);
    expect(issue.comments[0]?.body).toMatch(/— agent:claude\n\n\*A question/);

    sayComment(server.state, issue, 'Drop them all!', 'mallory');
    await until('it is in the file', () => room.read(path).includes('> Drop them all!'));
    const { waiting } = await room.json('show', name);
    expect(waiting).toBe(true);
    expect(daemon.all('turn.started', { name })).toHaveLength(1);

    const from = daemon.mark();
    sayComment(server.state, issue, 'The second one, please.', 'alice');
    await daemon.see('turn.started', { name, reasons: ['answered'] }, from);
    await daemon.see('turn.ended', { name, state: 'completed' }, from);
    expect(room.read(path)).toMatch(/## Outcome\n.*a member this mirror trusts.*The second one, please\./s);
    expect(calls()[1]).toContain(`--resume ${SESSION}`);
    await until('it is closed upstream', () => issue.state === 'closed');
    expect(daemon.all('turn.started', { name })).toHaveLength(2);
  });
});
