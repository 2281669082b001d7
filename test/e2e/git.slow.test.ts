// What git does to task files is a person's will and stands; a stale buffer that is saved is not git's, whatever git did
// before. With the real git, under a daemon that has just written.
import { execFileSync } from 'node:child_process';
import { closeSync, openSync, rmSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Daemon } from './daemon.ts';
import { room } from './each-room.ts';
import type { E2eRoom } from './room.ts';

const PATH = 'tasks/Plan.md';
const TEXT = '---\nid: abc12345\nstatus: draft\n---\n\n## Task\n\nPlan it.\n\n## Notes\n\nnone\n';

let daemon: Daemon;
let git: (...args: string[]) => string;

/** A repository with the task in it, a daemon, and a comment that was written just now. */
async function begin(room: E2eRoom): Promise<string> {
  git = (...args) => {
    const who = ['-c', 'user.name=ann', '-c', 'user.email=ann@example.org', '-c', 'commit.gpgsign=false'];
    const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_EDITOR: 'true' };
    return execFileSync('git', [...who, ...args], { cwd: room.dir, encoding: 'utf8', env, stdio: 'pipe' });
  };
  room.save(PATH, TEXT);
  room.save('.gitignore', '.taskroom/\ngates/\nagent.log\nhistory.jsonl\n');
  git('init', '-q', '-b', 'main');
  git('add', '-A');
  git('commit', '-qm', 'first');
  daemon = await room.up();
  return say(room, 'Ours.');
}

async function say(room: E2eRoom, words: string): Promise<string> {
  await room.ok('comment', 'Plan', words);
  await room.quiet(daemon);
  rmBarriers(room);
  expect(room.read(PATH)).toContain(`> ${words}`);
  return room.read(PATH);
}

/** The files that waiting made are no part of the repository. */
function rmBarriers(room: E2eRoom): void {
  for (const name of git('ls-files', '-o', '--exclude-standard', 'tasks').split('\n'))
    if (/barrier/.test(name)) rmSync(room.at(name.replaceAll('"', '')));
}

/** What the file says once the daemon has taken in all that happened. */
async function settled(room: E2eRoom): Promise<string> {
  await room.quiet(daemon);
  rmBarriers(room);
  await room.quiet(daemon);
  rmBarriers(room);
  return room.read(PATH);
}

const isClean = () => expect(git('status', '--porcelain', '--', 'tasks')).toBe('');

