// A person reviews what a task did in its worktree: sees it, comments on a line, merges it or discards it. What the agent left
// there, settings and attributes of git too, changes neither what is seen nor what runs.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { runGit } from '../support/git-server.ts';
import { type Project, project, projectWith } from './each-project.ts';
import { room } from './each-room.ts';
import type { E2eRoom } from './room.ts';

projectWith({ 'code.txt': 'one\ntwo\nthree\n', 'old name.txt': 'a\nb\nc\nd\ne\nf\n', 'gone.txt': 'gone\n' });
beforeEach(() => {
  project.git('config', 'user.name', 'Casey');
  project.git('config', 'user.email', 'casey@example.com');
});

const COMMIT = 'git add --all && git commit --quiet -m';
const FOLDER = 'fix00001-Fix-it-8c6c8d';
const BRANCH = `taskroom/${FOLDER}`;
const worktree = (room: E2eRoom) => room.at(`.taskroom/worktrees/${FOLDER}`);

/** One turn of the task, in which its agent does this. */
async function work(room: E2eRoom, project: Project, command: string): Promise<void> {
  room.agent('smith', {
    command: `${command}\ntaskroom progress "$TASKROOM_TASK" worked`,
    cwd: project.dir,
    workspace: 'worktree',
  });
  room.save('tasks/Fix it.md', '---\nid: fix00001\nowner: smith\n---\nFix it.\n');
  await room.json('once');
}

interface FileDiff {
  path: string;
  old_path: string | null;
  change: string;
  hunks: { header: string; lines: string[] }[];
}

const byPath = (files: FileDiff[]) => Object.fromEntries(files.map((file) => [file.path, file]));

describe('taskroom diff', () => {
  test('shows what is committed, what is not and new files, by name, kind and line', async () => {
    const left =
      'echo four >> code.txt; printf "\\0\\1" > image.bin; echo new > "it is \\"new\\".txt"; echo x > -n';
    await work(
      room,
      project,
      `sed -i s/two/TWO/ code.txt; git mv "old name.txt" "new name.txt"; git rm --quiet gone.txt
printf 'lines\\n' > "$(printf 'two\\nlines')"; ${COMMIT} Work; ${left}`,
    );
    const before = runGit(worktree(room), 'status', '--porcelain');
    const objects = runGit(project.dir, 'count-objects');
    const diff = await room.json('diff', 'Fix it');
    expect(diff).toMatchObject({ task: 'fix00001', branch: BRANCH, note: null, path: worktree(room) });
    const files = byPath(diff.files);
    expect(Object.keys(files).sort()).toEqual(
      ['-n', 'code.txt', 'gone.txt', 'image.bin', 'it is "new".txt', 'new name.txt', 'two\nlines'].sort(),
    );
    expect(files['code.txt']).toMatchObject({ change: 'modified', additions: 2, deletions: 1 });
    expect(files['code.txt']!.hunks[0]!.lines).toEqual([' one', '-two', '+TWO', ' three', '+four']);
    expect(files['new name.txt']).toMatchObject({ change: 'renamed', old_path: 'old name.txt', hunks: [] });
    expect(files['gone.txt']).toMatchObject({ change: 'deleted', deletions: 1 });
    expect(files['image.bin']).toMatchObject({ change: 'added', binary: true, hunks: [] });
    expect(files['-n']!.hunks[0]!.lines).toEqual(['+x']);
    expect(files['two\nlines']!.hunks[0]!.lines).toEqual(['+lines']);
    // Neither the agent's index nor its repository knows of it.
    expect(runGit(worktree(room), 'status', '--porcelain')).toBe(before);
    expect(runGit(project.dir, 'count-objects')).toBe(objects);
    const { stdout: stat } = await room.run(['diff', 'fix00001', '--stat']);
    expect(stat).toMatch(/^ code\.txt +\| +3 \+\+-$/m);
    expect(stat).toContain('old name.txt => new name.txt');
    expect(stat).toMatch(/^ 7 files changed, 5 insertions\(\+\), 2 deletions\(-\)$/m);
    // What is no binary file can be applied elsewhere.
    rmSync(join(worktree(room), 'image.bin'));
    const { stdout: patch } = await room.run(['diff', 'fix00001']);
    execFileSync('git', ['apply', '-'], { cwd: project.dir, input: patch });
    expect(readFileSync(join(project.dir, 'code.txt'), 'utf8')).toBe('one\nTWO\nthree\nfour\n');
    expect(readFileSync(join(project.dir, 'two\nlines'), 'utf8')).toBe('lines\n');
  });

  test('runs nothing that an agent wrote, and is not misled by it', async () => {
    const run = 'touch "$AGENT_ROOM/ran"; cat';
    const settings = [
      ['diff.external', `sh -c '${run}'`],
      ['diff.evil.command', `sh -c '${run}'`],
      ['diff.evil.textconv', `sh -c '${run}'`],
      ['filter.evil.clean', `sh -c '${run}'`],
      ['core.pager', `sh -c '${run}'`],
      ['core.fsmonitor', `sh -c '${run}'`],
      ['diff.noprefix', 'true'],
      ['color.ui', 'always'],
    ].map(([key, value]) => `git config ${key} ${JSON.stringify(value).replaceAll('$', '\\$')}`);
    await work(
      room,
      project,
      `${settings.join('; ')}; echo '*.txt diff=evil filter=evil' > .gitattributes; echo '\u001b]0;owned\u0007' >> code.txt`,
    );
    rmSync(room.at('ran'), { force: true });
    const pager = { GIT_PAGER: '', PAGER: '' };
    const { stdout, code } = await room.run(['diff', 'fix00001'], {
      env: { ...pager, AGENT_ROOM: room.dir },
    });
    expect(code).toBe(0);
    expect(stdout).toContain('--- a/code.txt\n+++ b/code.txt\n');
    expect(stdout).toContain('.gitattributes');
    expect(existsSync(room.at('ran'))).toBe(false);
    await room.run(['discard', 'fix00001', '--yes'], { env: { AGENT_ROOM: room.dir } });
    expect(existsSync(room.at('ran'))).toBe(false);
  });

  test('goes through the pager of the person on a terminal, with nothing that steers it', async () => {
    await work(room, project, `printf '\\033]0;owned\\007end\\n' >> code.txt; git config core.pager false`);
    const env = { ...process.env, GIT_PAGER: `sed 's/^/paged: /'`, TERM: 'xterm' };
    const line = `${process.execPath} dist/bin/bin.cjs --room ${room.dir} diff fix00001`;
    const shown = execFileSync('script', ['-qec', line, '/dev/null'], { env, encoding: 'utf8' });
    expect(shown).toMatch(/paged: .*\+end/);
    expect(shown).not.toContain('owned');
  });

  test('shows 2,000 lines, and tells what stands in its way', async () => {
    await work(room, project, 'seq 2000 > many.txt; git init --quiet inner; echo x > inner/file');
    const { files, note } = await room.json('diff', 'fix00001');
    expect(byPath(files)['many.txt']!.hunks[0]!.lines).toHaveLength(2000);
    expect(note).toMatch(/git left something out: .*inner/);
    rmSync(join(worktree(room), 'inner'), { recursive: true });
    runGit(project.dir, 'update-ref', '-d', `refs/heads/${BRANCH}`);
    expect(Object.keys(byPath((await room.json('diff', 'fix00001')).files))).toEqual(['many.txt']);
    expect((await room.run(['merge', 'fix00001'])).stderr).toMatch(/not committed|is gone/);
    rmSync(worktree(room), { recursive: true });
    const { code, stderr } = await room.run(['diff', 'fix00001']);
    expect(code).not.toBe(0);
    expect(stderr).toMatch(/neither .* nor the branch .* is there/);
    room.save('tasks/Other.md', '---\nid: other001\nstatus: draft\n---\nOther.\n');
    expect(await room.json('diff', 'other001')).toMatchObject({ branch: null, files: [] });
  });
});

