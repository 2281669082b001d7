// Mirrors through the real program: what the commands do and say, and that a dry run writes nothing anywhere.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { mirror, room } from './each-mirror-room.ts';

/** Every file of the room with its bytes and time of change; SQLite's own side files come and go with each reader. */
function everything(dir: string): Record<string, string> {
  const files = readdirSync(dir, { recursive: true, encoding: 'utf8' }).filter(
    (name) => !/ledger\.db-(wal|shm)$/.test(name) && statSync(join(dir, name)).isFile(),
  );
  return Object.fromEntries(
    files.map((name) => {
      const hash = createHash('sha256').update(readFileSync(join(dir, name)));
      return [name, `${statSync(join(dir, name)).mtimeMs} ${hash.digest('hex')}`];
    }),
  );
}

const tasks = () => readdirSync(room.at('tasks')).filter((name) => name.endsWith('.md'));
const FIRST = 'tasks/Login fails (issues#1).md';

describe('taskroom sync', () => {
  test('--dry-run says what would be done and writes nothing on either side, byte for byte', async () => {
    mirror.open('Login fails');
    await room.ok('list');
    const before = everything(room.dir);
    expect(await room.ok('sync', '--dry-run')).toContain(
      'create a task from json-file:issues#1: Login fails',
    );
    expect(everything(room.dir)).toEqual(before);

    await room.ok('sync');
    mirror.change(1, (issue) => Object.assign(issue, { title: 'Login fails badly' }));
    await room.ok('done', 'Login fails (issues#1)', '--outcome', 'Mended.');
    const between = everything(room.dir);
    const said = await room.ok('sync', 'web', '--dry-run');
    expect(said).toContain(`update ${FIRST} from json-file:issues#1: title`);
    expect(said).toContain(`push ${FIRST} to json-file:issues#1: status`);
    expect(said).toContain(`post outcome of ${FIRST} to json-file:issues#1`);
    expect(everything(room.dir)).toEqual(between);
  });

  test('--pull only brings in, --push only sends; a table or JSON says what was done; the next one does nothing', async () => {
    mirror.open('Login fails');
    await room.ok('sync');
    mirror.say(1, 'alice', 'Also on a phone.');
    await room.ok('done', 'Login fails (issues#1)', '--outcome', 'Mended.');
    const before = mirror.bytes();
    const [pulled] = (await room.json('sync', '--pull')).reports;
    const nothing = { pushed: 0, comments_out: 0 };
    expect(pulled).toMatchObject({ chore: 'web', updated: 1, comments_in: 1, ...nothing, error: null });
    expect(mirror.bytes()).toBe(before);
    expect(room.read(FIRST)).toContain('> Also on a phone.');

    mirror.change(1, (issue) => Object.assign(issue, { body: 'It still fails.' }));
    const [pushed] = (await room.json('sync', '--push')).reports;
    expect(pushed).toMatchObject({ updated: 0, pushed: 1, comments_out: 1, waiting: 0, error: null });
    expect(mirror.issue(1)).toMatchObject({ state: 'done', body: 'It still fails.' });
    expect(mirror.issue(1).comments.at(-1)!.body).toContain('Mended.');
    expect(room.read(FIRST)).not.toContain('It still fails.');

    expect(await room.ok('sync')).toMatch(/✓ web \(.*issues\.json\) +1 +1\n/);
    const [quiet] = (await room.json('sync')).reports;
    expect(quiet).toMatchObject({ created: 0, updated: 0, comments_in: 0, ...nothing, requests: 1 });
  });

  test('a side that lost everything stops it; --force goes on', async () => {
    for (const title of ['One', 'Two', 'Three']) mirror.open(title);
    await room.ok('sync');
    for (const name of tasks()) rmSync(room.at(`tasks/${name}`));
    const before = mirror.bytes();
    const stopped = await room.run(['sync']);
    expect(stopped.code).toBe(4);
    expect(stopped.stdout).toContain('the files of all 3 mirrored tasks are gone; nothing was changed');
    expect(stopped.stdout).toContain('taskroom sync "web" --force');
    expect(mirror.bytes()).toBe(before);
    expect(await room.ok('sync', '--force')).toMatch(/detached/);
    expect(mirror.bytes()).toBe(before);
    const { mirrors } = await room.json('mirrors');
    expect(mirrors.map((one: { state: string }) => one.state)).toEqual(['detached', 'detached', 'detached']);
  });

  test('names what it does not know, and a provider that can not be loaded; doctor says so too', async () => {
    expect(await room.run(['sync', 'nope'])).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('web'),
    });
    room.save('json-file.mjs', 'export const factory = 1;');
    const failed = await room.run(['sync']);
    expect(failed.code).not.toBe(0);
    expect(failed.stdout).toContain('json-file.mjs');
    const examined = await room.run(['doctor']);
    expect(examined.code).toBe(6);
    expect(examined.stdout).toMatch(/✗ mirrors +chores\/web\.md: .*json-file\.mjs/);
    rmSync(room.at('chores/web.md'));
    expect(await room.run(['sync'])).toMatchObject({ code: 3, stderr: expect.stringContaining('mirror:') });
  });
});

test('taskroom mirror publish, link, unlink, mirrors a change that waits is pending with its reason, in show as in mirrors', async () => {
  mirror.open('Login fails');
  await room.ok('sync');
  room.save(FIRST, room.read(FIRST).replace('It fails.', 'It fails often.'));
  await room.ok('set', 'Login fails (issues#1)', 'priority=high');
  const {
    mirrors: [listed],
  } = await room.json('mirrors');
  expect(listed).toMatchObject({ state: 'pending', message: 'its file changed since the last sync' });
  const { remote } = await room.json('show', 'Login fails (issues#1)');
  expect(remote).toMatchObject({ state: listed.state, message: listed.message });
  expect(await room.ok('show', 'Login fails (issues#1)')).toContain('pending, its file changed since');
});
