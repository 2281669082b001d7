// Every key of room.yaml and agent.json with what it takes, its default and why it is there: the one source of the
// file that `taskroom init` writes and of docs/config.md. A test holds both tables equal to the schemas.

export interface ConfigKey {
  /** Dotted path in the file: `limits.total`. */
  key: string;
  /** What it takes, with its unit. */
  takes: string;
  /** The default as it would be written in the file; null where leaving the key out is the only way to say it. */
  default: string | null;
  /** One line for a person. */
  about: string;
}

function row(key: string, takes: string, fallback: string | null, about: string): ConfigKey {
  return { key, takes, default: fallback, about };
}

export const ROOM_KEYS: readonly ConfigKey[] = [
  row(
    'default_agent',
    'agent id',
    'runbook',
    'Agent of the tasks that name no owner: a folder under agents/.',
  ),
  row('settle', 'duration', '1s', 'Quiet time after the last edit of a file before it counts.'),
  row(
    'sweep',
    'duration',
    '30s',
    'Least time between two full looks at the room, which find what the watcher missed.',
  ),
  row('limits.total', 'number', '4', 'Turns at once, all together.'),
  row('limits.chat', 'number', '4', 'Turns at once that a chat asked for.'),
  row('limits.task', 'number', '2', 'Turns at once that a task asked for.'),
  row('limits.chore', 'number', '1', 'Turns at once that a chore asked for.'),
  row('max_attempts', 'number', '5', 'Failed turns in a row before a task is paused with the reason.'),
  row('check_timeout', 'duration', '10m', 'Longest time one check may take.'),
  row(
    'max_check_rounds',
    'number',
    '3',
    'How often in a row a done may fail its checks before the task is paused.',
  ),
  row('timeout', 'duration', '1h', 'Longest time a turn may take; an agent can set its own.'),
  row(
    'stall',
    'duration',
    '5m',
    'Longest silence of an agent that streams its output; an agent can set its own.',
  ),
  row('max_output_bytes', 'size', '64MiB', 'Output above this stops a turn.'),
  row('max_jobs', 'number', '4', 'Background jobs that an agent has at once.'),
  row('job_timeout', 'duration', '1h', 'Longest time a background job may take.'),
  row(
    'heartbeat',
    'schedule or off',
    '"0 6-21 * * *"',
    'When open tasks are looked at again though nothing changed.',
  ),
  row(
    'timezone',
    'IANA zone',
    null,
    "Time zone of all schedules, such as Europe/Berlin; the system's when left out.",
  ),
  row(
    'hold_above',
    'number',
    '50',
    'More tasks than this made due at once by edits wait for `taskroom run --all`; 0 never holds.',
  ),
  row('loop_guard', 'number', '20', 'Turns in a row without outside input before a task is paused.'),
  row(
    'archive_after',
    'duration',
    '14d',
    'How long a finished task stays in tasks/ before it moves to archive/.',
  ),
  row(
    'on_delete',
    'forget or cancel',
    'forget',
    'What deleting a task file means: forget it, or cancel the task.',
  ),
  row('keep.turns', 'duration', '30d', "How long a turn's folder (prompt, output, result) is kept."),
  row('keep.turns_per_task', 'number', '20', 'Turns of a task that are kept however old they are.'),
  row('keep.attic', 'duration', '90d', 'How long texts that lost a conflict, and deleted files, are kept.'),
  row(
    'keep.spill',
    'duration',
    '90d',
    'How long entries moved out of a task file that grew too long are kept.',
  ),
  row(
    'workspaces',
    'path',
    '.taskroom/worktrees',
    'Folder that the worktrees of tasks lie in, absolute or relative to the room.',
  ),
  row(
    'notify.command',
    'text or list of texts',
    null,
    "Program that brings agents' messages to you: the message comes on its standard input.",
  ),
  row(
    'notify.webhook',
    'name of a variable',
    null,
    "Environment variable that holds the address agents' messages are posted to.",
  ),
  row(
    'notify.format',
    'json, ntfy or slack',
    'json',
    'What is posted to that address: JSON with all there is, or what ntfy and Slack take.',
  ),
  row(
    'notify.on',
    'list of kinds',
    '[notice, question, paused]',
    'What of the inbox is told by these ways: notice, question, paused, trust, held, conflict, invalid, setup, trouble, tracker.',
  ),
  row(
    'hooks.port',
    'number',
    null,
    'Port on which webhooks of trackers are heard while the room runs, 0 for any; none are when left out.',
  ),
  row(
    'hooks.host',
    'text',
    '127.0.0.1',
    'Interface that port is on; a tunnel brings deliveries to this one.',
  ),
  row(
    'hooks.github',
    'name of a variable',
    null,
    'Environment variable that holds the secret GitHub signs its webhooks with.',
  ),
  row(
    'hooks.linear',
    'name of a variable',
    null,
    'Environment variable that holds the secret Linear signs its webhooks with.',
  ),
  row(
    'budgets.per_task',
    'budget',
    '{}',
    'What a task may use (turns, minutes, tokens, cost) before it is paused; its own budget: counts instead.',
  ),
  row(
    'budgets.per_day',
    'budget',
    '{}',
    'What all turns of a day may use before the rest waits for midnight.',
  ),
  row(
    'dream.above',
    'size',
    null,
    "When a task's Progress, or its Comments, reach this, the old entries are summed up; never when left out.",
  ),
  row(
    'dream.agent',
    'agent id',
    null,
    'Agent that sums them up, of the runner command; default_agent when left out.',
  ),
  row(
    'queue.postgres',
    'name of a variable',
    null,
    'Holds the address of PostgreSQL: workers then run turns.',
  ),
  row('hand_over', 'map of agents to lists', '{}', 'Agents with more rights that each may give work to.'),
  row('providers', 'map of names to files', '{}', "Providers of the room's own: the file that each is in."),
];

