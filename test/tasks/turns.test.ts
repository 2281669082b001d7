import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { type TurnId, threadOfTask } from '../../src/core/ids.ts';
import type { InputOf } from '../../src/operations/client.ts';
import { refresh } from '../../src/tasks/observe/refresh.ts';
import { forAllAsync } from '../support/for-all.ts';
import { ENDED_WELL } from '../support/ledger-queue.ts';
import { rig } from './each-room.ts';
import { codeOf, failureOf } from './test-room.ts';

const TURN = 'b11111111' as TurnId;
beforeEach(() => rig.save('One.md', '---\nid: abc12345\n---\n'));

const end = (id: TurnId) => rig.deps.ledger.turns.end(id, { ...ENDED_WELL, endedAt: rig.now() });

const turns = async (filter: InputOf<'listTurns'>) => (await rig.call('listTurns', filter)).turns;

async function output(turn: string, offset: number, limit?: number) {
  const asked = { turn, offset, ...(limit === undefined ? {} : { limit }) };
  const { text, next, size } = await rig.call('turnOutput', asked);
  return { text, next, size };
}

describe('run', () => {
  test.each([
    ['status: draft', 'is a draft'],
    ['paused: true', 'is paused'],
    ['blocked_by: [Nothing]', 'waits for Nothing'],
  ])('%s stands still without force', async (line, why) => {
    rig.save('One.md', `---\nid: abc12345\n${line}\n---\n`);
    const failure = await failureOf(rig.call('run', { ref: 'One' }));
    expect(failure.code).toBe('refused');
    expect(failure.message).toContain(why);
    expect(failure.hint).toContain('--force');
    expect(rig.deps.ledger.wakes.of('abc12345')).toEqual([]);
    expect(await rig.call('run', { ref: 'One', force: true })).toEqual({
      id: 'abc12345',
      name: 'One',
      daemon: false,
      after: null,
    });
    expect(rig.deps.ledger.wakes.of('abc12345')).toEqual(['run_forced']);
  });

  test.each([
    ['status: done', 'reopen it first'],
    ['owner: nobody', 'set its owner to one of: runbook'],
  ])('%s can not run at all', async (line, hint) => {
    rig.save('One.md', `---\nid: abc12345\n${line}\n---\n`);
    const failure = await failureOf(rig.call('run', { ref: 'One', force: true }));
    expect(failure.code).toBe('refused');
    expect(failure.hint).toContain(hint);
  });

  test("an agent's asking, and its resuming, are no word of the person and grant nothing", async () => {
    const agent = { kind: 'agent', agent: 'runbook', turn: TURN } as const;
    rig.runTurn(TURN, 'abc12345');
    await refresh(rig.handle);
    const { tasks, wakes } = rig.deps.ledger;
    tasks.update('abc12345', { loops: 7 });
    await rig.call('run', { ref: 'One' }, agent);
    expect(wakes.of('abc12345')).toEqual(['by_agent']);
    wakes.deleteAll({ task: 'abc12345' });
    await rig.call('pause', { ref: 'One', reason: 'a moment' }, agent);
    await rig.call('resume', { ref: 'One' }, agent);
    expect([wakes.of('abc12345'), tasks.get('abc12345')?.loops]).toEqual([['by_agent'], 7]);
    await rig.call('pause', { ref: 'One' });
    await rig.call('resume', { ref: 'One' });
    expect([wakes.of('abc12345'), tasks.get('abc12345')?.loops]).toEqual([['resumed'], 0]);
  });

  test('what turns make of a task, and the turns of that, is held when it is too much; a person grants as much again', async () => {
    rig.settings = { holdAbove: 1 };
    const held: boolean[] = [];
    let at = 'abc12345';
    // Each task is made by a turn of the one before.
    async function makeNext(nth: number): Promise<void> {
      rig.later(1_000);
      const turn = rig.runTurn(`b${nth}1111111`, at).id;
      at = (await rig.call('create', { name: `Made ${nth}` }, { kind: 'agent', agent: 'runbook', turn })).id;
      held.push(rig.deps.ledger.tasks.get(at)!.held);
    }
    for (let nth = 0; nth < 6; nth += 1) await makeNext(nth);
    expect(held).toEqual([false, false, false, false, true, true]);
    end('b01111111' as TurnId);
    rig.later(1_000);
    rig.runTurn('b91111111', 'abc12345');
    await makeNext(6);
    expect(held.at(-1)).toBe(false);
    // One that was made anew by what came of it: the way up ends.
    rig.deps.ledger.makers.put({ task: 'abc12345' as never, thread: threadOfTask(at as never) });
    await makeNext(7);
    expect(held).toHaveLength(8);
  });

  test('while a turn runs it is one more after that, and says so', async () => {
    expect((await rig.call('run', { ref: 'One' })).after).toBeNull();
    rig.runTurn('b11111111', 'abc12345');
    expect((await rig.call('run', { ref: 'One' })).after).toBe('b11111111');
  });
});

