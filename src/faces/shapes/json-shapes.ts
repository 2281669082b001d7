// What --json prints, field by field: names in snake_case, times as ISO text. docs/cli.md describes these shapes,
// and tests hold them; a field is added, never renamed.

import { threadOfTask } from '../../core/ids.ts';
import type { Spent } from '../../core/rules/budget.ts';
import type { TurnUsage } from '../../core/rules/turn.ts';
import type { WhyNot } from '../../core/rules/why-not.ts';
import { snakeKeys } from '../../core/snake-keys.ts';
import { rowOf } from '../../core/task/listed-line.ts';
import { isoOrNull } from '../../core/time/iso-time.ts';
import type { ListText, TaskDetail, TaskList, TaskView, TurnView } from '../../tasks/contract/operations.ts';

/** One task of `list`. */
export function taskJson(view: TaskView, whyNot: WhyNot | null = null) {
  return rowOf(view, view, whyNot);
}

/** One turn of `turns`, `status`, `show`, `kill`. */
export function turnJson(turn: TurnView) {
  return {
    id: turn.id,
    task: turn.task,
    thread: turn.thread,
    description: turn.description,
    origin: turn.origin,
    agent: turn.agent,
    runner: turn.runner,
    state: turn.state,
    reason: turn.reason,
    reasons: turn.reasons,
    attempt: turn.attempt,
    asked_at: isoOrNull(turn.askedAt),
    started_at: turn.state === 'pending' ? null : isoOrNull(turn.startedAt),
    ended_at: isoOrNull(turn.endedAt),
    paused_ms: turn.pausedMs,
    exit_code: turn.exitCode,
    signal: turn.signal,
    pid: turn.pid,
    message: turn.message,
    tool_call: turn.toolCall,
    told: turn.told,
    command: turn.command,
    output_path: `.taskroom/turns/${turn.id}/output.log`,
    output_offset: turn.outputBytes,
    limited_until: isoOrNull(turn.limitedUntil),
    usage: turn.usage && usageJson(turn.usage),
  };
}

function usageJson({ inputTokens, outputTokens, costUsd }: TurnUsage) {
  return { input_tokens: inputTokens, output_tokens: outputTokens, cost_usd: costUsd };
}

/** What turns used, summed. */
export function spentJson(spent: Spent) {
  return { turns: spent.turns, seconds: Math.round(spent.ms / 1000), ...usageJson(spent) };
}

/** `show`. */
export function detailJson(detail: TaskDetail) {
  return {
    ...taskJson(detail, detail.whyNot),
    thread_id: detail.id === null ? null : threadOfTask(detail.id),
    steps: { ...detail.steps, list: detail.stepList },
    resources: detail.resources,
    blockers: detail.blockers,
    subtasks: detail.subtasks,
    blocks: detail.blocks,
    archived: detail.archived === true,
    deleted: detail.deleted === true,
    sort: detail.sort,
    created_by: detail.createdBy,
    completed_by: detail.completedBy,
    comments: detail.comments,
    questions: detail.questions,
    turns: detail.turns.map(turnJson),
    attempts: detail.attempts,
    used: spentJson(detail.used),
    budget: detail.budget,
    odd: detail.odd,
    remote: detail.remote,
    checks: snakeKeys(detail.checks),
    body: detail.body,
    text: detail.text,
  };
}

const CHUNK_TASKS = 1000;

/** `list`, in pieces of some hundred kilobytes, so that a long list is neither one giant string nor many small writes. */
export function* listJsonChunks(list: TaskList | ListText): Generator<string, void, void> {
  yield '{"tasks":[';
  if ('chunks' in list) yield* list.chunks;
  else yield* chunksOf(list);
  yield `],"invalid":${JSON.stringify(list.invalid)},"odd":${JSON.stringify(list.odd)}}\n`;
}

function* chunksOf({ tasks, whyNot }: TaskList): Generator<string, void, void> {
  for (let at = 0; at < tasks.length; at += CHUNK_TASKS) {
    const part = JSON.stringify(
      tasks.slice(at, at + CHUNK_TASKS).map((task) => taskJson(task, whyNot?.get(task.path))),
    );
    yield (at === 0 ? '' : ',') + part.slice(1, -1);
  }
}
