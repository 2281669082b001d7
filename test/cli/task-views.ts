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
    path: `tasks/${name}.md`,
    ...{ status: 'todo', requester: 'owner', blocked_by: [], labels: [], steps: { done: 0, total: 0 } },
    ...{ paused: false, blocked: false, waiting: false, pending: false, held: false, nothing_written: false },
    ...{ title: null, owner: null, priority: null, sprint: null, artifact: null, scope: null, parent: null },
    ...{ created: null, updated: null, due: null, finished_at: null, sort: null, active_form: null },
    ...{ running: null, retry_at: null, parked_until: null, why_not },
    ...more,
  };
}

const NO_OUTPUT = { room: { at: () => '/nowhere' } } as unknown as TaskRoom;

export function turn(more: Partial<TurnRecord> = {}): TurnJson {
  const made = turnJson(NO_OUTPUT, {
    id: 'b12345678' as TurnId,
    thread: 'task:local:wordcnt1' as TurnRecord['thread'],
    ...{ origin: 'task', agent: 'runbook', runner: 'runbook', command: 'sh agent.sh' },
    ...{ state: 'completed', reason: 'ok', reasons: ['new'], attempt: 1, revision: 'r', exitCode: 0 },
    ...{ description: 'Count the words', message: '', outside: true, hears: false, told: false },
    ...{ askedAt: 1_000, startedAt: 2_000, endedAt: 5_000, pausedMs: 0 },
    ...{ signal: null, pid: null, toolCall: null, usage: null, limitedUntil: null },
    ...more,
  });
  return more.state === 'pending' ? { ...made, started_at: null } : { ...made, output_offset: 12 };
}
