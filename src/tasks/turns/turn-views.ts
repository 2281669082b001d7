// Turns as every face shows them: those on record, those that are requested, and jobs, which are turns of a shell command.
import { statSync } from 'node:fs';
import { commandOf } from '../../core/config/agent-env.ts';
import { type ThreadId, taskOfThread, threadOfJob } from '../../core/ids.ts';
import { defined } from '../../core/plain-data.ts';
import { usageJson } from '../../core/rules/budget.ts';
import { shownName } from '../../core/task/names.ts';
import { isoOrNull } from '../../core/time/durations.ts';
import type { JobRecord } from '../../store/ledger/turns/jobs.ts';
import type { PendingTurn } from '../../store/ledger/turns/requests.ts';
import type { TurnFilter, TurnRecord } from '../../store/ledger/turns/turns.ts';
import type { JobJson, TurnJson } from '../shapes/turn.ts';
import type { TaskRoom } from '../task-room.ts';

export type ListedTurns = Omit<TurnFilter, 'thread'> & { pending?: boolean };

export const DEFAULT_LIMIT = 20;

/** Requested ones first, then the newest. @param thread null for the whole room */
export function turnsOn(
  deps: TaskRoom,
  thread: ThreadId | null,
  { state, untold = false, pending = state === 'pending', limit = DEFAULT_LIMIT }: ListedTurns,
): TurnJson[] {
  const { turns, requests, jobs } = deps.ledger;
  const task = thread === null ? null : taskOfThread(thread);
  const requested = thread === null ? requests.all().slice(0, limit) : [requests.get(thread)];
  const asked = pending ? requested.filter((request) => request !== null) : [];
  // A chore has no jobs, and their ends are told to the agent, not to the person.
  const hasJobs = !untold && (thread === null || task !== null);
  const started = hasJobs ? jobs.list(task === null ? {} : { task }) : [];
  const begun = [
    ...turns
      .list({ ...(thread && { thread }), ...defined({ state }), untold, limit })
      .map((turn) => turnJson(deps, turn)),
    ...started.filter((job) => state === undefined || job.state === state).map((job) => jobAsTurn(deps, job)),
  ];
  const startOf = ({ started_at, asked_at }: TurnJson) => Date.parse(started_at ?? asked_at!);
  begun.sort((a, b) => startOf(b) - startOf(a));
  return [...asked.map((request) => requestJson(deps, request)), ...begun].slice(0, limit);
}

export function turnJson(deps: TaskRoom, turn: TurnRecord): TurnJson {
  const { thread, origin, runner, reason, reasons, attempt, command } = turn;
  return {
    ...{ ...processJson(turn), task: taskOfThread(thread), thread, origin, runner },
    ...{ reason, reasons, attempt, command },
    started_at: isoOrNull(turn.startedAt),
    output_offset: bytesOfOutput(deps, turn),
    limited_until: isoOrNull(turn.limitedUntil),
    usage: turn.usage && usageJson(turn.usage),
  };
}

export function startOfTurn(deps: TaskRoom, { id, thread, origin, agent, reasons, ...request }: PendingTurn) {
  const { outside, askedAt } = request;
  const task = taskOfThread(thread);
  const memory = deps.ledger.tasks.get(task ?? '');
  const settings = deps.agents().get(agent);
  return {
    ...{ id, thread, origin, agent, reasons, outside, askedAt, attempt: 1 },
    ...{ runner: settings?.runner ?? '', command: commandOf(settings) },
    description: memory === null ? (task ?? thread) : shownName(memory),
  };
}

export function requestJson(deps: TaskRoom, request: PendingTurn): TurnJson {
  const { outside: _, askedAt, ...start } = startOfTurn(deps, request);
  return {
    ...{ ...start, task: taskOfThread(start.thread), state: 'pending', reason: null },
    ...{ asked_at: isoOrNull(askedAt), started_at: null, ended_at: null, paused_ms: 0 },
    ...{ exit_code: null, signal: null, pid: null, message: null, tool_call: null, told: false },
    ...{ output_path: pathOfOutput(request), output_offset: 0, limited_until: null, usage: null },
  };
}

export function jobAsTurn(deps: TaskRoom, job: JobRecord): TurnJson {
  return {
    ...{ ...processJson(job), task: job.task, thread: threadOfJob(job.id), origin: 'task' },
    ...{ runner: job.kind, reason: job.reason as TurnJson['reason'], reasons: [], attempt: 1 },
    started_at: job.state === 'pending' ? null : isoOrNull(job.startedAt ?? job.askedAt),
    ...{ command: job.command, output_offset: bytesOfOutput(deps, job), limited_until: null, usage: null },
  };
}

export function jobJson(job: JobRecord): JobJson {
  const { kind, task, turn, command, keep, watch, reason } = job;
  return {
    ...{ ...processJson(job), kind, thread: threadOfJob(job.id), task, turn, command, keep, watch, reason },
    asked_at: new Date(job.askedAt).toISOString(),
    started_at: isoOrNull(job.startedAt),
  };
}

function processJson(record: TurnRecord | JobRecord) {
  const { id, agent, description, state, signal, pid, message, told } = record;
  return {
    ...{ id, agent, description, state, signal, pid, message, told },
    ...{ exit_code: record.exitCode, tool_call: record.toolCall, paused_ms: record.pausedMs },
    asked_at: isoOrNull(record.askedAt),
    ended_at: isoOrNull(record.endedAt),
    output_path: pathOfOutput(record),
  };
}

const pathOfOutput = ({ id }: Pick<TurnRecord, 'id'>) => `.taskroom/turns/${id}/output.log`;

const bytesOfOutput = ({ room }: TaskRoom, record: Pick<TurnRecord, 'id'>): number =>
  statSync(room.at(pathOfOutput(record)), { throwIfNoEntry: false })?.size ?? 0;