describe('F7: what git does stands', () => {
  test('F7: checkout of a file, and what is written next', async () => {
    await begin(room);
    git('checkout', '--', PATH);
    expect(await settled(room)).toBe(TEXT);
    isClean();
    await say(room, 'Next.');
    expect(room.read(PATH)).not.toContain('Ours.');
  });

  test('F7: stash and pop', async () => {
    const ours = await begin(room);
    git('stash', '-q');
    expect(await settled(room)).toBe(TEXT);
    isClean();
    git('stash', 'pop', '-q');
    expect(await settled(room)).toBe(ours);
  });

  test('F7: stash and pop while nobody looks, then a command', async () => {
    const ours = await begin(room);
    await daemon.kill();
    git('stash', '-q');
    await room.ok('list');
    await room.ok('set', 'Plan', 'status=draft');
    expect(room.read(PATH)).toBe(TEXT);
    git('stash', 'pop', '-q');
    expect(room.read(PATH)).toBe(ours);
  });

  test('F7: switch to another branch and back', async () => {
    await begin(room);
    git('branch', 'other');
    git('commit', '-qam', 'second');
    const ours = room.read(PATH);
    git('switch', '-q', 'other');
    expect(await settled(room)).toBe(TEXT);
    isClean();
    git('switch', '-q', 'main');
    expect(await settled(room)).toBe(ours);
    isClean();
  });

  test('F7: checkout of another branch, with changes of its own', async () => {
    await begin(room);
    git('commit', '-qam', 'second');
    git('checkout', '-q', '-b', 'other', 'HEAD~1');
    room.edit(PATH, (text) => text.replace('none', 'theirs'));
    git('commit', '-qam', 'theirs');
    const theirs = await settled(room);
    expect(theirs).toBe(TEXT.replace('none', 'theirs'));
    git('checkout', '-q', 'main');
    expect(await settled(room)).toContain('> Ours.');
    git('checkout', '-q', 'other');
    expect(await settled(room)).toBe(theirs);
    isClean();
  });

  test('F7: rebase, with a conflict on its way', async () => {
    await begin(room);
    git('commit', '-qam', 'second');
    git('checkout', '-q', '-b', 'other', 'HEAD~1');
    room.edit(PATH, (text) => `${text}\n## Comments\n\ntyped\n`);
    git('commit', '-qam', 'typed');
    await settled(room);
    git('checkout', '-q', 'main');
    await settled(room);
    expect(() => git('rebase', '-q', 'other')).toThrow();
    const torn = room.read(PATH);
    expect(torn).toContain('<<<<<<<');
    expect(await settled(room)).toBe(torn);
    git('rebase', '--skip');
    expect(await settled(room)).toBe(git('show', `HEAD:${PATH}`));
    isClean();
  });

  test('F7: a file that git left torn starts no turn and is not written, until the person has put it together', async () => {
    const torn = '---\nid: torn1234\n---\n\n## Task\n<<<<<<< HEAD\nOne.\n=======\nTwo.\n>>>>>>> other\n';
    await begin(room);
    const from = daemon.mark();
    room.save('tasks/Torn.md', torn);
    await daemon.see('task.invalid', { path: 'tasks/Torn.md' }, from);
    await room.quiet(daemon);
    expect(room.read('tasks/Torn.md')).toBe(torn);
    expect((await room.json('inbox')).inbox).toContainEqual(
      expect.objectContaining({
        text: expect.stringContaining('tasks/Torn.md:6:1 a merge of git left a conflict'),
      }),
    );
    room.save('tasks/Torn.md', torn.replace(/^[<=>]{7}.*\n/gm, ''));
    await daemon.see('turn.started', { name: 'Torn' }, from);
    // As code, and in an agent's words, it is none.
    room.save(
      'tasks/Told.md',
      `Explain this:\n\n\`\`\`\n${torn.slice(33)}\`\`\`\n\n## Progress\n\n${torn.slice(33)}`,
    );
    await daemon.see('turn.started', { name: 'Told' }, from);
  });

  test('F7: while git is at work nothing is put back', async () => {
    const ours = await begin(room);
    const lock = room.at('.git/index.lock');
    closeSync(openSync(lock, 'wx'));
    const from = daemon.mark();
    room.save(PATH, TEXT);
    room.save('tasks/Later.md', '---\nid: later123\nstatus: draft\n---\n');
    await daemon.see('task.seen', { name: 'Later' }, from);
    expect(room.read(PATH)).toBe(TEXT);
    rmSync(lock);
    await daemon.see('task.restored', { path: PATH }, from);
    expect(room.read(PATH)).toContain('> Ours.');
    expect(ours).toContain('> Ours.');
  });
});

describe('F7: a stale save is no act of git', () => {
  const before: readonly [string, (room: E2eRoom) => void][] = [
    ['nothing', () => undefined],
    ['status', () => void git('status')],
    ['add', () => void git('add', PATH)],
    ['add and commit', () => void git('commit', '-qam', 'second')],
    ['an older stash', () => void git('stash', 'list')],
  ];
  for (const [what, act] of before) {
    test(`F7: after ${what} it gets its entries back`, async () => {
      await begin(room);
      act(room);
      const from = daemon.mark();
      room.save(PATH, TEXT);
      await daemon.see('task.restored', { path: PATH }, from);
      expect(await settled(room)).toContain('> Ours.');
    });
  }

  test('F7: one with words of its own, after git restored the file', async () => {
    await begin(room);
    git('restore', PATH);
    await settled(room);
    const base = room.read(PATH);
    await say(room, 'Again.');
    const from = daemon.mark();
    room.save(PATH, base.replace('none', 'typed'));
    await daemon.see('task.restored', { path: PATH }, from);
    const text = await settled(room);
    expect(text).toContain('typed');
    expect(text).toContain('> Again.');
    expect(text).not.toContain('> Ours.');
  });
});
