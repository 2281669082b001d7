// What a prompt says of the work around its task: how far the tasks stand that belong together with it (C5), its agent's
// background jobs, and who else could be given work. Names and output of others are data: they stand between markers.

import { type CheckResult, describeCheck } from '../rules/checks.ts';
import { defuse, fence, oneLine, word } from './fence.ts';
import type { Face } from './services-section.ts';

export interface GroupTask {
  id: string;
  name: string;
  status: string;
  /** The title of the document it comes from. */
  artifact: string | null;
  own: boolean;
}

export interface TaskGroup {
  /** `made`: by turns of one task. */
  kind: 'scope' | 'artifact' | 'sprint' | 'parent' | 'made';
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

export interface AroundAgent {
  id: string;
  name: string;
  by: string;
}

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
  /** The check that the last done failed; null when there was none. */
  failed: CheckResult | null;
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
