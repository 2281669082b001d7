// A room that was copied or restored beside its original, on one GitHub-shaped server: as the person at the command line sees it.
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { forEachTest, partOf } from '../support/for-each-test.ts';
import type { StoredIssue } from '../support/github-server/state.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { createGithubRoom, CREDENTIALS as env } from './github-room.ts';
import { type E2eRoom, openFolder } from './room.ts';

const NAME = 'Login fails (web#1)';

const github = forEachTest(() => createGithubRoom());
const room = partOf(github, 'room');
const copy = forEachTest(async () => {
  issue = github.open({ title: 'Login fails', body: 'It does.' });
  await ok(room, 'sync');
  const dir = join(tempFolder('taskroom-e2e'), 'restored');
  cpSync(room.dir, dir, { recursive: true });
  return openFolder(dir);
});
let issue: StoredIssue;

async function ok(where: E2eRoom, ...args: string[]): Promise<string> {
  const ran = await where.run(args, { env });
  expect(ran, args.join(' ')).toMatchObject({ code: 0 });
  return ran.stdout;
}

const bodies = () => issue.comments.map(({ body }) => body);

for (const answer of ['--same-room', '--new-room'] as const)
  test(`a restored copy beside its original stops and asks; ${answer} is an answer`, async () => {
    await ok(room, 'progress', NAME, 'by the original');
    await ok(room, 'sync');
    await ok(copy, 'progress', NAME, 'by the copy');
    const before = bodies();
    expect(before).toHaveLength(1);

    const stopped = await copy.run(['sync'], { env });
    expect(stopped.code).toBe(3);
    expect(stopped.stdout).toMatch(/--same-room[\s\S]*--new-room/);
    expect(bodies()).toEqual(before);
    // It goes on asking, and sends nothing however it is asked.
    for (const how of [['--push'], [], ['--force']]) {
      const again = await copy.run(['sync', ...how], { env });
      expect({ how, bodies: bodies(), code: again.code }).toEqual({ how, bodies: before, code: 3 });
    }

    await ok(copy, 'sync', answer);
    if (answer === '--same-room') {
      expect(bodies()).toHaveLength(1);
      expect(bodies()[0]).toContain('by the copy');
    } else {
      expect(bodies()).toHaveLength(2);
      expect(bodies()[0]).toBe(before[0]);
      expect(bodies()[1]).toContain('by the copy');
      expect(bodies()[1]).not.toContain('by the original');
      // From here on each goes its own way.
      await ok(room, 'comment', NAME, 'more by the original');
      await ok(room, 'sync');
      await ok(copy, 'sync');
      expect(bodies()).toHaveLength(3);
      expect(bodies().slice(0, 2)).toEqual([before[0], expect.stringContaining('by the copy')]);
      expect(copy.read(`tasks/${NAME}.md`)).toContain('> more by the original');
    }
    expect(JSON.parse(await ok(copy, 'sync', '--json')).reports).toMatchObject([
      { error: null, comments_out: 0 },
    ]);
  });

test('an original that was moved, not copied, is asked nothing', async () => {
  await ok(copy, 'progress', NAME, 'from its new place');
  await ok(copy, 'sync');
  await ok(copy, 'progress', NAME, 'and again');
  await ok(copy, 'sync', '--force');
  expect(bodies()).toHaveLength(1);
});
