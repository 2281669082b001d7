// Which tools a caller has: those of its dialect, as far as its access allows and, for programs, its permissions.
import { hasLevel } from '../../core/rules/access.ts';
import { BULK_TASKS } from './bulk-tool.ts';
import { CLAUDE_TOOLS } from './claude-dialect.ts';
import { DECLARED, underName } from './declared-tool.ts';
import { GET_JOB } from './job-tools.ts';
import { CREATE_SUBTASK } from './link-tools.ts';
import { COMPLETE_TASK, CREATE_TASK, DELETE_TASK, LIST_TASKS, UPDATE_TASK } from './task-tools.ts';
import { TODO_TOOLS } from './todo-dialect.ts';
import type { Tool, ToolCaller } from './tool.ts';

/** What has no other name in any dialect. */
const SPEAKING: readonly Tool[] = [DECLARED.comment_task!, DECLARED.ask_requester!, DECLARED.notify_user!];

const OWN: readonly Tool[] = [
  DECLARED.get_task!,
  LIST_TASKS,
  CREATE_TASK,
  UPDATE_TASK,
  COMPLETE_TASK,
  DECLARED.cancel_task!,
  DELETE_TASK,
  DECLARED.update_steps!,
  DECLARED.update_step!,
  CREATE_SUBTASK,
  DECLARED.add_resource!,
  DECLARED.remove_resource!,
  DECLARED.create_plan!,
  DECLARED.set_plan_stage!,
  ...SPEAKING,
  DECLARED.list_history!,
  BULK_TASKS,
  GET_JOB,
  DECLARED.start_job!,
  DECLARED.stop_job!,
];

/** Names under which agents were trained to keep tasks: ours, Claude Code's, and the todo tools of others. */
export const DIALECTS = ['taskroom', 'claude', 'todo'] as const;
export type Dialect = (typeof DIALECTS)[number];

/** Tools of operations that have no place above. */
const OTHERS = Object.values(DECLARED).filter((tool) => !OWN.includes(tool));

const TOOLS: Readonly<Record<Dialect, readonly Tool[]>> = {
  taskroom: [...OWN, ...OTHERS],
  claude: [...CLAUDE_TOOLS, ...SPEAKING],
  todo: [
    ...TODO_TOOLS,
    underName('todo_get', 'get_task'),
    DECLARED.create_plan!,
    underName('artifact_stage', 'set_plan_stage'),
    ...SPEAKING,
  ],
};

/** The tools that this caller has. */
export function toolsFor(
  { access, programs }: Pick<ToolCaller, 'access' | 'programs'>,
  dialect: Dialect = 'taskroom',
): readonly Tool[] {
  return TOOLS[dialect].filter(
    (each) => hasLevel(access, each.level) && (programs || each.programs !== true),
  );
}