describe('taskroom merge', () => {
  test('fast-forwards the branch that is checked out, once, and keeps its own', async () => {
    await work(room, project, `echo four >> code.txt; ${COMMIT} Four`);
    writeFileSync(join(project.dir, 'code.txt'), 'mine\n');
    const refused = await room.run(['merge', 'fix00001']);
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toMatch(/has 1 file with changes that are not committed.*\n.*commit or stash/s);
    project.git('checkout', '--quiet', 'code.txt');
    const tip = project.git('rev-parse', BRANCH);
    expect(await room.json('merge', 'fix00001')).toEqual({
      ...{ task: 'fix00001', branch: BRANCH },
      repositories: [{ repository: '', into: 'main', commit: tip, changed: true }],
    });
    expect(readFileSync(join(project.dir, 'code.txt'), 'utf8')).toBe('one\ntwo\nthree\nfour\n');
    expect(await room.json('merge', 'fix00001')).toMatchObject({ repositories: [{ changed: false }] });
    expect((await room.json('diff', 'fix00001')).files).toHaveLength(1);
    expect(project.git('branch', '--list', 'taskroom/*')).toContain(BRANCH);
    await room.ok('done', 'fix00001');
    room.sql('UPDATE tasks SET finished_at = finished_at - 2000000000');
    await room.json('once');
    expect(project.git('branch', '--list', 'taskroom/*')).toBe('');
  });

  test('makes a merge commit where the project went on, or the room says so', async () => {
    await work(room, project, `echo four >> code.txt; ${COMMIT} Four`);
    project.git('commit', '--quiet', '--allow-empty', '-m', 'Meanwhile');
    room.edit('room.yaml', (text) => `${text}merge: fast_forward\n`);
    expect((await room.run(['merge', 'fix00001'])).stderr).toMatch(/only a fast-forward is allowed/);
    room.edit('room.yaml', (text) => text.replace('merge: fast_forward', 'merge: auto'));
    await room.ok('merge', 'fix00001');
    expect(project.git('log', '-1', '--format=%an %s', '--min-parents=2')).toBe(
      `Casey Merge ${BRANCH}: Fix it`,
    );
    expect(project.git('status', '--porcelain')).toBe('');
  });

  test('changes nothing where both sides changed the same, or the worktree is not committed', async () => {
    await work(room, project, `sed -i s/two/TWO/ code.txt; ${COMMIT} Two; echo loose > loose.txt`);
    expect((await room.run(['merge', 'fix00001'])).stderr).toMatch(
      /worktrees.* 1 file with changes.*Commit your work/s,
    );
    rmSync(join(worktree(room), 'loose.txt'));
    writeFileSync(join(project.dir, 'code.txt'), 'one\nZWEI\nthree\n');
    project.git('commit', '--quiet', '-am', 'Zwei');
    const head = project.git('rev-parse', 'HEAD');
    const { code, stderr } = await room.run(['merge', 'fix00001']);
    expect(code).not.toBe(0);
    expect(stderr).toMatch(/change the same in code\.txt.*merge main into the branch/s);
    expect([project.git('rev-parse', 'HEAD'), project.git('status', '--porcelain')]).toEqual([head, '']);
    project.git('checkout', '--quiet', '--detach');
    expect((await room.run(['merge', 'fix00001'])).stderr).toMatch(/no branch checked out/);
  });

  test('and discard are a person’s, and wait for the turn that runs', async () => {
    const refused =
      'for c in merge discard diff; do taskroom $c "$TASKROOM_TASK" > "$AGENT_ROOM/$c.txt" 2>&1; done';
    await work(
      room,
      project,
      `${refused}; echo x >> code.txt; ${COMMIT} X; test ! -f "$AGENT_ROOM/stay" || sleep 60`,
    );
    for (const command of ['merge', 'discard', 'diff']) expect(room.read(`${command}.txt`)).toMatch(/person/);
    room.save('stay', '');
    const daemon = await room.up();
    await room.ok('run', 'fix00001');
    await daemon.see('turn.started');
    for (const command of [['merge'], ['discard', '--yes']])
      expect((await room.run([command[0]!, 'fix00001', ...command.slice(1)])).stderr).toMatch(
        /works there now.*taskroom kill/s,
      );
  });
});

