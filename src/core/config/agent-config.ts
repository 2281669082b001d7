// agents/<id>/agent.json, parsed once at the edge (core/config/config.ts has the schema).
import type { Budget } from './budget.ts';

export const RUNNER_NAMES = ['command', 'runbook'] as const;
export type RunnerName = (typeof RUNNER_NAMES)[number];

export const PRESET_NAMES = ['claude', 'codex', 'gemini', 'opencode', 'copilot'] as const;
export type PresetName = (typeof PRESET_NAMES)[number];

/** What an agent may do beside editing files in its folder and telling of its task, in the preset's own words. */
export const PERMISSION_NAMES = ['edit', 'run', 'all'] as const;
export type Permissions = (typeof PERMISSION_NAMES)[number];

/** What an agent may do with tasks (C6); `readonly-shell` is `readonly`, with a shell as far as `permissions` goes. */
export const ACCESS_NAMES = ['full', 'readonly', 'readonly-shell', 'minimal'] as const;
export type Access = (typeof ACCESS_NAMES)[number];

/** A literal value, or the name of an environment variable of the runtime that is read when a turn starts. */
export type EnvValue = string | { from: string };

export const HOOKS = ['after_create', 'before_run', 'after_run', 'before_remove'] as const;
export type WorkspaceHooks = Record<(typeof HOOKS)[number], string | null>;

export interface AgentConfig {
  /** Folder name under agents/: what `owner:` says. */
  id: string;
  name: string;
  runner: RunnerName;
  /** Program and arguments; a single string in the file is run by `sh -c`. Null when `preset` or the runner decides. */
  command: string[] | null;
  preset: PresetName | null;
  model: string | null;
  /** Added to the preset's own arguments. */
  args: string[];
  permissions: Permissions;
  access: Access;
  /** Absolute, or relative to the room; the room itself when null. */
  cwd: string | null;
  /** Variables of the agent's processes; agent-env.ts resolves them. */
  env: Record<string, EnvValue>;
  timeoutMs: number | null;
  stallMs: number | null;
  /** Turns of this agent at once; null for no limit of its own. */
  limit: number | null;
  /** A folder for each task: a git worktree of the project that `cwd` names. Null for `cwd` itself. */
  workspace: 'worktree' | null;
  /** Shell commands around the life of a workspace. */
  hooks: WorkspaceHooks;
  /** Longest time of each hook. */
  hookTimeoutMs: number;
  /** Shell commands that must end with 0 before its tasks' done counts. */
  checks: string[];
  /** Whether the agent has task tools (S5). */
  tasks: boolean;
  /** What its turns of a day may use before the rest waits; null for no bound. */
  budget: Budget | null;
  /** Agent that takes its turns while they wait for a usage limit or a budget. */
  fallback: string | null;
  /** Whether a turn of it that writes nothing into its task's file has failed to answer. */
  writes: boolean;
}
