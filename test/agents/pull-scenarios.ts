// A pull request's way back with the real program: its agent commits in a worktree, a review and a failed check wake it in the same
// session, and its push answers the thread.
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { runGit } from '../support/git-server.ts';
import { endCheck, remarkOn, reviewPull } from '../support/github-server/people.ts';
import type { Move } from './obedient-model.ts';
import type { Stage } from './stage.ts';
import { lastTurn, logOf, ok, once, promptsSince, untilResumable } from './turn-records.ts';

const REMARK = {
  path: 'notes.txt',
  line: 1,
  hunk: '@@ -1 +1 @@\n-one\n+two',
  body: 'Please write three here.',
};
const LOG = '2026-11-20T10:00:01.0000000Z expected two to be three';

/** Writes a line into the file of its worktree and commits it. */
function commits(line: string): Move[] {
  const who = '-c user.name=Agent -c user.email=agent@example.org';
  return [
    { tool: 'get_task', input: {} },
    { shell: `printf '${line}\\n' > notes.txt && git ${who} commit -q -a -m 'Say ${line}'` },
    { tool: 'complete_task', input: { outcome: `It says ${line}.` } },
  ];
}

export async function mendsItsPull(stage: Stage): Promise<void> {
  const { room, wishes, project, github, repo, model } = stage;
  const name = 'Open a pull request';
  const origin = join(dirname(project), 'origin.git');
  const address = `${github.url}/acme/web.git`;
  runGit(dirname(project), 'clone', '--quiet', '--bare', project, origin);
  runGit(project, 'remote', 'add', 'origin', address);
  // As a person has it: what a project says of itself does not count.
  const own = join(dirname(project), 'home/.gitconfig');
  runGit(project, 'config', '--file', own, `url.${origin}.insteadOf`, address);
  repo.tipOf = (branch) => runGit(origin, 'rev-parse', branch);
  stage.configure({ permissions: 'run', workspace: 'worktree' });
  const turns = async (moves: Move[]) => {
    wishes.attack = () => moves;
    await once(stage);
    delete wishes.attack;
    const turn = await lastTurn(stage, name);
    const log = `${JSON.stringify(turn)}\n${logOf(stage, turn.id)}`;
    assert.match(room.read(`tasks/${name}.md`), /^status: done$/m, log);
    return { id: turn.id, log };
  };
  room.save(`tasks/${name}.md`, '## Task\nChange notes.txt.\n');
  const first = await turns(commits('two'));
  await ok(stage, 'pr', name);
  const pull = repo.pulls!.at(-1)!;
  remarkOn(github.state, pull, 'alice', REMARK);
  reviewPull(github.state, pull, 'alice', 'CHANGES_REQUESTED', 'Not yet.');
  endCheck(github.state, repo, {
    name: 'unit',
    sha: repo.tipOf(pull.head)!,
    conclusion: 'failure',
    log: LOG,
  });
  await ok(stage, 'sync');
  await untilResumable(stage);
  const from = model.thought.length;
  const second = await turns(commits('three'));
  assert.notEqual(second.id, first.id);
  const seen = JSON.stringify(model.thought.slice(from).flatMap(({ messages }) => messages));
  for (const words of ['Please write three here.', 'Not yet.', 'expected two to be three', '-one'])
    assert.ok(seen.includes(words), `it was not told: ${words}\n${second.log}`);
  assert.ok(promptsSince(stage, from) >= 2, `the review came to another session\n${second.log}`);
  for (let times = 0; times < 2; times += 1) await ok(stage, 'sync');
  await once(stage);
  assert.equal((await lastTurn(stage, name)).id, second.id, 'its answer woke it again');
  assert.equal(repo.pulls!.length, 1);
  assert.equal(runGit(origin, 'log', '--format=%s', '-2', pull.head), 'Say three\nSay two', second.log);
  const answers = pull.remarks.filter(({ user }) => user === 'me');
  assert.match(answers.map(({ body }) => body).join('\n'), /^Fixed in [0-9a-f]{7}\./);
  assert.equal(answers.length, 1);
  runGit(project, 'remote', 'remove', 'origin');
  rmSync(origin, { recursive: true });
  stage.configure({});
}
