// How a prompt says that its agent reports: by commands of a shell, or by tools. Of two ways it names one, so that no agent
// is torn between them; the other stands there for the case that the first is missing.
import type { Access, AgentConfig } from '../config/agent-config.ts';
import { hasLevel } from '../rules/access.ts';
import { quoteWord } from '../shell-word.ts';
import { defuse, oneLine } from './fence.ts';

/** `commands`: a shell and `taskroom`; `mcp`: the turn's MCP server; `tools`: the model has them itself. */
export type Face = 'commands' | 'mcp' | 'tools';

export interface PromptBridge {
  /** Absolute path of the `taskroom` of turns. */
  program: string;
  contextFile: string;
}

export interface Reporting {
  /** Null where there is no turn, only a look at what one would get, or no way to run programs. */
  bridge: PromptBridge | null;
  /** `commands` when absent. */
  face?: Face;
  /** What it may do with tasks; `full` when absent. */
  access?: Access;
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

function contextFileOf({ bridge, face }: Reporting, tag: string): string | null {
  return bridge === null || face === 'tools' ? null : defuse(oneLine(bridge.contextFile), tag);
}

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
