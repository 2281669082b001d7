// The tools of a caller: those of its dialect that its access and its permissions allow.
import { hasLevel } from '../../core/rules/access.ts';
import { CLAUDE_TOOLS } from './claude-dialect.ts';
import { DECLARED } from './declared-tool.ts';
import { GET_JOB, LIST_TASKS } from './look-tools.ts';
import { TODO_TOOLS } from './todo-dialect.ts';
import type { Tool, ToolCaller } from './tool.ts';

/** Names of tools: ours, Claude Code's, and the todo tools of others. */
export const DIALECTS = ['taskroom', 'claude', 'todo'] as const;
export type Dialect = (typeof DIALECTS)[number];

const BY_NAME: Readonly<Record<string, Tool>> = { ...DECLARED, list_tasks: LIST_TASKS, get_job: GET_JOB };
const named = (names: string) => names.split(' ').map((name) => BY_NAME[name]!);

/** Tools with the same name in every dialect. */
const SPEAKING = named('comment_task ask_requester notify_user');

const OWN: readonly Tool[] = [
  ...named('get_task list_tasks create_task update_task complete_task cancel_task delete_task update_steps'),
  ...named('update_step create_subtask add_resource remove_resource create_plan set_plan_stage'),
  ...[...SPEAKING, ...named('list_history bulk_tasks get_job start_job stop_job')],
];

const TOOLS: Readonly<Record<Dialect, readonly Tool[]>> = {
  // Tools of operations that have no place in the list come last.
  taskroom: [...new Set([...OWN, ...Object.values(DECLARED)])],
  claude: [...CLAUDE_TOOLS, ...SPEAKING],
  todo: [
    ...TODO_TOOLS,
    { ...DECLARED.get_task!, name: 'todo_get' },
    DECLARED.create_plan!,
    { ...DECLARED.set_plan_stage!, name: 'artifact_stage' },
    ...SPEAKING,
  ],
};

export function toolsFor(
  { access, programs }: Pick<ToolCaller, 'access' | 'programs'>,
  dialect: Dialect = 'taskroom',
): readonly Tool[] {
  return TOOLS[dialect].filter(
    (each) => hasLevel(access, each.level) && (programs || each.programs !== true),
  );
}
