// The documented shapes of --json. A change here breaks people's scripts.
import { expect, test } from 'vitest';
import { snakeKeys } from '../../../src/core/snake-keys.ts';
import { turn, view } from '../cli/task-views.ts';

test('a task of list', () => {
  expect(view('Fix it', { retryAt: 0, blockedBy: ['x'], steps: { done: 1, total: 2 } })).toEqual({
    id: 'fixit000',
    name: 'Fix it',
    status: 'todo',
    path: 'tasks/Fix it.md',
    title: null,
    paused: false,
    blocked: false,
    blocked_by: ['x'],
    running: null,
    pending: false,
    held: false,
    retry_at: '1970-01-01T00:00:00.000Z',
    parked_until: null,
    nothing_written: false,
    why_not: null,
    owner: null,
    requester: 'owner',
    priority: null,
    labels: [],
    sprint: null,
    parent: null,
    due: null,
    artifact: null,
    scope: null,
    finished_at: null,
    created: null,
    updated: null,
    active_form: null,
    waiting: false,
    steps: { done: 1, total: 2 },
  });
});

test('a turn', () => {
  expect(turn()).toEqual({
    id: 'b12345678',
    task: 'wordcnt1',
    thread: 'task:local:wordcnt1',
    description: 'Count the words',
    origin: 'task',
    agent: 'runbook',
    runner: 'runbook',
    state: 'completed',
    reason: 'ok',
    reasons: ['new'],
    attempt: 1,
    asked_at: '1970-01-01T00:00:01.000Z',
    started_at: '1970-01-01T00:00:02.000Z',
    ended_at: '1970-01-01T00:00:05.000Z',
    paused_ms: 0,
    tool_call: null,
    told: false,
    command: 'sh agent.sh',
    output_path: '.taskroom/turns/b12345678/output.log',
    output_offset: 12,
    exit_code: 0,
    signal: null,
    pid: null,
    message: '',
    limited_until: null,
    usage: null,
  });
  const usage = { inputTokens: 1200, outputTokens: 30, costUsd: null };
  expect(turn({ usage, limitedUntil: 1_000 })).toMatchObject({
    limited_until: '1970-01-01T00:00:01.000Z',
    usage: { input_tokens: 1200, output_tokens: 30, cost_usd: null },
  });
});

test('snake_case goes all the way down', () => {
  expect(snakeKeys({ tookMs: 1, problems: [{ path: 'p' }], none: null })).toEqual({
    took_ms: 1,
    problems: [{ path: 'p' }],
    none: null,
  });
});
