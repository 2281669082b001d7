// room.yaml: each setting once, all optional. Unknown keys are errors: no typo is silently ignored.
import type * as z from 'zod';
import type { ReadingOf } from '../errors.ts';
import { OWN_WORDS, toProblems } from './config-problems.ts';
import { readYamlSource } from './config-source.ts';
import { DEFAULT_NOTIFY, INBOX_KINDS } from './names.ts';
import { address, providers, schedule, timezone } from './room-values.ts';
import { group, setting, settingRows } from './setting.ts';
import {
  agentId,
  budget,
  bytes,
  command,
  duration,
  handOver,
  keep,
  line,
  oneOf,
  ownStatuses,
  time,
  variableName,
  wholeNumber,
  wordsOf,
} from './values.ts';

const turns = () => wholeNumber(1, 1000);

const secretOf = (tracker: string) =>
  setting(variableName(), `Environment variable that holds the secret ${tracker} signs its webhooks with.`);

export const ROOM = group({
  default_agent: setting(
    agentId(),
    'Agent of the tasks that name no owner: a folder under agents/.',
    'runbook',
  ),
  settle: setting(duration(0, 3_600_000), 'Quiet time after the last edit of a file before it counts.', '1s'),
  sweep: setting(
    time(),
    'Least time between two full looks at the room, which find what the watcher missed.',
    '30s',
  ),
  limits: group({
    total: setting(turns(), 'Turns at once, all together.', 4),
    chat: setting(turns(), 'Turns at once that a chat asked for.', 4),
    task: setting(turns(), 'Turns at once that a task asked for.', 2),
    chore: setting(turns(), 'Turns at once that a chore asked for.', 1),
  }),
  max_attempts: setting(
    wholeNumber(1, 100),
    'Failed turns in a row before a task is paused with the reason.',
    5,
  ),
  check_timeout: setting(time(), 'Longest time one check may take.', '10m'),
  max_check_rounds: setting(
    wholeNumber(1, 100),
    'How often in a row a done may fail its checks before the task is paused.',
    3,
  ),
  max_review_rounds: setting(
    wholeNumber(1, 100),
    'How often reviews and failed checks of its pull request wake a task before it is paused.',
    3,
  ),
  timeout: setting(time(), 'Longest time a turn may take; an agent can set its own.', '1h'),
  stall: setting(
    time(),
    'Longest silence of an agent that streams its output; an agent can set its own.',
    '5m',
  ),
  max_output_bytes: setting(bytes(1024, 2 ** 40), 'Output above this stops a turn.', '64MiB'),
  max_jobs: setting(wholeNumber(0, 1000), 'Background jobs that an agent has at once.', 4),
  job_timeout: setting(time(), 'Longest time a background job may take.', '1h'),
  heartbeat: setting(
    schedule(),
    'When open tasks are looked at again though nothing changed.',
    '0 6-21 * * *',
  ),
  timezone: setting(
    timezone(),
    "Time zone of all schedules, such as Europe/Berlin; the system's when left out.",
  ),
  hold_above: setting(
    wholeNumber(0, 1_000_000),
    'More tasks than this made due at once by edits wait for `taskroom run --all`; 0 never holds.',
    50,
  ),
  loop_guard: setting(
    wholeNumber(1, 10_000),
    'Turns in a row without outside input before a task is paused.',
    20,
  ),
  archive_after: setting(
    keep(),
    'How long a finished task stays in tasks/ before it moves to archive/.',
    '14d',
  ),
  on_delete: setting(
    oneOf(['forget', 'cancel']),
    'What deleting a task file means: forget it, or cancel the task.',
    'forget',
  ),
  keep: group({
    turns: setting(keep(), "How long a turn's folder (prompt, output, result) is kept.", '30d'),
    turns_per_task: setting(
      wholeNumber(0, 100_000),
      'Turns of a task that are kept however old they are.',
      20,
    ),
    attic: setting(keep(), 'How long texts that lost a conflict, and deleted files, are kept.', '90d'),
    spill: setting(keep(), 'How long entries moved out of a task file that grew too long are kept.', '90d'),
  }),
  workspaces: setting(
    line('path'),
    'Folder that the worktrees of tasks lie in, absolute or relative to the room.',
    '.taskroom/worktrees',
  ),
  merge: setting(
    oneOf(['auto', 'fast_forward', 'commit']),
    'How `taskroom merge` takes a branch: fast-forward, a merge commit, or the latter only where the former is not possible.',
    'auto',
  ),
  pr: group({
    done_on: setting(
      oneOf(['merged', 'opened', 'never']),
      'When a task is done by its pull request: once it is merged, or opened; `never`: its agent or a person says so.',
      'merged',
    ),
    every: setting(time(), 'How often the open pull requests of tasks are looked at.', '5m'),
  }),
  board: setting(
    address('https://tasks.example.com'),
    'Address at which people reach the board; links to it stand in the sessions of trackers.',
  ),
  notify: group({
    command: setting(
      command(),
      "Program that brings agents' messages to you: the message comes on its standard input.",
    ),
    webhook: setting(
      variableName(),
      "Environment variable that holds the address agents' messages are posted to.",
    ),
    format: setting(
      oneOf(['json', 'ntfy', 'slack']),
      'What is posted to that address: JSON with all there is, or what ntfy and Slack take.',
      'json',
    ),
    on: setting(
      wordsOf(INBOX_KINDS, 'list of kinds'),
      `What of the inbox is told by these ways: ${INBOX_KINDS.join(', ')}.`,
      [...DEFAULT_NOTIFY],
    ),
  }),
  hooks: group({
    port: setting(
      wholeNumber(0, 65_535),
      'Port of their own for the webhooks of trackers, 0 for any; left out they come in at the address of the API.',
    ),
    host: setting(line(), 'Interface that port is on; a tunnel brings deliveries to this one.', '127.0.0.1'),
    github: secretOf('GitHub'),
    linear: secretOf('Linear'),
  }),
  budgets: group({
    per_task: setting(
      budget(),
      'What a task may use (turns, minutes, tokens, cost) before it is paused; its own budget: counts instead.',
    ),
    per_day: setting(budget(), 'What all turns of a day may use before the rest waits for midnight.'),
  }),
  dream: group({
    above: setting(
      bytes(4096, 192 * 1024),
      "When a task's Progress, or its Comments, reach this, the old entries are summed up; never when left out.",
    ),
    agent: setting(agentId(), 'Agent that sums them up, of the runner command; default_agent when left out.'),
  }),
  queue: group({
    postgres: setting(variableName(), 'Holds the address of PostgreSQL: workers then run turns.'),
  }),
  hand_over: setting(handOver(), 'Agents with more rights that each may give work to.', {}),
  statuses: setting(
    ownStatuses(),
    "Statuses of the room's own, each with the one that it counts as: `review: {class: doing}`.",
    {},
  ),
  providers: setting(providers(), "Providers of the room's own: the file that each is in.", {}),
});