export const AGENT_KEYS: readonly ConfigKey[] = [
  row('$schema', 'address', null, 'Of the JSON Schema by which editors complete and check the file.'),
  row('name', 'text', null, "What people read; the folder's name when left out."),
  row('runner', 'command, acp, model or runbook', null, 'What runs the agent. Required.'),
  row('command', 'text or list of texts', null, 'Program and arguments; one text is run by `sh -c`.'),
  row('preset', 'preset name', null, 'A known coding agent instead of `command`.'),
  row(
    'model',
    'text',
    null,
    'Model that the agent works with; for a program, its own default when left out.',
  ),
  row('args', 'list of texts', '[]', "Added to the preset's own arguments."),
  row(
    'permissions',
    'edit, run or all',
    'edit',
    'What its agent may do: edit files in its folder, run programs too, or anything.',
  ),
  row(
    'access',
    'full, readonly, readonly-shell or minimal',
    'full',
    'What it may do with tasks: all; all but finish, cancel and delete; or look alone.',
  ),
  row(
    'tools',
    'mcp or commands',
    'mcp',
    "By what a preset's agent reports: the tools of the turn's MCP server, or `taskroom` in its shell (with `permissions: run`).",
  ),
  row(
    'approve',
    'map of kinds to allow, ask or deny',
    '{}',
    'What becomes of tool calls that an agent of the runner acp asks leave for, where `permissions` say otherwise.',
  ),
  row(
    'api',
    'anthropic, openai or openai-compatible',
    null,
    "What the model's server speaks. Required for the runner model, and for it alone, as are the next four.",
  ),
  row('base_url', 'address', null, "Address of the model's server; the provider's own when left out."),
  row(
    'api_key',
    'name of a variable',
    null,
    'Environment variable that holds the key; ANTHROPIC_API_KEY or OPENAI_API_KEY when left out.',
  ),
  row('max_steps', 'number', '100', 'Answers of the model in one turn, each with the calls it makes.'),
  row(
    'prices',
    'map of input, output, cached',
    null,
    'US dollars a million tokens, so that turns tell what they cost; nothing is said of cost when left out.',
  ),
  row(
    'cwd',
    'path',
    null,
    'Folder the agent works in, absolute or relative to the room; what else is told below.',
  ),
  row(
    'env',
    'map',
    '{}',
    'Environment variables: a text, or {"from": "NAME"} for a secret that stays outside the file.',
  ),
  row('timeout', 'duration', null, "Longest time a turn may take; the room's when left out."),
  row('stall', 'duration', null, "Longest silence; the room's when left out."),
  row('limit', 'number', null, 'Turns of this agent at once; only the room limits when left out.'),
  row(
    'workspace',
    'worktree, or map of repository and branch',
    null,
    'A folder for each task: a git worktree of the project that `cwd` names, or of a repository by its address, in which `cwd` names a folder.',
  ),
  row('hooks.after_create', 'text', null, 'Shell command in a new workspace, before its first turn.'),
  row('hooks.before_run', 'text', null, 'Shell command before each turn; failing, it fails the turn.'),
  row('hooks.after_run', 'text', null, 'Shell command after each turn, before its checks.'),
  row('hooks.before_remove', 'text', null, 'Shell command before a workspace is removed.'),
  row('hook_timeout', 'duration', '10m', 'Longest time a hook may take.'),
  row(
    'checks',
    'text or list of texts',
    '[]',
    "Shell commands that must end with 0 before a done of the agent's turn counts.",
  ),
  row(
    'budget',
    'budget',
    null,
    'What its turns of a day may use before the rest waits for midnight; no bound when left out.',
  ),
  row(
    'fallback',
    'agent id',
    null,
    'Agent that takes its turns while they wait for a usage limit or a budget.',
  ),
  row(
    'tasks',
    'true or false',
    'true',
    "Whether the agent may use the task tools beyond its turn's own task.",
  ),
  row(
    'writes',
    'true or false',
    'true',
    'Whether a turn that writes nothing into its task is asked once more; false for a program that only acts elsewhere.',
  ),
];
