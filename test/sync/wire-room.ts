// A real room that mirrors a real server over HTTP, with the fault proxy between them and a clock moved by hand: two
// issues that are in sync, then news on both sides, and what must be true once the bad day is over.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createGithubFactory } from '../../src/providers/github/github.ts';
import { linearFactory } from '../../src/providers/linear/linear.ts';
import type { ProviderFactory } from '../../src/providers/provider.ts';
import type { SyncOptions, SyncReport } from '../../src/sync/sync.ts';
import type { Actor } from '../../src/tasks/task-room.ts';
import type { People } from '../conformance/provider-harness.ts';
import { githubPeople, startGithub, TEST_PACE } from '../providers/github/harness.ts';
import { openLinearHarness } from '../providers/linear/harness.ts';
import { type Asked, type FaultProxy, startFaultProxy } from '../support/fault-proxy.ts';
import { mirrorChore } from '../support/mirror-config.ts';
import { createRandom } from '../support/random.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { ALL_PUSHED } from './memory-mirror.ts';
import { createClockedEffects } from './shared-clock.ts';
import { openSyncProcess } from './sync-process.ts';

export const SECRET = 'good-token';
const PERSON: Actor = { kind: 'person' };

/** What a request is for. */
export type Purpose = 'read' | 'change' | 'make';

export interface Tracker {
  factory: ProviderFactory;
  provider: string;
  source: string;
  people: People;
  proxy: FaultProxy;
  env: Record<string, string>;
  purposeOf(asked: Asked): Purpose;
  /** Two minutes pass on the server. */
  tick(): Promise<void>;
  close(): Promise<void>;
}

export type WireRoom = Awaited<ReturnType<typeof openWireRoom>>;

export async function githubTracker(): Promise<Tracker> {
  const github = await startGithub();
  github.server.state.tokens.set(SECRET, { login: 'me', access: 'write' });
  return {
    factory: createGithubFactory(TEST_PACE),
    provider: 'github',
    source: 'acme/web',
    people: githubPeople(github),
    proxy: github.proxy,
    env: { GITHUB_TOKEN: SECRET },
    purposeOf: ({ method }) => (method === 'GET' ? 'read' : method === 'PATCH' ? 'change' : 'make'),
    async tick() {
      github.server.state.nowMs += 120_000;
    },
    close: () => github.close(),
  };
}

export async function linearTracker(): Promise<Tracker> {
  const harness = await openLinearHarness();
  const proxy = await startFaultProxy(harness.server.url);
  return {
    factory: linearFactory,
    provider: 'linear',
    source: 'ENG',
    people: harness.people,
    proxy,
    env: { LINEAR_API_KEY: 'lin_api_good' },
    purposeOf({ body }) {
      const query = (JSON.parse(body) as { query: string }).query;
      if (!/^\s*mutation\b/.test(query)) return 'read';
      return /commentCreate|issueCreate/.test(query) ? 'make' : 'change';
    },
    tick: async () => harness.tick?.(),
    async close() {
      await proxy.close();
      await harness.close();
    },
  };
}

export interface WireOptions {
  /** Issues upstream at the start. */
  issues?: number;
  /** The room's clock against the server's. */
  offMs?: number;
}

const START_MS = Date.UTC(2040, 0, 2, 3, 4, 5);

