// The bridge of a turn whose agent is on another machine: nothing lies on the host for programs, and the secret is one an attempt.
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { hashToken } from '../../../src/app/bridge/bridge-folder.ts';
import type { OpenBridges } from '../../../src/app/bridge/turn-bridges.ts';
import { createTurnBridges } from '../../../src/app/bridge/turn-bridges.ts';
import type { TurnId } from '../../../src/core/ids.ts';
import type { TurnBridge } from '../../../src/pulse/ports.ts';
import { openTestRoom, type TestRoom } from '../../tasks/test-room.ts';

const TURN = 'b11111111' as TurnId;
let room: TestRoom;
let dir: string;
let bridge: TurnBridge;
const found: OpenBridges = new Map();

beforeEach(async () => {
  room = openTestRoom();
  room.save('One.md', '---\nid: abc12345\nstatus: doing\n---\nDo it.\n');
  room.runTurn(TURN, 'abc12345');
  dir = join(room.deps.room.turnsDir, TURN, 'bridge');
  bridge = await open();
});
afterEach(async () => {
  await bridge.close();
  await room.close();
});

function open(): Promise<TurnBridge> {
  const options = { endJobs: async () => undefined, open: found };
  return createTurnBridges({ ...options, deps: room.deps, tasks: room.tasks }).open(
    TURN,
    (error) => {
      throw error;
    },
    true,
  );
}

const ask = (token: string, key = 'key00000001') =>
  found
    .get(TURN)!
    .carry(JSON.stringify({ key, token, op: 'progress', input: { ref: 'One', text: 'Half of it' } }));

test('it makes no folder, and carries out what the agent reports with the secret of its attempt', async () => {
  expect(existsSync(dir)).toBe(false);
  const secret = await found.get(TURN)!.secretOf('0.w1');
  expect(room.deps.ledger.turns.reporting(TURN)?.tokenHash).toBe(hashToken(secret));
  expect(await ask(secret)).toMatchObject({ ok: true });
  expect(existsSync(dir)).toBe(false);
});

test('the same attempt is given the same secret again; the next takes it away', async () => {
  const { secretOf } = found.get(TURN)!;
  const secret = await secretOf('0.w1');
  expect(await secretOf('0.w1')).toBe(secret);
  const next = await secretOf('1.w2');
  expect(next).not.toBe(secret);
  expect(await ask(secret)).toMatchObject({ ok: false, error: { code: 'not_allowed' } });
  expect(await ask(next, 'key00000002')).toMatchObject({ ok: true });
});

test('a runtime that takes it up goes on without a folder, and with the secret that is on record', async () => {
  const secret = await found.get(TURN)!.secretOf('0.w1');
  await bridge.close();
  // What a refusal leaves there is no bridge of a program.
  mkdirSync(dir, { recursive: true });
  bridge = await open();
  expect(await ask(secret)).toMatchObject({ ok: true });
  expect(existsSync(join(dir, 'requests'))).toBe(false);
});
