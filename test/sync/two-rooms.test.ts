// Two rooms on one source, and a restored copy beside its original: each keeps its own comments.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { createGithubFactory } from '../../src/providers/github/github.ts';
import { readRoomId } from '../../src/store/files/room-id.ts';
import { TEST_PACE } from '../providers/github/harness.ts';
import { openIssue } from '../support/github-server/people.ts';
import {
  type GithubMirror,
  openGithubMirror,
  openServerMirror,
  refOf,
  type ServerMirror,
} from './server-mirror.ts';

let one: GithubMirror;
let two: ServerMirror;
let ref: string;

beforeEach(async () => {
  one = await openGithubMirror();
  ref = refOf(openIssue(one.server.state, one.repo, { title: 'Shared' }));
  const mirror = { provider: 'github', url: one.server.url };
  two = openServerMirror(createGithubFactory(TEST_PACE), mirror, { GITHUB_TOKEN: 'good-token' });
  await one.run();
});
const bodies = () => one.issue(ref).comments.map(({ body }) => body);
const say = (rig: ServerMirror, words: string) =>
  rig.room.call('progress', { ref: rig.taskOf(ref), text: words });

/** The second room is a copy of the first: it has its id. */
function copyId(): void {
  const { room, ledger } = one.room.deps;
  mkdirSync(join(two.room.dir, '.taskroom'), { recursive: true });
  writeFileSync(join(two.room.dir, '.taskroom/room-id'), `${readRoomId(room, ledger)}\n`);
}

test('M6: two rooms on one source write comments of their own, and never each other’s', async () => {
  await two.run();
  await say(one, 'by one');
  await one.run();
  one.tick();
  await say(two, 'by two');
  expect(await two.run()).toMatchObject({ error: null });
  await say(one, 'more by one');
  one.tick();
  await one.run({ force: true });
  expect(bodies()).toHaveLength(2);
  expect(bodies()[0]).toContain('by one');
  expect(bodies()[0]).not.toContain('by two');
  expect(bodies()[1]).toContain('by two');
  expect(bodies()[1]).not.toContain('by one');
});

test('a copy that only sends, as a daemon does after a turn, looks first whether another room wrote in its name', async () => {
  copyId();
  await two.run();
  await say(one, 'by one');
  await one.run();
  one.tick();
  await say(two, 'by two');
  expect(await two.run({ pull: false })).toMatchObject({ error: { code: 'ambiguous' }, commentsOut: 0 });
  expect(bodies()).toHaveLength(1);
  expect(await two.run({ pull: false, sameRoom: true, byPerson: true })).toMatchObject({ error: null });
  expect(bodies()).toHaveLength(1);
  expect(bodies()[0]).toContain('by two');
});

test('M6: the id outlives the ledger, and is nobody else’s', async () => {
  await two.run();
  const idOf = ({ room }: ServerMirror) => readRoomId(room.deps.room, room.deps.ledger);
  expect(idOf(one)).toMatch(/^[0-9a-z]{10}$/);
  expect(idOf(two)).not.toBe(idOf(one));
  expect(one.room.read('.taskroom/room-id').trim()).toBe(idOf(one));
});
