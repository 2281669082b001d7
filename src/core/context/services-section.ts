// How a prompt says that its agent reports: by commands of a shell, or by tools. Of two ways it names one, so that no agent
// is torn between them; the other stands there for the case that the first is missing.
import type { Access, AgentConfig } from '../config/agent-config.ts';
import { quoteWord } from '../errors.ts';
import { hasLevel } from '../rules/access.ts';
import { type CheckResult, describeCheck } from '../rules/checks.ts';
import { defuse, fence, oneLine, word } from './fence.ts';

/** `commands`: a shell and `taskroom`; `mcp`: the turn's MCP server; `tools`: the model has them itself. */
export type Face = 'commands' | 'mcp' | 'tools';

export interface PromptBridge {
  program: string; // Absolute path of the `taskroom` of turns.
  contextFile: string;
}

export interface Reporting {
  /** Null where there is no turn, only a look at what one would get, or no way to run programs. */
  bridge: PromptBridge | null;
  face?: Face; // `commands` when absent.
  access?: Access; // What it may do with tasks; `full` when absent.
}

/** What every prompt of a turn is made with. */
export interface TurnPrompt extends Reporting {
  tag: string; // Random word of this turn, `[0-9a-z]` (see `newTag`); the markers carry it.
  room: string; // Absolute paths: the room, and the folder the agent runs in.
  cwd: string;
  agent: string;
}

/** How to reach the services, for tasks and chores alike. The path stands beside the name, since login shells set the PATH anew. */
export function callingRule({ bridge, face, access = 'full' }: Reporting, tag: string): string {
  if (!hasLevel(access, 'readonly'))
    return face === 'mcp' ? 'Look with the tools of the MCP server `taskroom`.' : 'Look with these.';
  const program = bridge === null ? 'taskroom' : defuse(oneLine(quoteWord(bridge.program)), tag);
  if (face === 'tools') return 'Report with your tools of these names.';
  if (face === 'mcp')
    return `Report with the tools of the MCP server \`taskroom\`, by whatever prefix your names of them begin.${bridge === null ? '' : ` Only if you have none of them: \`${program} --help\` tells of commands that do the same.`}
"Written down" as an answer is as good as done.`;
  if (bridge === null) return 'Report with `taskroom`.';
  return `Report with \`taskroom\`; where that is not found, by its path: \`${program}\`. Longer texts go to standard input:
\`\`\`sh
taskroom progress - <<'END'
What is finished, found or decided.
END
\`\`\`
"written down" as its answer is as good as done.`;
}

export function taskServices(reporting: Reporting, tag: string): string {
  const { access = 'full' } = reporting;
  const file = contextFileOf(reporting, tag);
  const context = file === null ? '' : `; the whole context as JSON: \`${file}\``;
  const full = access === 'full';
  const byCommands = (reporting.face ?? 'commands') === 'commands';
  const read = byCommands
    ? `The task is this turn's own, it is not named:
- read: \`taskroom show\`; \`taskroom show <id>\` and \`taskroom list\` for others${context}`
    : `The task is this turn's own, its id is left out:
- read: \`get_task\`; with an id, and \`list_tasks\`, for others${context}`;
  if (!hasLevel(access, 'readonly')) return read;
  if (byCommands)
    return `${read}
- write: \`taskroom step 1\` ticks step 1, \`taskroom step --add 'title'\` adds one; \`taskroom progress 'text'\`; \`taskroom set key=value\`; \`taskroom pause\`; ${full ? "`taskroom done --outcome 'text'`; `taskroom outcome 'text'` leaves it open" : "`taskroom outcome 'text'`"}
- comment: \`taskroom comment 'text'\`
- notify: \`taskroom notify 'text'\` tells the person what can't wait until they look`;
  return `${read}
- write: \`update_steps\` sets the plan, \`update_step\` ticks a step; \`update_task\` with \`progress\` or a key; ${full ? '`complete_task` with `outcome`; `update_task` with `outcome` leaves it open' : '`update_task` with `outcome`'}
- comment: \`comment_task\`
- notify: \`notify_user\` tells the person what can't wait until they look`;
}

const contextFileOf = ({ bridge, face }: Reporting, tag: string): string | null =>
  bridge === null || face === 'tools' ? null : defuse(oneLine(bridge.contextFile), tag);

export function choreServices(reporting: Reporting, tag: string): string {
  const file = contextFileOf(reporting, tag);
  const context = file === null ? '' : `The context of this turn is JSON in the file \`${file}\`.\n`;
  const byCommands = (reporting.face ?? 'commands') === 'commands';
  const read = byCommands
    ? `${context}- read: \`taskroom list\`, \`taskroom show <task>\`, \`taskroom list --finished\``
    : `${context}- read: \`list_tasks\` with \`all\`, \`get_task\`, \`list_history\``;
  if (!hasLevel(reporting.access ?? 'full', 'readonly')) return read;
  if (byCommands)
    return `${read}
- write: \`taskroom new 'title' 'text'\`, \`taskroom set <task> key=value\`
- comment: \`taskroom comment <task> 'text'\`
- notify: \`taskroom notify 'text'\` tells the person what can't wait until they look`;
  return `${read}
- write: \`create_task\`, \`update_task\`
- comment: \`comment_task\`
- notify: \`notify_user\` tells the person what can't wait until they look`;
}

export function serviceWord(reporting: Pick<Reporting, 'face'>, name: 'ask' | 'report'): string {
  const byCommands = (reporting.face ?? 'commands') === 'commands';
  if (name === 'ask') return byCommands ? "`taskroom ask 'question'`" : '`ask_requester`';
  return byCommands ? '`taskroom progress`' : '`update_task` with `progress`';
}

