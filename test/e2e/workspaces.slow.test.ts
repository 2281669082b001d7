import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runGit } from '../support/git-server.ts';
import { type Project, project, projectWith } from './each-project.ts';
import { room } from './each-room.ts';
import type { E2eRoom } from './room.ts';

projectWith({ 'code.txt': 'one\n' });

const COMMIT = 'git -c user.name=A -c user.email=a@example.com commit --quiet -am';
const TASK = 'tasks/Fix it.md';
const DAYS_LATER = 'UPDATE tasks SET finished_at = finished_at - 2000000000';

function setUp(room: E2eRoom, cwd: string, command: string, config: object = {}): void {
  room.agent('smith', { command, cwd, workspace: 'worktree', ...config });
  room.save(TASK, '---\nid: fix00001\nowner: smith\n---\nFix it.\n');
}

/** What the turns of one run came to; a failed one is no fault of the command. */
async function turnsOf(room: E2eRoom) {
  const { stdout } = await room.run(['once', '--json']);
  return JSON.parse(stdout).results;
}

const worktree = (room: E2eRoom) => room.at('.taskroom/worktrees/fix00001-Fix-it-8c6c8d');
const BRANCH = 'taskroom/fix00001-Fix-it-8c6c8d';

describe('a workspace', () => {
  test('is a worktree of its own, found again by later turns, its commits told under Outcome', async () => {
    const work =
      'cat > "$AGENT_ROOM/prompt.txt"; pwd >> "$AGENT_ROOM/where.txt"; if [ -f more ]; then echo two >> code.txt; fi; touch more; git add .; ';
    setUp(
      room,
      project.dir,
      `${work}${COMMIT} "Say two"; taskroom progress worked; taskroom done "$TASKROOM_TASK"`,
      { checks: ['grep -q two code.txt'] },
    );
    expect(await turnsOf(room)).toMatchObject([{ reason: 'checks_failed' }]);
    room.sql('UPDATE tasks SET retry_at = 1 WHERE retry_at IS NOT NULL');
    expect(await turnsOf(room)).toMatchObject([{ reason: 'ok' }]);
    expect(room.read('where.txt').trim().split('\n')).toEqual([worktree(room), worktree(room)]);
    expect(runGit(worktree(room), 'branch', '--show-current')).toBe(BRANCH);
    expect(readFileSync(join(project.dir, 'code.txt'), 'utf8')).toBe('one\n');
    expect(room.read('prompt.txt')).toContain(`on the branch ${BRANCH}. Commit there`);
    expect(room.read('prompt.txt')).toContain(worktree(room));
    const text = room.read(TASK);
    expect(text).toContain('status: done');
    expect(text).toMatch(
      /## Outcome\n+\*\*.*\*\* · taskroom <!-- note -->\n\nBranch `taskroom\/fix00001-Fix-it-8c6c8d` in/,
    );
    expect(text).toMatch(
      /2 commits:\n- [0-9a-f]+ Say two\n- [0-9a-f]+ Say two\n\n2 changed files:\n- M code.txt\n- A more/,
    );
  });

  test('runs its hooks, whose failure fails the turn with what they said', async () => {
    setUp(room, project.dir, 'taskroom progress worked', {
      hooks: {
        after_create:
          'echo created >> "$AGENT_ROOM/hooks.txt"; test -f "$AGENT_ROOM/ready" || { echo "not ready"; exit 4; }',
        before_run: 'echo "before $(pwd)" >> "$AGENT_ROOM/hooks.txt"',
        after_run: 'echo after >> "$AGENT_ROOM/hooks.txt"; echo "no formatter"; exit 5',
        before_remove: 'echo removed >> "$AGENT_ROOM/hooks.txt"',
      },
    });
    const [first] = await turnsOf(room);
    expect(first).toMatchObject({ state: 'failed', reason: 'exit' });
    expect(first.message).toMatch(/after_create failed: .*exit code 4.*not ready/s);
    room.save('ready', '');
    room.sql('UPDATE tasks SET retry_at = 1 WHERE retry_at IS NOT NULL');
    expect(await turnsOf(room)).toMatchObject([{ reason: 'ok' }]);
    expect(room.read(TASK)).toMatch(/after_run failed: .*no formatter/s);
    await room.ok('run', 'Fix it');
    await room.json('once');
    await room.ok('done', 'Fix it');
    room.sql(DAYS_LATER);
    await room.json('once');
    const lines = room.read('hooks.txt').trim().split('\n');
    const turn = [`before ${worktree(room)}`, 'after'];
    expect(lines).toEqual(['created', 'created', ...turn, ...turn, 'removed']);
    expect(existsSync(worktree(room))).toBe(false);
  });

  test('is removed when its task is archived and nothing would be lost, and kept and told otherwise', async () => {
    const by = `case "$TASKROOM_TASK" in fix*) ;; loose*) touch loose ;; *) echo x >> code.txt; ${COMMIT} "For $TASKROOM_TASK" ;; esac; `;
    setUp(room, project.dir, `${by}taskroom done "$TASKROOM_TASK"`);
    for (const id of ['loose001', 'merged01', 'local001'])
      room.save(`tasks/${id}.md`, `---\nid: ${id}\nowner: smith\n---\nWork.\n`);
    await room.json('once');
    const names = () =>
      readdirSync(room.at('.taskroom/worktrees'))
        .map((name) => name.slice(0, 5))
        .sort();
    expect(names()).toEqual(['fix00', 'local', 'loose', 'merge']);
    project.git('merge', '--quiet', 'taskroom/merged01-merged01');
    room.sql(DAYS_LATER);
    await room.json('once');
    expect(names()).toEqual(['local', 'loose']);
    expect(project.git('branch', '--list', 'taskroom/*').split('\n')).toHaveLength(2);
    const { stdout } = await room.run(['doctor']);
    expect(stdout).toMatch(/2 workspaces, [\d.]+ MiB/);
    expect(stdout).toMatch(
      /local001.* is kept though its task is archived: 1 commit of .* neither merged nor pushed/,
    );
    expect(stdout).toMatch(/loose001.* is kept though its task is archived: 1 uncommitted file/);
  });

  test('is made again from its branch when somebody deleted its folder', async () => {
    const work = `test -f "$AGENT_ROOM/first" && cp code.txt "$AGENT_ROOM/seen.txt"; touch "$AGENT_ROOM/first"; echo kept >> code.txt; ${COMMIT} Kept; taskroom progress worked`;
    setUp(room, project.dir, work);
    await room.json('once');
    rmSync(worktree(room), { recursive: true });
    await room.ok('run', 'Fix it');
    expect(await turnsOf(room)).toMatchObject([{ reason: 'ok' }]);
    expect(room.read('seen.txt')).toBe('one\nkept\n');
  });

  test('goes on with a branch that is there already, and works in the folder of the project that cwd names', async () => {
    mkdirSync(join(project.dir, 'packages/web'), { recursive: true });
    writeFileSync(join(project.dir, 'packages/web/a.txt'), '');
    project.git('add', '.');
    project.git('commit', '--quiet', '-m', 'Web');
    project.git('branch', BRANCH);
    setUp(room, join(project.dir, 'packages/web'), 'pwd > "$AGENT_ROOM/where.txt"; taskroom progress worked');
    expect(await turnsOf(room)).toMatchObject([{ reason: 'ok' }]);
    expect(room.read('where.txt').trim()).toBe(join(worktree(room), 'packages/web'));
  });

  test('comes of a bare repository too', async () => {
    const bare = `${project.dir}.git`;
    runGit(project.dir, 'clone', '--quiet', '--bare', project.dir, bare);
    setUp(room, bare, 'cat code.txt > "$AGENT_ROOM/seen.txt"; taskroom progress worked');
    expect(await turnsOf(room)).toMatchObject([{ reason: 'ok' }]);
    expect(room.read('seen.txt')).toBe('one\n');
    rmSync(bare, { recursive: true });
  });

  const refusals: [
    what: string,
    prepare: (room: E2eRoom, project: Project) => string,
    reason: string,
    message: RegExp,
  ][] = [
    ['a project that is no git repository', (room) => room.dir, 'refused', /needs a git project.*git init/],
    [
      'a project that is not there',
      (_, { dir }) => join(dir, 'gone'),
      'refused',
      /is not there; create it or change "cwd"/,
    ],
    [
      'a project without a commit',
      (_, { dir }) => {
        runGit(dir, 'init', '--quiet', 'fresh');
        return join(dir, 'fresh');
      },
      'refused',
      /has no commit to begin at/,
    ],
    [
      'a branch that is checked out elsewhere',
      (_, { dir, git: run }) => {
        run('checkout', '--quiet', '-b', BRANCH);
        return dir;
      },
      'refused',
      /could not make the workspace.*already/,
    ],
    [
      'a folder of somebody in its place',
      (room, { dir }) => {
        mkdirSync(worktree(room), { recursive: true });
        writeFileSync(join(worktree(room), 'mine.txt'), 'mine');
        return dir;
      },
      'refused',
      /is there and is no worktree.*move it away/,
    ],
  ];
  test.for(refusals)('says clearly what to do about %s', async ([, prepare, reason, message]) => {
    setUp(room, prepare(room, project), 'true');
    const [result] = await turnsOf(room);
    expect(result).toMatchObject({ state: 'failed', reason });
    expect(result.message).toMatch(message);
    expect(room.read(TASK)).toContain('paused: true');
    if (existsSync(join(worktree(room), 'mine.txt')))
      expect(readFileSync(join(worktree(room), 'mine.txt'), 'utf8')).toBe('mine');
  });

  test('waits for a lock that another git holds in it', async () => {
    setUp(room, project.dir, 'taskroom progress worked');
    await room.json('once');
    const lock = runGit(worktree(room), 'rev-parse', '--git-path', 'index.lock');
    writeFileSync(lock, '');
    room.edit(TASK, (text) => text.replace('Fix it.', 'Fix it well.'));
    const [result] = await turnsOf(room);
    expect(result).toMatchObject({ state: 'failed', reason: 'exit' });
    expect(result.message).toContain('index.lock is there');
    rmSync(lock);
    room.sql('UPDATE tasks SET retry_at = 1 WHERE retry_at IS NOT NULL');
    expect(await turnsOf(room)).toMatchObject([{ reason: 'ok' }]);
  });

  test('is kept while submodules are checked out in it', async () => {
    runGit(
      project.dir,
      '-c',
      'protocol.file.allow=always',
      'submodule',
      '--quiet',
      'add',
      project.dir,
      'sub',
    );
    project.git('commit', '--quiet', '-m', 'Sub');
    const update = 'git -c protocol.file.allow=always submodule --quiet update --init';
    setUp(room, project.dir, 'test -f sub/code.txt && taskroom done "$TASKROOM_TASK"', {
      hooks: { after_create: update },
    });
    expect(await turnsOf(room)).toMatchObject([{ reason: 'ok' }]);
    room.sql(DAYS_LATER);
    await room.json('once');
    expect(existsSync(join(worktree(room), 'sub/code.txt'))).toBe(true);
    expect((await room.run(['doctor'])).stdout).toContain('submodules that are checked out');
  });
});
