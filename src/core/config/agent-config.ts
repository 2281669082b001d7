// agents/<id>/agent.json: each setting and its runner. Unknown keys are errors: no typo is silently ignored.
import * as z from 'zod';
import type { ReadingOf } from '../errors.ts';
import { once } from '../plain-data.ts';
import { checkTogether } from './agent-keys-together.ts';
import { OWN_WORDS, show, sortProblems, toProblems } from './config-problems.ts';
import { type ConfigSource, readJsonSource } from './config-source.ts';
import { address } from './room-values.ts';
import { type Named, named, needed, setting, settings } from './setting.ts';
import {
  agentId,
  argumentList,
  budget,
  checkCommands,
  command,
  environment,
  isAgentId,
  kind,
  line,
  oneOf,
  shellCommand,
  time,
  trueOrFalse,
  variableName,
  wholeNumber,
} from './values.ts';
import { placeOf, workspace } from './workspace-source.ts';

export const RUNNER_NAMES = ['command', 'acp', 'model', 'runbook'] as const;
export type RunnerName = (typeof RUNNER_NAMES)[number];

export const PRESET_NAMES = ['claude', 'codex', 'gemini', 'opencode', 'copilot'] as const;
export type PresetName = (typeof PRESET_NAMES)[number];

/** What an agent may do beside editing files in its folder and telling of its task, in the preset's own words. */
export const PERMISSION_NAMES = ['edit', 'run', 'all'] as const;

/** What an agent may do with tasks (C6); `readonly-shell` is `readonly`, with a shell as far as `permissions` goes. */
export const ACCESS_NAMES = ['full', 'readonly', 'readonly-shell', 'minimal'] as const;
export type Access = (typeof ACCESS_NAMES)[number];

/** By what a preset's agent reports: the tools of the turn's MCP server, or `taskroom` in its shell. */
export const TOOLS_BY = ['mcp', 'commands'] as const;

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

const approvals = () =>
  kind(
    z.partialRecord(z.enum(TOOL_KINDS), z.enum(APPROVALS)),
    'map of kinds to allow, ask or deny',
    `a map of ${TOOL_KINDS.join(', ')} to ${APPROVALS.join(', ')}`,
  );

/** US dollars a million tokens; of input that the server had in its cache as of other input when left out. */
function prices() {
  const price = kind(z.number().min(0).max(1e6), 'number', 'a number of dollars a million tokens');
  const schema = z
    .strictObject({ input: price, output: price, cached: price.nullish() }, '%s is not a map')
    .transform(({ input, output, cached }) => ({ input, output, cached: cached ?? input }));
  const expected = 'a map of input, output and cached: dollars a million tokens';
  return kind(schema, 'map of input, output, cached', expected);
}
export type ModelPrices = z.output<ReturnType<typeof prices>>;

/** A literal value, or the name of an environment variable of the runtime that is read when a turn starts. */
export type EnvValue = z.output<ReturnType<typeof environment>>[string];

/** Settings of a program; only presets have `model`, `args` and `tools`. */
const PROGRAM = () => ({
  command: setting(command(), 'Program and arguments; one text is run by `sh -c`.'),
  preset: setting(oneOf(PRESET_NAMES), 'A known coding agent instead of `command`.'),
  args: setting(argumentList(), "Added to the preset's own arguments.", []),
  tools: setting(
    oneOf(TOOLS_BY),
    "By what a preset's agent reports: the tools of the turn's MCP server, or `taskroom` in its shell (with `permissions: run`).",
    'mcp',
  ),
});

/** Of all but the runbook, which no model decides in. */
const MODELLED = () => ({
  model: setting(line(), 'Model that the agent works with; for a program, its own default when left out.'),
  permissions: setting(
    oneOf(PERMISSION_NAMES),
    'What its agent may do: edit files in its folder, run programs too, or anything.',
    'edit',
  ),
});

const ACP = () => ({
  approve: setting(
    approvals(),
    'What becomes of tool calls that an agent of the runner acp asks leave for, where `permissions` say otherwise.',
    {},
  ),
});

const MODEL = () => ({
  api: setting(
    oneOf(MODEL_APIS),
    "What the model's server speaks. Required for the runner model, and for it alone, as are the next four.",
  ),
  base_url: setting(
    address('http://localhost:11434/v1', { hint: 'name its variable in "api_key"' }),
    "Address of the model's server; the provider's own when left out.",
  ),
  api_key: setting(
    variableName(),
    'Environment variable that holds the key; ANTHROPIC_API_KEY or OPENAI_API_KEY when left out.',
  ),
  max_steps: setting(
    wholeNumber(1, 10_000),
    'Answers of the model in one turn, each with the calls it makes.',
    100,
  ),
  prices: setting(
    prices(),
    'US dollars a million tokens, so that turns tell what they cost; nothing is said of cost when left out.',
  ),
});