// By what an agent reports: its runner and its program decide, and its person.
export function faceOf(agent: Pick<AgentConfig, 'runner' | 'preset' | 'tools'> | undefined): Face {
  if (agent?.runner === 'model') return 'tools';
  if (agent?.runner === 'acp') return 'mcp';
  return agent !== undefined && agent.preset !== null ? agent.tools : 'commands';
}

// What a prompt says of the work around its task: how far the tasks stand that belong together with it (C5), its agent's
// background jobs, and who else could be given work. Names and output of others are data: they stand between markers.

export interface GroupTask {
  id: string;
  name: string;
  status: string;
  artifact: string | null; // The title of the document it comes from.
  own: boolean;
}

export interface TaskGroup {
  kind: 'scope' | 'artifact' | 'sprint' | 'parent' | 'made'; // `made`: by turns of one task.
  name: string;
  done: number;
  total: number;
  active: GroupTask[];
  pending: GroupTask[];
  more: number;
}

export interface AroundJob {
  id: string;
  description: string;
  state: string;
  message: string | null;
  output: string;
}

export type AroundAgent = { id: string; name: string; by: string };

const BAR_CELLS = 10;
const MAX_NAME = 120;
const MAX_JOBS = 8;

/** `████████░░ 80% (8/10)`. */
export function progressBar(done: number, total: number): string {
  const share = total === 0 ? 0 : done / total;
  // Neither full nor empty before it is.
  const full =
    done === 0
      ? 0
      : done === total
        ? BAR_CELLS
        : Math.min(BAR_CELLS - 1, Math.max(1, Math.round(share * BAR_CELLS)));
  return `${'█'.repeat(full)}${'░'.repeat(BAR_CELLS - full)} ${Math.floor(share * 100)}% (${done}/${total})`;
}

export function groupSection(group: TaskGroup, tag: string, face: Face = 'commands'): string {
  const line = ({ id, name, status, artifact, own }: GroupTask) =>
    `- ${status} task:${id} ${oneLine(name).slice(0, MAX_NAME)}${artifact === null ? '' : ` → artifact: ${oneLine(artifact).slice(0, MAX_NAME)}`}${own ? ' (this turn)' : ''}`;
  const listed = (title: string, tasks: readonly GroupTask[]) =>
    tasks.length === 0 ? [] : [title, ...tasks.map(line)];
  const where = face === 'commands' ? `\`${listCommand(group)}\`` : '`list_tasks`, `get_task`';
  const text = [
    `${group.kind} ${oneLine(group.name).slice(0, MAX_NAME)}`,
    progressBar(group.done, group.total),
    ...listed('Active', group.active),
    ...listed('Pending', group.pending),
    ...(group.more === 0 ? [] : [`and ${group.more} more`]),
  ].join('\n');
  return `## Progress of the whole
${fence({ what: 'tasks', author: 'room', trust: 'stranger', text }, tag)}
If your conversation was summarised since, look again: ${where}.`;
}

/** Outside the markers: a name that is more than one plain word may say anything, and is left out. */
function listCommand({ kind, name }: TaskGroup): string {
  if (kind === 'made' || !/^\w[\w.-]{0,79}$/.test(name)) return 'taskroom list --all';
  return `taskroom list --${kind} ${name} --all`;
}

export function jobsSection(jobs: readonly AroundJob[], tag: string, face: Face = 'commands'): string {
  const blocks = jobs.slice(-MAX_JOBS).map(({ id, description, state, message, output }) => {
    const said = message === null || message === '' ? '' : ` (${oneLine(message)})`;
    const head = `${id} ${oneLine(description)}: ${state}${said}`;
    return output.trim() === '' ? head : `${head}\n${output.trimEnd()}`;
  });
  return `## Background jobs of this task
${fence({ what: 'jobs', author: 'job', trust: 'agent', text: blocks.join('\n\n') }, tag)}
All of a job's output: ${face === 'commands' ? '`taskroom job show <id>`' : '`get_job`'}.`;
}

export function agentsSection(agents: readonly AroundAgent[], self: string): string {
  const lines = agents.map(
    ({ id, name, by }) =>
      `- ${word(id)}${id === self ? ' (you)' : ''}: ${oneLine(name).slice(0, MAX_NAME)}, ${word(by)}`,
  );
  return `## Agents of this room
Work is given to one of these by naming it as the owner of a task; a subtask of a step, by the step.
${lines.join('\n')}`;
}

export interface PromptChecks {
  commands: readonly string[];
  failed: CheckResult | null; // The check that the last done failed; null when there was none.
  failures: number;
  maxRounds: number;
}

const MAX_COMMAND = 300;

export function checksSection({ commands, failed, failures, maxRounds }: PromptChecks, tag: string): string {
  const listed = commands.map((command) => `- ${defuse(oneLine(command).slice(0, MAX_COMMAND), tag)}`);
  const lines = [
    '## Checks',
    'When you mark this task done, your turn ends and these commands are run, in this order and in the folder you work in. Done counts only when each ends with 0. Editing or leaving out a check changes nothing; run them yourself before you say done.',
    ...listed,
  ];
  if (failed === null) return lines.join('\n');
  const round = failures > 0 ? ` (${failures} of ${maxRounds} rounds; then the task is paused)` : '';
  const how = defuse(oneLine(describeCheck(failed)), tag);
  const text = failed.output.trim() === '' ? '(it printed nothing)' : failed.output;
  const output = fence({ what: 'output of a check', author: 'check', trust: 'agent', text }, tag);
  lines.push('', `The last done did not count${round}: ${how}`, output);
  return lines.join('\n');
}
