// The spool of a turn: every request that was put in place is carried out once and in order, whoever dies when, and
// what is no request is passed over.
import { execFileSync } from 'node:child_process';
import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { RoomError } from '../../../src/core/errors.ts';
import { createNodeEffects } from '../../../src/node.ts';
import type { Client } from '../../../src/operations/client.ts';
import { MAX_REQUEST_BYTES, requestName } from '../../../src/remote/protocol.ts';
import type { Actor } from '../../../src/tasks/task-room.ts';
import { forAllAsync } from '../../support/for-all.ts';
import { forEachTest } from '../../support/for-each-test.ts';
import { failureOf, PERSON } from '../../tasks/test-room.ts';
import { type BridgeRig, openBridgeRig, TURN } from './bridge-rig.ts';

const ACTOR: Actor = { kind: 'agent', agent: '', turn: TURN };
/** Ends of paths that the disk does not read. */
const unreadable = vi.hoisted(() => new Set<string>());
vi.mock('node:fs', async (load) => {
  const fs = await load<typeof import('node:fs')>();
  const openSync: typeof fs.openSync = (path, ...how) => {
    if ([...unreadable].some((end) => String(path).endsWith(end)))
      throw Object.assign(new Error('EIO: i/o error, open'), { code: 'EIO' });
    return fs.openSync(path, ...how);
  };
  return { ...fs, openSync };
});
const rig = forEachTest(() => openBridgeRig());

const progressIn = (text: string): string[] => [...text.matchAll(/· (word \d+)$/gm)].map(([, word]) => word!);

describe('while nothing runs the room', () => {
  beforeEach(() => rig.bridge.close());

  test('a write is written down and said so, a read fails within a second and names what there is', async () => {
    // A clock that is as far as somebody waited.
    let waitedMs = 0;
    const effects = {
      ...createNodeEffects(),
      monotonicMs: () => waitedMs,
      setTimer: (delayMs: number, run: () => void) => {
        waitedMs += delayMs;
        setImmediate(run);
        return { cancel() {} };
      },
    };
    const said = await rig.client(effects).tasks.call('progress', { ref: 'One', text: 'word 1' }, ACTOR);
    expect(said).toMatchObject({ changed: true, later: true });
    expect(rig.files('requests')).toHaveLength(1);
    expect(rig.room.read('tasks/One.md')).not.toContain('word 1');
    waitedMs = 0;
    const failure = await failureOf(rig.client(effects).tasks.call('show', { ref: 'One' }, PERSON));
    expect(failure).toMatchObject({ code: 'unavailable', hint: expect.stringContaining('context.json') });
    expect(waitedMs).toBeLessThan(1_000);
    expect(rig.files('requests')).toHaveLength(1);
  });
});

test('requests are carried out in the order of their names', async () => {
  for (const at of [5, 1, 3, 2, 4]) rig.put(at, 'progress', { ref: 'One', text: `word ${at}` });
  await rig.bridge.drain();
  expect(progressIn(rig.room.read('tasks/One.md'))).toEqual([1, 2, 3, 4, 5].map((at) => `word ${at}`));
});

test('what is no request is passed over, what is malformed or too large gets an error', async () => {
  const into = (name: string) => join(rig.dir, 'requests', name);
  const name = (at: number) => requestName(at, `key${String(at).padStart(8, '0')}`);
  writeFileSync(into('notes.txt'), 'mine');
  writeFileSync(into(`.${name(1)}`), 'half');
  writeFileSync(join(rig.room.dir, 'outside'), JSON.stringify({ key: 'key00000002', token: rig.token() }));
  symlinkSync(join(rig.room.dir, 'outside'), into(name(2)));
  mkdirSync(into(name(3)));
  execFileSync('mkfifo', [into(name(4))]);
  const put = (at: number, text: string) => {
    writeFileSync(into('.fresh'), text);
    renameSync(into('.fresh'), into(name(at)));
  };
  put(5, '{"key":');
  put(6, 'x'.repeat(MAX_REQUEST_BYTES + 1));
  put(7, '[]');
  const good = rig.put(8, 'progress', { ref: 'One', text: 'word 8' });
  await rig.bridge.drain();
  for (const at of [5, 6, 7])
    expect(rig.answer(`key${String(at).padStart(8, '0')}`)).toMatchObject({
      ok: false,
      error: { code: 'bad_input' },
    });
  for (const at of [2, 3, 4]) expect(rig.answer(`key${String(at).padStart(8, '0')}`)).toBeNull();
  expect(rig.answer(good)).toMatchObject({ ok: true });
  expect(progressIn(rig.room.read('tasks/One.md'))).toEqual(['word 8']);
  expect(rig.faults).toEqual([]);
});

test('a request that can not be read is refused, once, and said; the others are carried out', async () => {
  const { effects } = rig.room.deps;
  const { setTimer } = effects;
  effects.setTimer = (delayMs, run, background) => setTimer(delayMs / 50, run, background);
  const name = requestName(1, 'key00000001');
  unreadable.add(name);
  writeFileSync(join(rig.dir, 'requests', name), '{}');
  const good = rig.put(2, 'progress', { ref: 'One', text: 'word 2' });
  await rig.bridge.drain();
  unreadable.delete(name);
  expect(rig.answer('key00000001')).toMatchObject({ ok: false, error: { code: 'io' } });
  expect(rig.answer(good)).toMatchObject({ ok: true });
  expect(rig.files('taken')).toEqual([]);
  expect(rig.faults).toHaveLength(1);
});

test('a request that has its answer is not carried out again', async () => {
  await rig.bridge.close();
  const key = rig.put(1, 'progress', { ref: 'One', text: 'word 1' });
  writeFileSync(join(rig.dir, 'answers', `${key}.json`), JSON.stringify({ key, ok: true, result: null }));
  await (await rig.open()).drain();
  expect(rig.room.read('tasks/One.md')).not.toContain('word 1');
});

