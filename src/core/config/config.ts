// room.yaml and agent.json: text → settings in the runtime's units, or every problem at once with its place.
// A key that is not in the schema is an error: a mistyped setting must never be silently ignored.
import * as z from 'zod';
import type { Problem } from '../errors.ts';
import {
  ACCESS_NAMES,
  type AgentConfig,
  HOOKS,
  MODEL_APIS,
  PERMISSION_NAMES,
  PRESET_NAMES,
  RUNNER_NAMES,
  TOOLS_BY,
  type WorkspaceHooks,
} from './agent-config.ts';
import { readArguments, readCommand, readEnv, readVariableName, shellCommand } from './agent-fields.ts';
import { checkRunner } from './agent-keys-together.ts';
import { readApprovals, readModelAddress, readPrices } from './agent-model-fields.ts';
import { readBudget } from './budget.ts';
import {
  agentId,
  bytes,
  checkCommands,
  duration,
  field,
  group,
  isAgentId,
  line,
  MAX_KEEP_MS,
  MAX_TIMER_MS,
  oneOf,
  schedule,
  timezone,
  trueOrFalse,
  wholeNumber,
  wordsOf,
} from './config-fields.ts';
import { sortProblems, toProblems } from './config-problems.ts';
import { readJsonSource, readYamlSource } from './config-source.ts';
import { readHandOver } from './hand-over.ts';
import { DEFAULT_NOTIFY, INBOX_KINDS } from './inbox-kinds.ts';
import { readProviders } from './provider-names.ts';
import type { RoomConfig } from './room-config.ts';
import { show } from './shown-value.ts';
import { placeOf, readWorkspace } from './workspace-source.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const DAY = 86_400 * SECOND;

const turns = wholeNumber(1, 1000);
const time = duration(SECOND, MAX_TIMER_MS);
const keep = duration(0, MAX_KEEP_MS);

const LIMITS = {
  total: field(turns, 4),
  chat: field(turns, 4),
  task: field(turns, 2),
  chore: field(turns, 1),
};

const KEEP = {
  turns: field(keep, 30 * DAY),
  turns_per_task: field(wholeNumber(0, 100_000), 20),
  attic: field(keep, 90 * DAY),
  spill: field(keep, 90 * DAY),
};

const NOTIFY = {
  command: field(readCommand, null),
  webhook: field(readVariableName, null),
  format: field(oneOf('json', 'ntfy', 'slack'), 'json' as const),
  on: field(wordsOf(INBOX_KINDS), [...DEFAULT_NOTIFY]),
};

const HOOKS_IN = {
  port: field(wholeNumber(0, 65_535), null),
  host: field(line, '127.0.0.1'),
  github: field(readVariableName, null),
  linear: field(readVariableName, null),
};

const DREAM = {
  above: field(bytes(4096, 192 * 1024), null),
  agent: field(agentId, null),
};

const QUEUE = {
  postgres: field(readVariableName, null),
};

const BUDGETS = {
  per_task: field(readBudget, null),
  per_day: field(readBudget, null),
};

const ROOM = {
  default_agent: field(agentId, 'runbook'),
  settle: field(duration(0, 60 * MINUTE), SECOND),
  sweep: field(time, 30 * SECOND),
  limits: group(LIMITS),
  max_attempts: field(wholeNumber(1, 100), 5),
  check_timeout: field(time, 10 * MINUTE),
  max_check_rounds: field(wholeNumber(1, 100), 3),
  timeout: field(time, 60 * MINUTE),
  stall: field(time, 5 * MINUTE),
  max_output_bytes: field(bytes(1024, 2 ** 40), 64 * 2 ** 20),
  max_jobs: field(wholeNumber(0, 1000), 4),
  job_timeout: field(time, 60 * MINUTE),
  heartbeat: field(schedule, '0 6-21 * * *'),
  timezone: field(timezone, null),
  hold_above: field(wholeNumber(0, 1_000_000), 50),
  loop_guard: field(wholeNumber(1, 10_000), 20),
  archive_after: field(keep, 14 * DAY),
  on_delete: field(oneOf('forget', 'cancel'), 'forget'),
  keep: group(KEEP),
  workspaces: field(line, '.taskroom/worktrees'),
  notify: group(NOTIFY),
  hooks: group(HOOKS_IN),
  budgets: group(BUDGETS),
  dream: group(DREAM),
  queue: group(QUEUE),
  hand_over: field(readHandOver, {}),
  providers: field(readProviders, {}),
};

const HOOK = Object.fromEntries(HOOKS.map((name) => [name, field(shellCommand, null)])) as Record<
  keyof WorkspaceHooks,
  ReturnType<typeof field<string, null>>
>;

const AGENT = {
  $schema: field(line, null),
  name: field(line, null),
  runner: field(oneOf(...RUNNER_NAMES), null),
  command: field(readCommand, null),
  preset: field(oneOf(...PRESET_NAMES), null),
  model: field(line, null),
  args: field(readArguments, null),
  permissions: field(oneOf(...PERMISSION_NAMES), 'edit'),
  access: field(oneOf(...ACCESS_NAMES), 'full'),
  tools: field(oneOf(...TOOLS_BY), 'mcp'),
  approve: field(readApprovals, {}),
  api: field(oneOf(...MODEL_APIS), null),
  base_url: field(readModelAddress, null),
  api_key: field(readVariableName, null),
  max_steps: field(wholeNumber(1, 10_000), 100),
  prices: field(readPrices, null),
  cwd: field(line, null),
  env: field(readEnv, {}),
  timeout: field(time, null),
  stall: field(time, null),
  limit: field(turns, null),
  workspace: field(readWorkspace, null),
  hooks: group(HOOK),
  hook_timeout: field(time, 10 * MINUTE),
  checks: field(checkCommands, [] as string[]),
  budget: field(readBudget, null),
  fallback: field(agentId, null),
  tasks: field(trueOrFalse, true),
  writes: field(trueOrFalse, true),
};