test('taskroom discard asks, keeps all of it for 30 days, and says how to get it back', async () => {
  await work(room, project, `echo four >> code.txt; ${COMMIT} Four; echo loose > loose.txt`);
  const asked = await room.run(['discard', 'fix00001']);
  expect(asked.code).not.toBe(0);
  expect(asked.stderr).toContain('--yes');
  expect(existsSync(worktree(room))).toBe(true);
  const said = await room.ok('discard', 'fix00001', '--yes');
  expect(existsSync(worktree(room))).toBe(false);
  expect(project.git('branch', '--list', 'taskroom/*')).toBe('');
  execFileSync('sh', ['-c', /: (git .*)$/m.exec(said)![1]!]);
  expect(project.git('show', `${BRANCH}:loose.txt`)).toBe('loose');
  expect(project.git('show', `${BRANCH}~1:code.txt`)).toContain('four');
  const [reference] = project.git('for-each-ref', '--format=%(refname)', 'refs/taskroom').split('\n');
  const old = reference!.replace(/\d+$/, String(Date.now() - 31 * 86_400_000));
  project.git('update-ref', old, reference!);
  await room.json('once');
  expect(project.git('for-each-ref', '--format=%(refname)', 'refs/taskroom')).toBe(reference);
  expect((await room.run(['discard', 'fix00001', '--yes'])).stderr).toMatch(/has no workspace/);
});

test('a comment on a line names file and line, and wakes the task', async () => {
  await work(
    room,
    project,
    'cp "$TASKROOM_PROMPT" "$AGENT_ROOM/prompt.txt" 2>/dev/null || cat > "$AGENT_ROOM/prompt.txt"',
  );
  await room.ok('comment', 'fix00001', '--at', 'src/a b.ts:12', 'Why a copy?');
  expect(room.read('tasks/Fix it.md')).toMatch(/> `src\/a b\.ts:12`\n>\n> Why a copy\?/);
  const { results } = await room.json('once');
  expect(results).toMatchObject([{ reason: 'ok' }]);
  const { code, stderr } = await room.run(['comment', 'fix00001', '--at', 'src/a.ts', 'Why?']);
  expect(code).not.toBe(0);
  expect(stderr).toMatch(/names no line.*path:line/s);
  await room.ok('comment', 'fix00001', '--at', 'odd`\nname:3', 'Odd.');
  expect(room.read('tasks/Fix it.md')).toContain('> `"odd\\u0060\\nname:3"`\n>\n> Odd.');
  // Review comes after the work: finished, it is opened again.
  await room.ok('done', 'fix00001');
  expect(await room.ok('comment', 'fix00001', 'Thanks.')).not.toContain('open again');
  expect(await room.ok('comment', 'fix00001', '--at', 'src/a.ts:1', 'One more.')).toContain('is open again');
  expect(await room.json('show', 'fix00001')).toMatchObject({ status: 'todo' });
});
