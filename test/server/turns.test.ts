// Turns over HTTP: their output from a byte on, waited for, followed as it comes, and the figures of the room.
import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { type TaskId, type TurnId, threadOfTask } from '../../src/core/ids.ts';
import { createNodeEffects } from '../../src/node.ts';
import { openLedger } from '../../src/store/ledger/ledger.ts';
import { beginTurn, ENDED_WELL } from '../support/ledger-queue.ts';
import { room } from './each-room.ts';

const TURN = 'b11111111' as TurnId;
let print: (text: string) => void;
let end: () => void;

beforeEach(() => {
  room.save('One.md', '---\nid: one11111\nstatus: doing\n---\nDo it.\n');
  const dir = join(room.dir, '.taskroom/turns', TURN);
  mkdirSync(dir, { recursive: true });
  print = (text) => appendFileSync(join(dir, 'output.log'), text);
  const ledger = openLedger(join(room.dir, '.taskroom/ledger.db'), { effects: createNodeEffects() });
  const thread = threadOfTask('one11111' as TaskId);
  beginTurn(ledger, { id: TURN, thread, description: 'One', askedAt: 1_000, startedAt: 1_000 });
  end = () => {
    ledger.turns.end(TURN, { ...ENDED_WELL, reason: null as never, endedAt: 2_000 });
    ledger.close();
  };
});

type Output = { text: string; next: number; size: number; state: string };

const output = async (query: string) =>
  (await room.ask('GET', `/api/turns/${TURN}/output${query}`)).body as Output;

test('output is read from a byte on, and waited for', async () => {
  print('grün');
  expect(await output('')).toMatchObject({ text: 'grün', next: 5, size: 5, state: 'running' });
  expect(await output('?offset=5')).toMatchObject({ text: '', next: 5 });
  const waiting = output('?offset=5&wait=30');
  print(' und blau');
  expect(await waiting).toMatchObject({ text: ' und blau', next: 14 });
  const toTheEnd = output('?offset=14&wait=30');
  end();
  expect(await toTheEnd).toMatchObject({ text: '', state: 'completed' });
  expect((await room.ask('GET', `/api/turns/${TURN}/output?wait=9999`)).status).toBe(400);
});

test('output is followed until the turn ends', async () => {
  print('one ');
  const response = await fetch(`${room.url}/api/turns/${TURN}/follow`, {
    headers: { authorization: `Bearer ${room.token}` },
  });
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  expect((await reader.read()).value).toBe('one ');
  print('two');
  expect((await reader.read()).value).toBe('two');
  end();
  expect((await reader.read()).done).toBe(true);
});

test('figures are those of the room', async () => {
  const said = { turn: TURN, id: 'one11111' as never, name: 'One' };
  const begun = { agent: 'runbook', attempt: 1, reasons: [], adopted: false };
  room.runtime.events.emit({ type: 'turn.started', ...said, ...begun });
  const ended = { state: 'failed', reason: 'exit', exitCode: 1, tookMs: 1500, message: '' } as const;
  room.runtime.events.emit({ type: 'turn.ended', ...said, ...ended });
  const trouble = { code: 'rate_limited', message: 'x', hint: null } as const;
  const failed = { type: 'sync.failed', chore: 'web', direction: 'both', ...trouble } as const;
  room.runtime.events.emit({ ...failed, requests: 3, remaining: 42 });
  room.runtime.events.emit({ ...failed, requests: 2, remaining: null });
  room.save('Bad.md', '---\nstatus: nope\n---\n');
  const { body, headers } = await room.ask('GET', '/metrics');
  expect(headers.get('content-type')).toContain('text/plain');
  for (const line of [
    'taskroom_turns_total{agent="runbook",state="failed",reason="exit"} 1',
    'taskroom_turns_running{agent="runbook"} 1',
    'taskroom_sync_requests_total{chore="web"} 5',
    'taskroom_sync_budget_remaining{chore="web"} 42',
    'taskroom_files_invalid 1',
    'taskroom_tasks{status="doing"} 1',
  ])
    expect(body).toContain(line);
  end();
});

test('the words of an agent whose form nobody knows are events as they come', async () => {
  print('first\n');
  const response = await fetch(`${room.url}/api/turns/${TURN}/follow?form=events`, {
    headers: { authorization: `Bearer ${room.token}` },
  });
  expect(response.headers.get('content-type')).toBe('application/x-ndjson');
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  expect(JSON.parse((await reader.read()).value!)).toEqual({ type: 'text', text: 'first\n', partial: true });
  print('second\n');
  expect(JSON.parse((await reader.read()).value!)).toEqual({ type: 'text', text: 'second\n', partial: true });
  end();
  expect(await reader.read()).toMatchObject({ done: true });
});