test('a flood leaves the rest of the runtime its moments', async () => {
  for (let at = 0; at < 300; at += 1) rig.put(at, 'names', {});
  let moments = 0;
  const timer = setInterval(() => {
    moments += 1;
  }, 1);
  await rig.bridge.drain();
  clearInterval(timer);
  expect(rig.files('answers')).toHaveLength(300);
  expect(moments).toBeGreaterThan(10);
});

/** Where a runtime dies: before an operation, after it, or after its answer. */
type Death = 'before' | 'after' | 'answered';

/**
 * Operations of a runtime that dies at the `at`-th call: what it was asked at that moment and later never gets an answer.
 * Its disk fails, so that it waits to try again until it is closed.
 */
function dyingAt(tasks: Client, at: number, death: Death): { tasks: Client; dead: Promise<void> } {
  let calls = 0;
  let die = () => {};
  const dead = new Promise<void>((resolve) => {
    die = resolve;
  });
  const call =
    (run: (...given: unknown[]) => Promise<unknown>) =>
    async (...given: unknown[]): Promise<unknown> => {
      calls += 1;
      const isOver = calls > at || (calls === at && death === 'before');
      const result = isOver ? null : await run(...given);
      if (calls >= at) die();
      if (isOver || (calls === at && death === 'after')) throw new RoomError('io', 'dead');
      return result;
    };
  const wrapped = Object.entries(tasks).map(([name, run]) => [name, call(run as never)]);
  return { tasks: Object.fromEntries(wrapped) as Client, dead };
}

test('whenever runtimes die, each request is carried out once and in order', async () => {
  const kinds = ['progress', 'addStep', 'create', 'set', 'outcome'] as const;
  const deaths = fc.record({
    at: fc.integer({ min: 1, max: 6 }),
    death: fc.constantFrom<Death>('before', 'after', 'answered'),
  });
  await forAllAsync(
    40,
    fc.array(fc.constantFrom(...kinds), { minLength: 1, maxLength: 8 }),
    fc.array(deaths, { maxLength: 4 }),
    fc.nat(8),
    async (asked, crashes, lateFrom) => {
      const own = await openBridgeRig();
      try {
        await own.bridge.close();
        const put = (from: number, to: number) => {
          for (let at = from; at < to; at += 1) putOne(own, at, asked[at]!);
        };
        put(0, Math.min(lateFrom, asked.length));
        for (const { at, death } of crashes) {
          const dying = dyingAt(own.room.tasks, at, death);
          const bridge = await own.openDoomed(dying.tasks);
          const over = new AbortController();
          await Promise.race([dying.dead, allAnswered(own, over.signal)]);
          over.abort();
          await bridge.close();
          await own.room.reopen();
        }
        put(Math.min(lateFrom, asked.length), asked.length);
        await (await own.open()).drain();
        await expectOnceInOrder(own, asked);
      } finally {
        await own.close();
      }
    },
  );
}, 120_000);

function putOne(own: BridgeRig, at: number, kind: string): void {
  if (kind === 'progress' || kind === 'outcome') own.put(at, kind, { ref: 'One', text: `word ${at}` });
  else if (kind === 'addStep') own.put(at, kind, { ref: 'One', title: `Step ${at}` });
  else if (kind === 'create') own.put(at, kind, { name: `Made ${at}` });
  else own.put(at, kind, { ref: 'One', changes: { 'labels+': `l${at}` } });
}

async function allAnswered(own: BridgeRig, over: AbortSignal): Promise<void> {
  while (!over.aborted && own.files('requests').length + own.files('taken').length > 0)
    await new Promise((resolve) => setTimeout(resolve, 2));
}

async function expectOnceInOrder(own: BridgeRig, asked: readonly string[]): Promise<void> {
  const text = own.room.read('tasks/One.md');
  const of = (...kinds: string[]) => asked.flatMap((kind, at) => (kinds.includes(kind) ? [at] : []));
  const section = (name: string) => text.split(`## ${name}`)[1]?.split('\n## ')[0] ?? '';
  const words = (name: string) => [...section(name).matchAll(/word (\d+)/g)].map(([, at]) => Number(at));
  expect(words('Progress')).toEqual(of('progress'));
  expect(words('Outcome')).toEqual(of('outcome'));
  expect([...text.matchAll(/\] Step (\d+)/g)].map(([, at]) => Number(at))).toEqual(of('addStep'));
  expect([...text.matchAll(/\bl(\d+)\b/g)].map(([, at]) => Number(at))).toEqual(of('set'));
  const made = own.room.names('tasks').filter((name) => name.startsWith('Made'));
  expect(made).toEqual(of('create').map((at) => `Made ${at}.md`));
  for (const [at] of asked.entries())
    expect(own.answer(`key${String(at).padStart(8, '0')}`)).toMatchObject({ ok: true });
}

test('a caller that is cut off from a dying runtime asks again under its key', async () => {
  let ran = () => {};
  const done = new Promise<void>((resolve) => {
    ran = resolve;
  });
  await rig.bridge.close();
  const call: Client['call'] = async (...given) => {
    await rig.room.tasks.call(...given);
    ran();
    return new Promise(() => {});
  };
  const bridge = await rig.openDoomed({ ...rig.room.tasks, call });
  const said = rig.client().tasks.call('progress', { ref: 'One', text: 'word 1' }, ACTOR);
  await done;
  void bridge.close();
  const next = await rig.open();
  expect(await said).toMatchObject({ id: 'abc12345' });
  await next.drain();
  expect(progressIn(rig.room.read('tasks/One.md'))).toEqual(['word 1']);
});