const COMMON = () => ({
  access: setting(
    oneOf(ACCESS_NAMES),
    'What it may do with tasks: all; all but finish, cancel and delete; or look alone.',
    'full',
  ),
  cwd: setting(
    line('path'),
    'Folder the agent works in, absolute or relative to the room; what else is told below.',
  ),
  env: setting(
    environment(),
    'Environment variables: a text, or {"from": "NAME"} for a secret that stays outside the file.',
    {},
  ),
  timeout: setting(time(), "Longest time a turn may take; the room's when left out."),
  stall: setting(time(), "Longest silence; the room's when left out."),
  limit: setting(wholeNumber(1, 1000), 'Turns of this agent at once; only the room limits when left out.'),
  workspace: setting(
    workspace(),
    'A folder for each task: a git worktree of the project that `cwd` names, or of a repository by its address, in which `cwd` names a folder.',
  ),
  after: setting(
    oneOf(['pr']),
    '`pr`: once a task is done, the branch of its workspace is pushed and a pull request opened.',
  ),
  hooks: settings({
    after_create: setting(shellCommand(), 'Shell command in a new workspace, before its first turn.'),
    before_run: setting(shellCommand(), 'Shell command before each turn; failing, it fails the turn.'),
    after_run: setting(shellCommand(), 'Shell command after each turn, before its checks.'),
    before_remove: setting(shellCommand(), 'Shell command before a workspace is removed.'),
  }),
  hook_timeout: setting(time(), 'Longest time a hook may take.', '10m'),
  checks: setting(
    checkCommands(),
    "Shell commands that must end with 0 before a done of the agent's turn counts.",
    [],
  ),
  budget: setting(
    budget(),
    'What its turns of a day may use before the rest waits for midnight; no bound when left out.',
  ),
  fallback: setting(agentId(), 'Agent that takes its turns while they wait for a usage limit or a budget.'),
  tasks: setting(trueOrFalse(), "Whether the agent may use the task tools beyond its turn's own task.", true),
  writes: setting(
    trueOrFalse(),
    'Whether a turn that writes nothing into its task is asked once more; false for a program that only acts elsewhere.',
    true,
  ),
});

export const agentFile = once(() => {
  const [program, modelled, acp, model, common] = [PROGRAM(), MODELLED(), ACP(), MODEL(), COMMON()];
  const head = {
    $schema: setting(line('address'), 'Of the JSON Schema by which editors complete and check the file.'),
    name: setting(line(), "What people read; the folder's name when left out."),
  };
  const runner = needed(oneOf(RUNNER_NAMES), 'What runs the agent. Required.');
  const of = <Shape extends z.ZodRawShape>(name: RunnerName, shape: Shape) =>
    z.strictObject({ ...head, runner: z.literal(name), ...shape, ...common });
  return {
    all: z.strictObject({ ...head, runner, ...program, ...modelled, ...acp, ...model, ...common }),
    byRunner: z.discriminatedUnion('runner', [
      of('command', { ...program, ...modelled }),
      of('acp', { ...program, ...modelled, ...acp }),
      of('model', { ...modelled, ...model }),
      of('runbook', {}),
    ]),
  };
});
type InFile = Named<z.output<ReturnType<typeof agentFile>['all']>>;
export interface AgentConfig extends Omit<InFile, '$schema' | 'name'> {
  id: string; // Folder name under agents/: what `owner:` says.
  name: string;
}

export type AgentConfigReading = ReadingOf<{ agent: AgentConfig; placeAt: ConfigSource['placeAt'] }>;

export function parseAgentConfig(text: string, path: string, id: string): AgentConfigReading {
  const reading = readJsonSource(text, path);
  if (!reading.ok) return reading;
  const { source } = reading;
  const { all, byRunner } = agentFile();
  const parsed = all.safeParse(source.data, OWN_WORDS);
  const problems = parsed.success ? [] : toProblems(parsed.error.issues, all, source, path);
  // What only other runners know is unknown to its own.
  const known = (key: string) => byRunner.options.filter(({ shape }) => key in shape);
  const foreign = (byRunner.safeParse(source.data, OWN_WORDS).error?.issues ?? [])
    .flatMap((issue) => (issue.code === 'unrecognized_keys' && issue.path.length === 0 ? issue.keys : []))
    .map((key) => [key, known(key).map(({ shape }) => shape.runner.value)] as const);
  problems.push(...checkTogether(source, path, new Map(foreign.filter(([, runners]) => runners.length > 0))));
  if (!isAgentId(id)) {
    const message = `the folder name ${show(id)} is not an agent id`;
    problems.push({ path, line: 1, col: 1, message, expected: 'letters, digits, - and _, at most 64' });
  }
  if (!parsed.success || problems.length > 0) return { ok: false, problems: sortProblems(problems) };
  const { $schema: _, name, ...agent } = named(all.shape, parsed.data);
  return { ok: true, agent: { id, name: name ?? id, ...agent, ...placeOf(agent) }, placeAt: source.placeAt };
}