test('a turn is found by id, prefix, or its task; the running one before newer ones', async () => {
  rig.save('b1.md', '---\nid: zzz00001\n---\n');
  await rig.call('progress', { ref: 'One', text: 'x' });
  rig.runTurn(TURN, 'abc12345');
  expect((await failureOf(rig.call('showTurn', { turn: 'b1' }))).message).toContain('had no turn yet');
  for (const word of [TURN, 'b11', 'One', 'abc12345', 'abc'])
    expect((await rig.call('showTurn', { turn: word })).id).toBe(TURN);
  end(TURN);
  rig.later(1000);
  rig.runTurn('b12222222', 'abc12345');
  expect((await rig.call('showTurn', { turn: 'One' })).id).toBe('b12222222');
  expect((await turns({ task: 'One', pending: false })).map(({ id }) => id)).toEqual(['b12222222', TURN]);
  expect((await turns({ state: 'running' })).map(({ id }) => id)).toEqual(['b12222222']);
  expect(await failureOf(rig.call('showTurn', { turn: 'nothing' }))).toMatchObject({ code: 'not_found' });
  rig.save('b1.md', '---\nid: zzz00001\n---\nnot a turn\n');
  rig.runTurn('c11111111', 'zzz00001');
  expect((await rig.call('showTurn', { turn: 'b1' })).id).toBe('c11111111');
});

describe('output', () => {
  function write(bytes: Uint8Array): void {
    mkdirSync(join(rig.deps.room.turnsDir, TURN), { recursive: true });
    writeFileSync(join(rig.deps.room.turnsDir, TURN, 'output.log'), bytes);
  }

  async function readAll(limit: number): Promise<string> {
    let text = '';
    let offset = 0;
    for (let rounds = 0; rounds < 10_000; rounds += 1) {
      const part = await output(TURN, offset, limit);
      if (part.next === offset) return text;
      text += part.text;
      offset = part.next;
    }
    throw new Error('it never ends');
  }

  test('any bytes, read in any pieces, give the text of the whole', async () => {
    rig.runTurn(TURN, 'abc12345');
    end(TURN);
    const bytes = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 40 }).map((text) => new TextEncoder().encode(text)),
      fc.uint8Array({ maxLength: 40 }),
      fc
        .array(
          fc.constantFrom(0x41, 0x80, 0xbf, 0xc3, 0xa9, 0xe2, 0x82, 0xac, 0xf0, 0x9f, 0x98, 0x80, 0xff),
          { maxLength: 30 },
        )
        .map((list) => Uint8Array.from(list)),
    );
    await forAllAsync(200, bytes, fc.integer({ min: 1, max: 50 }), async (content, limit) => {
      write(content);
      const whole = await readAll(1_000_000);
      expect(whole).toBe(new TextDecoder('utf-8', { ignoreBOM: true }).decode(content));
      const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
      let valid = true;
      try {
        text.decode(content);
      } catch {
        valid = false;
      }
      if (valid) expect(await readAll(limit)).toBe(whole);
      else expect((await readAll(limit)).replaceAll('\ufffd', '')).toBe(whole.replaceAll('\ufffd', ''));
    });
  });

  test('a character that is not complete waits while the turn runs, and an offset inside one starts after it', async () => {
    rig.runTurn(TURN, 'abc12345');
    const text = Buffer.from('a€b😀');
    write(text.subarray(0, text.length - 1));
    expect(await output(TURN, 0)).toEqual({ text: 'a€b', next: 5, size: 8 });
    expect(await output(TURN, 2)).toEqual({ text: 'b', next: 5, size: 8 });
    expect(await output(TURN, 5)).toEqual({ text: '', next: 5, size: 8 });
    write(text);
    expect(await output(TURN, 5)).toEqual({ text: '😀', next: 9, size: 9 });
    expect(await output(TURN, 99)).toEqual({ text: '', next: 9, size: 9 });
    write(text.subarray(0, text.length - 1));
    end(TURN);
    expect(await output(TURN, 5)).toEqual({ text: '\ufffd', next: 8, size: 8 });
  });

  test('no file yet, no such turn, no such offset', async () => {
    rig.runTurn(TURN, 'abc12345');
    expect(await output(TURN, 0)).toEqual({ text: '', next: 0, size: 0 });
    for (const id of ['b99999999', '../../../x', '']) expect(await codeOf(output(id, 0))).toBe('not_found');
    for (const offset of [-1, 0.5, Number.NaN]) expect(await codeOf(output(TURN, offset))).toBe('bad_input');
    expect(await codeOf(output(TURN, 0, 0))).toBe('bad_input');
  });
});