export type RoomConfig = z.output<typeof ROOM>;
export type RoomConfigReading = ReadingOf<{ config: RoomConfig }>;

export function parseRoomConfig(text: string, path: string): RoomConfigReading {
  const reading = readYamlSource(text, path);
  if (!reading.ok) return reading;
  const parsed = ROOM.safeParse(reading.source.data, OWN_WORDS);
  if (parsed.success) return { ok: true, config: parsed.data };
  return { ok: false, problems: toProblems(parsed.error.issues, ROOM, reading.source, path) };
}

/** A default as it stands in the file; '' where leaving the key out is the only way to say it. */
function written(value: unknown): string {
  if (Array.isArray(value)) return `[${value.join(', ')}]`;
  if (typeof value === 'string') return /^\d[\d-]* .*\*/.test(value) ? JSON.stringify(value) : value;
  return value === undefined ? '' : JSON.stringify(value);
}

/** The room.yaml of `taskroom init`: `default_agent`, and every other key as a comment with its default and what it is for. */
export function defaultRoomYaml(defaultAgent = 'runbook'): string {
  const lines = [
    `# yaml-language-server: $schema=${schemaAddress('room')}`,
    '# Settings of this room. Every key is optional; what is commented out shows the default.',
    '# Durations: 250ms, 1s, 5m, 2h, 14d. Sizes: 64MiB or a number of bytes.',
  ];
  let group: string | null = null;
  for (const { key, fallback, about } of settingRows(ROOM)) {
    const [head, child] = key.split('.') as [string, string?];
    if (child === undefined || head !== group) lines.push('');
    if (child !== undefined && head !== group) lines.push(`# ${head}:`);
    group = child === undefined ? null : head;
    if (child !== undefined) lines.push(`#   ${`${child}: ${written(fallback)}`.trimEnd()} # ${about}`);
    else
      lines.push(
        `# ${about}`,
        key === 'default_agent' ? `${key}: ${defaultAgent}` : `# ${key}: ${written(fallback)}`.trimEnd(),
      );
  }
  return `${lines.join('\n')}\n`;
}

type SchemaName = 'room' | 'agent' | 'chore' | 'task';

export const schemaAddress = (name: SchemaName): string =>
  `https://unpkg.com/taskroom/schemas/${name}.schema.json`;
