// What trackers leave to a person: each line of the inbox goes when its command is typed as it stands there, with the real program
// against a GitHub-shaped server.
import { execFile } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { promisify } from 'node:util';
import { beforeEach, expect, test } from 'vitest';
import { forEachTest } from '../support/for-each-test.ts';
import { deleteIssue, editIssue, openIssue } from '../support/github-server/people.ts';
import { CREDENTIALS } from './github-room.ts';
import { createPullProject } from './pull-request-project.ts';
import { PROGRAM } from './room.ts';

const TASK = 'Login fails (web#1)';
const site = forEachTest(() => createPullProject());
beforeEach(() => {
  site.room.settings('default_agent: smith', 'settle: 50ms');
  site.agent('taskroom progress "Looked."', { checks: [] });
  site.chore();
  site.room.save('bin/taskroom', `#!/bin/sh\nexec '${process.execPath}' '${PROGRAM}' "$@"\n`);
  chmodSync(site.room.at('bin/taskroom'), 0o755);
});

type Line = { kind: string; key: string; text: string; settle: string };
const lines = async (): Promise<Line[]> => (await site.json('inbox')).inbox;

/** Types the command of the one line of this kind; the editor is `sed` with this script. */
async function settle(
  kind: string,
  text: RegExp,
  env: Record<string, string> = {},
  script = '',
): Promise<void> {
  const found = (await lines()).filter((line) => line.kind === kind);
  expect(found).toMatchObject([{ text: expect.stringMatching(text) }]);
  const [{ settle: command, key }] = found as [Line];
  const { PATH } = process.env;
  await promisify(execFile)('/bin/sh', ['-c', command.replace('your token', 'good-token')], {
    cwd: site.room.dir,
    env: { ...CREDENTIALS, PATH: `${site.room.at('bin')}:${PATH}`, EDITOR: `sed -i '${script}'`, ...env },
  });
  expect((await lines()).map((line) => line.key)).not.toContain(key);
}

test('a token that is missing, and a source that is not there', async () => {
  expect((await site.run(['sync'], { GITHUB_TOKEN: '' })).code).not.toBe(0);
  await settle('setup', /GitHub token is missing/, { GITHUB_TOKEN: '' });
  expect(site.room.read(`tasks/${TASK}.md`)).toContain('It does.');
  site.room.save('chores/web.md', site.room.read('chores/web.md').replace('acme/web', 'acme/nothing'));
  expect((await site.run(['sync'])).code).not.toBe(0);
  await settle('setup', /does not find/, {}, 's/nothing/web/');
  expect(await lines()).toEqual([]);
});

test('words of strangers, refused words, fields that both sides changed, and an issue that is gone', async () => {
  const { server, repo } = site;
  openIssue(server.state, repo, { title: 'Odd', body: 'From afar.', user: 'mallory' });
  await site.ok('sync');
  const { id } = await site.json('show', TASK);
  await settle('trust', /read it before it runs/);
  const issue = repo.issues[0]!;
  server.state.tokens.set('speaker', { login: 'me', access: 'comment' });
  const speaker = { GITHUB_TOKEN: 'speaker' };
  issue.locked = true;
  await site.ok('comment', id, 'Nobody wants to hear this.');
  await site.run(['sync'], speaker);
  expect((await lines()).map(({ text }) => text)).toEqual([expect.stringMatching(/issue is locked/)]);
  issue.locked = false;
  await settle('tracker', /does not take it/, speaker);
  editIssue(server.state, issue, { title: 'Login fails there' });
  await site.ok('set', id, 'title=Login fails here');
  await site.ok('sync');
  await settle('conflict', /both sides changed the title/);
  deleteIssue(server.state, issue);
  await site.run(['sync', '--full']);
  await settle('tracker', /without the mirror it is a local task/);
  expect(await lines()).toEqual([]);
  expect(await site.json('show', id)).toMatchObject({ title: issue.title });
});
