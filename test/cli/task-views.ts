// Tasks for rendering tests, each complete, with what matters set by hand.
import type { TaskId, TurnId } from '../../src/core/ids.ts';
import type { TurnRecord } from '../../src/store/ledger/turns/turns.ts';
import type { TaskRow } from '../../src/tasks/shapes/task.ts';
import type { TurnJson } from '../../src/tasks/shapes/turn.ts';
import type { TaskRoom } from '../../src/tasks/task-room.ts';
import { turnJson } from '../../src/tasks/turns/turn-views.ts';

export const isoOf = (atMs: number): string => new Date(atMs).toISOString();

export function view(name: string, more: Partial<TaskRow> = {}, why_not: TaskRow['why_not'] = null): TaskRow {
  return {
    id: `${name.toLowerCase().replace(/[^a-z]/g, '')}00000000`.slice(0, 8) as TaskId,
    name,
    title: null,
    created: null,
    updated: null,
    path: `tasks/${name}.md`,
    status: 'todo',
    paused: false,
    blocked: false,
    blocked_by: [],
    waiting: false,
    running: null,
    pending: false,
    held: false,
    retry_at: null,
    parked_until: null,
    nothing_written: false,
    why_not,
    owner: null,
    requester: 'owner',
    priority: null,
    labels: [],
    sprint: null,
    artifact: null,
    scope: null,
    parent: null,
    due: null,
    sort: null,
    finished_at: null,
    active_form: null,
    steps: { done: 0, total: 0 },
    ...more,
  };
}

const NO_OUTPUT = { room: { at: () => '/nowhere' } } as unknown as TaskRoom;

export function turn(more: Partial<TurnRecord> = {}): TurnJson {
  const made = turnJson(NO_OUTPUT, {
    id: 'b12345678' as TurnId,
    thread: 'task:local:wordcnt1' as TurnRecord['thread'],
    origin: 'task',
    hears: false,
    agent: 'runbook',
    runner: 'runbook',
    state: 'completed',
    reason: 'ok',
    reasons: ['new'],
    attempt: 1,
    revision: 'r',
    command: 'sh agent.sh',
    description: 'Count the words',
    outside: true,
    askedAt: 1_000,
    startedAt: 2_000,
    endedAt: 5_000,
    pausedMs: 0,
    exitCode: 0,
    signal: null,
    pid: null,
    message: '',
    toolCall: null,
    told: false,
    usage: null,
    limitedUntil: null,
    ...more,
  });
  return more.state === 'pending' ? { ...made, started_at: null } : { ...made, output_offset: 12 };
}
