// The documented shapes of --json. A change here breaks people's scripts.
import { expect, test } from 'vitest';
import { snakeKeys } from '../../../src/core/plain-data.ts';
import { asListed } from '../../../src/core/task/listed-task.ts';
import { readTask } from '../../../src/core/task/read-task.ts';
import { addFacts } from '../../../src/tasks/views/turn-facts.ts';
import { turn } from '../../cli/task-views.ts';

test('a task of list', () => {
  const text = '---\nid: fixit000\nblocked_by: [x]\n---\n## Steps\n- [x] One\n- [ ] Two\n';
  const reading = readTask('tasks/Fix it.md', text);
  if (!reading.ok) throw new Error('no task');
  const id = reading.task.id!;
  const rests = { running: null, pending: false, held: false, parked_until: null, silent: false };
  const facts = new Map([[id, { ...rests, retry_at: '1970-01-01T00:00:00.000Z' }]]);
  expect(addFacts(asListed(reading.task, null), { of: facts, finished: new Map() }, false)).toEqual({
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
    sort: null,
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
