// agents/<id>/agent.json, parsed once at the edge (core/config/config.ts has the schema).
import type { Budget } from './budget.ts';
import type { WorkspaceSource } from './workspace-source.ts';

export const RUNNER_NAMES = ['command', 'acp', 'model', 'runbook'] as const;
export type RunnerName = (typeof RUNNER_NAMES)[number];

export const PRESET_NAMES = ['claude', 'codex', 'gemini', 'opencode', 'copilot'] as const;
export type PresetName = (typeof PRESET_NAMES)[number];

/** What an agent may do beside editing files in its folder and telling of its task, in the preset's own words. */
export const PERMISSION_NAMES = ['edit', 'run', 'all'] as const;
export type Permissions = (typeof PERMISSION_NAMES)[number];

/** What an agent may do with tasks (C6); `readonly-shell` is `readonly`, with a shell as far as `permissions` goes. */
export const ACCESS_NAMES = ['full', 'readonly', 'readonly-shell', 'minimal'] as const;
export type Access = (typeof ACCESS_NAMES)[number];

/** By what a preset's agent reports: the tools of the turn's MCP server, or `taskroom` in its shell. */
export const TOOLS_BY = ['mcp', 'commands'] as const;
export type ToolsBy = (typeof TOOLS_BY)[number];

/** What a call of an agent's tool is about, in the words of the Agent Client Protocol. */
export const TOOL_KINDS = [
  ...(['read', 'edit', 'delete', 'move', 'search'] as const),
  ...(['execute', 'think', 'fetch', 'switch_mode', 'other'] as const),
] as const;
export type ToolKind = (typeof TOOL_KINDS)[number];

/** What becomes of a call that an agent asks leave for; `ask` puts it to the person as a question. */
export const APPROVALS = ['allow', 'ask', 'deny'] as const;
export type Approval = (typeof APPROVALS)[number];

/** Which form of request a model's server understands. */
export const MODEL_APIS = ['anthropic', 'openai', 'openai-compatible'] as const;
export type ModelApi = (typeof MODEL_APIS)[number];

/** US dollars a million tokens. */
export interface ModelPrices {
  input: number;
  output: number;
  /** Of input that the server had in its cache; as `input` when left out. */
  cached: number;
}

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
  tools: ToolsBy;
  /** Where it differs from what `permissions` say; of the runner `acp`. */
  approve: Partial<Record<ToolKind, Approval>>;
  /** Of the runner `model`, which always has one. */
  api: ModelApi | null;
  /** Without a slash at its end; the provider's own when null. */
  baseUrl: string | null;
  /** Name of the variable that holds the key of the API. */
  apiKey: string | null;
  /** Answers of the model in one turn. */
  maxSteps: number;
  prices: ModelPrices | null;
  /** Absolute, or relative to the room; the room itself when null. */
  cwd: string | null;
  /** Variables of the agent's processes; agent-env.ts resolves them. */
  env: Record<string, EnvValue>;
  timeoutMs: number | null;
  stallMs: number | null;
  /** Turns of this agent at once; null for no limit of its own. */
  limit: number | null;
  /** A folder for each task: a git worktree of the project that `cwd` names, or of a repository. Null for `cwd` itself. */
  workspace: WorkspaceSource | null;
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

/** Whether a model decides what it does; a program of the person's own does what it always does. */
export function isModelled({ preset, runner }: Pick<AgentConfig, 'preset' | 'runner'>): boolean {
  return preset !== null || runner === 'acp' || runner === 'model';
}
