// Turns as they are shown: those on record, those that are requested, and jobs, which are turns of a shell command.

import { statSync } from 'node:fs';
import { commandOf } from '../../core/config/agent-env.ts';
import { defined } from '../../core/defined.ts';
import { type TaskId, type ThreadId, taskOfThread, threadOfJob } from '../../core/ids.ts';
import { usageJson } from '../../core/rules/budget.ts';
import type { TurnState } from '../../core/rules/turn.ts';
import { isoOrNull } from '../../core/time/durations.ts';
import type { JobRecord } from '../../store/ledger/turns/jobs.ts';
import type { PendingTurn } from '../../store/ledger/turns/requests.ts';
import type { TurnFilter, TurnRecord } from '../../store/ledger/turns/turns.ts';
import type { TurnJson } from '../shapes/turn.ts';
import type { TaskRoom } from '../task-room.ts';

/** A turn on record, one that is asked for (`pending`), or a job. */
export interface TurnView extends TurnRecord {
  /** The task it is about; null for a chore's. */
  task: TaskId | null;
  /** How far its output goes now: where to read on. */
  outputBytes: number;
}

/** What of the turns is listed. */
export type ListedTurns = Omit<TurnFilter, 'thread'> & { pending?: boolean };

const DEFAULT_LIMIT = 20;

/** @param thread null for the whole room */
export function turnsOn(
  deps: TaskRoom,
  thread: ThreadId | null,
  { state, untold = false, pending = state === 'pending', limit = DEFAULT_LIMIT }: ListedTurns,
): TurnView[] {
  const { turns, requests, jobs } = deps.ledger;
  const task = thread === null ? null : taskOfThread(thread);
  const asked = !pending
    ? []
    : thread === null
      ? requests.all().slice(0, limit)
      : [requests.get(thread)].filter((request) => request !== null);
  const fits = (each: { state: TurnState }) => state === undefined || each.state === state;
  // A chore has no jobs, and of their ends the agent is told.
  const started =
    untold || (thread !== null && task === null) ? [] : jobs.list(task === null ? {} : { task });
  const of = {
    ...(thread === null ? {} : { thread }),
    ...defined({ state }),
    untold,
    limit,
  };
  const begun = [
    ...turns.list(of).map((turn) => viewOfTurn(deps, turn)),
    ...started.filter(fits).map((job) => viewOfJobAsTurn(deps, job)),
  ];
  begun.sort((a, b) => b.startedAt - a.startedAt);
  return [...asked.map((request) => viewOfRequest(deps, request)), ...begun].slice(0, limit);
}

export function viewOfTurn(deps: TaskRoom, turn: TurnRecord): TurnView {
  return withOutput(deps, turn, taskOfThread(turn.thread));
}

export function viewOfRequest(deps: TaskRoom, request: PendingTurn): TurnView {
  const { id, thread, origin, agent, reasons, outside, askedAt } = request;
  const task = taskOfThread(thread);
  const name = task === null ? thread : (deps.ledger.tasks.get(task)?.name ?? task);
  const found = deps.agents().get(agent);
  const asked = { id, thread, origin, agent, reasons, outside, askedAt, startedAt: askedAt };
  const what = { runner: found?.runner ?? '', command: commandOf(found), description: name };
  return { ...NOT_BEGUN, ...asked, ...what, state: 'pending', task, outputBytes: 0 };
}

export function viewOfJobAsTurn(deps: TaskRoom, job: JobRecord): TurnView {
  const { id, task, agent, command, description, state, askedAt, endedAt, pausedMs } = job;
  const { exitCode, signal, pid, message, toolCall, told } = job;
  const record = { id, agent, command, description, state, askedAt, endedAt, pausedMs, exitCode, signal };
  const turn: TurnRecord = {
    ...{ ...NOT_BEGUN, ...record, pid, message, toolCall, told },
    thread: threadOfJob(id),
    origin: 'task',
    runner: job.kind,
    reason: job.reason as TurnRecord['reason'],
    reasons: [],
    outside: false,
    startedAt: job.startedAt ?? askedAt,
  };
  return withOutput(deps, turn, task);
}

const NOT_BEGUN = {
  reason: null,
  attempt: 1,
  revision: '',
  endedAt: null,
  pausedMs: 0,
  exitCode: null,
  signal: null,
  pid: null,
  message: null,
  toolCall: null,
  told: false,
  usage: null,
  limitedUntil: null,
} as const;

function withOutput({ room }: TaskRoom, turn: TurnRecord, task: TaskId | null): TurnView {
  const path = room.at(`.taskroom/turns/${turn.id}/output.log`);
  return { ...turn, task, outputBytes: statSync(path, { throwIfNoEntry: false })?.size ?? 0 };
}

export function turnJson(turn: TurnView): TurnJson {
  const { id, task, thread, description, origin, agent, runner, state, reason, reasons, attempt } = turn;
  const { signal, pid, message, told, command } = turn;
  return {
    ...{ id, task, thread, description, origin, agent, runner, state, reason, reasons, attempt },
    asked_at: isoOrNull(turn.askedAt),
    started_at: state === 'pending' ? null : isoOrNull(turn.startedAt),
    ended_at: isoOrNull(turn.endedAt),
    paused_ms: turn.pausedMs,
    exit_code: turn.exitCode,
    ...{ signal, pid, message },
    tool_call: turn.toolCall,
    ...{ told, command },
    output_path: `.taskroom/turns/${id}/output.log`,
    output_offset: turn.outputBytes,
    limited_until: isoOrNull(turn.limitedUntil),
    usage: turn.usage && usageJson(turn.usage),
  };
}