export async function openWireRoom(tracker: Tracker, { issues = 2, offMs = 0 }: WireOptions = {}) {
  const dir = tempFolder('taskroom-wire');
  for (const folder of ['tasks', 'chores', 'agents/runbook'])
    mkdirSync(join(dir, folder), { recursive: true });
  writeFileSync(join(dir, 'agents/runbook/agent.json'), '{"runner":"runbook"}');
  const clock = { nowMs: START_MS + offMs, monotonicMs: 0 };
  const effects = createClockedEffects(clock, createRandom(1), {
    env: tracker.env,
    fetch: (...call) => fetch(...call),
  });
  const { provider, source, proxy, factory } = tracker;
  const chores = [mirrorChore('web', { provider, source, url: proxy.url, push: ALL_PUSHED })];
  const process = openSyncProcess({ dir, effects, chores, factory });
  const drafts = Array.from({ length: issues }, (_, at) => ({
    title: `Issue ${at + 1}`,
    body: `Body ${at + 1}`,
  }));
  const refs = await tracker.people.createIssues(drafts);
  const room = {
    tracker,
    effects,
    process,
    refs,
    run: (options: Partial<SyncOptions> = {}): Promise<SyncReport> =>
      process.sync.syncChore('web', { pull: true, push: true, ...options }, new AbortController().signal),
    /** Minutes pass on both sides. */
    async later(ms: number): Promise<void> {
      effects.pass(ms);
      for (let passed = 0; passed < ms; passed += 120_000) await tracker.tick();
    },
    paths: (): string[] =>
      readdirSync(join(dir, 'tasks'))
        .filter((name) => name.endsWith('.md'))
        .sort(),
    read(ref: string): string {
      const view = process.sync.mirrors().find((one) => one.ref === ref);
      if (!view?.path) throw new Error(`${ref} has no file`);
      return readFileSync(join(dir, view.path), 'utf8');
    },
    texts: (): string[] => room.paths().map((name) => readFileSync(join(dir, 'tasks', name), 'utf8')),
    async close(): Promise<void> {
      await process.close();
      await tracker.close();
    },
  };
  return room;
}

/** The two are in sync; then both sides have news of both. */
export async function makeNews(room: WireRoom): Promise<void> {
  const { process, tracker, refs } = room;
  await room.run();
  await room.later(120_000);
  const [one, two] = refs as [string, string];
  const id = (ref: string) => process.sync.mirrors().find((view) => view.ref === ref)!.task;
  await tracker.people.editIssue(one, { body: 'Their new words' });
  await tracker.people.addComments!(two, ['Their comment']);
  await process.tasks.call('comment', { ref: id(one), text: 'Our comment' }, PERSON);
  await process.tasks.call('progress', { ref: id(one), text: 'Our progress' }, PERSON);
  await process.tasks.call('complete', { ref: id(one), outcome: 'Our outcome' }, PERSON);
  await process.tasks.call('set', { ref: id(two), keys: { title: 'Our title' } }, PERSON);
}

const count = (text: string, part: string): number => text.split(part).length - 1;

/** Every piece of news is on both sides, once; and another sync writes nothing anywhere. */
export async function judgeNews(room: WireRoom): Promise<Record<string, unknown>> {
  const { tracker, refs } = room;
  const [one, two] = refs as [string, string];
  const [first, second] = [await tracker.people.look(one), await tracker.people.look(two)];
  const said = (part: string): number => first!.comments.filter(({ body }) => body.includes(part)).length;
  const before = room.texts();
  const asked = tracker.proxy.asked.length;
  await room.later(120_000);
  const quiet = await room.run();
  const writes = tracker.proxy.asked.slice(asked).filter((each) => tracker.purposeOf(each) !== 'read');
  return {
    upstream: [first!.body, second!.title, said('Our comment'), said('Our progress'), said('Our outcome')],
    comments: [first!.comments.length, second!.comments.length],
    here: [count(room.read(one), 'Their new words'), count(room.read(two), '> Their comment')],
    ours: ['> Our comment', 'Our progress', 'Our outcome'].map((part) => count(room.read(one), part)),
    status: /^status: (\w+)$/m.exec(room.read(one))?.[1],
    files: room.paths().length,
    writes: writes.map(({ method, path }) => `${method} ${path}`),
    same: JSON.stringify(room.texts()) === JSON.stringify(before),
    quiet: [quiet.error, quiet.updated, quiet.pushed, quiet.commentsOut, quiet.waiting],
  };
}

export const ALL_WELL = {
  upstream: ['Their new words', 'Our title', 1, 1, 1],
  comments: [3, 1],
  here: [1, 1],
  ours: [1, 1, 1],
  status: 'done',
  files: 2,
  writes: [],
  same: true,
  quiet: [null, 0, 0, 0, 0],
};