const ROOM_SCHEMA = group(ROOM);
const AGENT_SCHEMA = z.strictObject(AGENT);
/** Allowed keys by the path of the map they stand in. */
const ROOM_ALLOWED: Record<string, string[]> = {
  '': Object.keys(ROOM),
  limits: Object.keys(LIMITS),
  keep: Object.keys(KEEP),
  notify: Object.keys(NOTIFY),
  hooks: Object.keys(HOOKS_IN),
  budgets: Object.keys(BUDGETS),
  dream: Object.keys(DREAM),
  queue: Object.keys(QUEUE),
};
const AGENT_ALLOWED: Record<string, string[]> = { '': Object.keys(AGENT), hooks: [...HOOKS] };

export type RoomConfigReading = { ok: true; config: RoomConfig } | { ok: false; problems: Problem[] };
export type AgentConfigReading = { ok: true; agent: AgentConfig } | { ok: false; problems: Problem[] };

/** Dotted paths of every key the two schemas know. */
export function configKeys(): { room: string[]; agent: string[] } {
  const room = ROOM_ALLOWED['']!.flatMap(
    (key) => ROOM_ALLOWED[key]?.map((child) => `${key}.${child}`) ?? [key],
  );
  const agent = AGENT_ALLOWED['']!.flatMap(
    (key) => AGENT_ALLOWED[key]?.map((child) => `${key}.${child}`) ?? [key],
  );
  return { room, agent };
}

/**
 * Reads the text of room.yaml; an empty text gives the defaults.
 * @param path Of the file, for the problems.
 */
export function parseRoomConfig(text: string, path: string): RoomConfigReading {
  const reading = readYamlSource(text, path);
  if (!reading.ok) return reading;
  const parsed = ROOM_SCHEMA.safeParse(reading.source.data);
  if (!parsed.success) {
    return { ok: false, problems: toProblems(parsed.error.issues, reading.source, path, ROOM_ALLOWED) };
  }
  const file = parsed.data;
  const config: RoomConfig = {
    defaultAgent: file.default_agent,
    settleMs: file.settle,
    sweepMs: file.sweep,
    limits: file.limits,
    maxAttempts: file.max_attempts,
    checkTimeoutMs: file.check_timeout,
    maxCheckRounds: file.max_check_rounds,
    timeoutMs: file.timeout,
    stallMs: file.stall,
    maxOutputBytes: file.max_output_bytes,
    maxJobs: file.max_jobs,
    jobTimeoutMs: file.job_timeout,
    heartbeat: file.heartbeat,
    timezone: file.timezone,
    holdAbove: file.hold_above,
    loopGuard: file.loop_guard,
    archiveAfterMs: file.archive_after,
    onDelete: file.on_delete,
    keepTurnsMs: file.keep.turns,
    keepTurnsPerTask: file.keep.turns_per_task,
    keepAtticMs: file.keep.attic,
    keepSpillMs: file.keep.spill,
    notify: file.notify,
    hooks: {
      port: file.hooks.port,
      host: file.hooks.host,
      secrets: { github: file.hooks.github, linear: file.hooks.linear },
    },
    taskBudget: file.budgets.per_task,
    dayBudget: file.budgets.per_day,
    workspaces: file.workspaces,
    dream: file.dream,
    queue: file.queue,
    handOver: file.hand_over,
    providers: file.providers,
  };
  return { ok: true, config };
}

/**
 * Reads the text of an agent.json.
 * @param path Of the file, for the problems.
 * @param id The agent's folder name.
 */
export function parseAgentConfig(text: string, path: string, id: string): AgentConfigReading {
  const reading = readJsonSource(text, path);
  if (!reading.ok) return reading;
  const { source } = reading;
  const parsed = AGENT_SCHEMA.safeParse(source.data);
  const problems = parsed.success ? [] : toProblems(parsed.error.issues, source, path, AGENT_ALLOWED);
  problems.push(...checkRunner(source, path));
  if (!isAgentId(id)) {
    const expected = 'letters, digits, - and _, at most 64';
    problems.push({
      path,
      line: 1,
      col: 1,
      message: `the folder name ${show(id)} is not an agent id`,
      expected,
    });
  }
  if (!parsed.success || problems.length > 0) return { ok: false, problems: sortProblems(problems) };
  const { $schema: _, ...data } = parsed.data;
  const { timeout, stall, hook_timeout: hookTimeoutMs, name, runner, args, ...others } = data;
  const { base_url: baseUrl, api_key: apiKey, max_steps: maxSteps, ...rest } = others;
  const agent = {
    id,
    name: name ?? id,
    runner: runner!,
    args: args ?? [],
    ...rest,
    ...{ baseUrl, apiKey, maxSteps },
    ...placeOf(rest),
    timeoutMs: timeout,
    stallMs: stall,
    hookTimeoutMs,
  };
  return { ok: true, agent };
}
