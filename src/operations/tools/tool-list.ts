// Which tools a caller has: those of its dialect, as far as its access allows and, for programs, its permissions.
import { hasLevel } from '../../core/rules/access.ts';
import { CLAUDE_TOOLS } from './claude-dialect.ts';
import { DECLARED } from './declared-tool.ts';
import { GET_JOB, LIST_TASKS } from './look-tools.ts';
import { TODO_TOOLS } from './todo-dialect.ts';
import type { Tool, ToolCaller } from './tool.ts';

/** What has no other name in any dialect. */
const SPEAKING: readonly Tool[] = [DECLARED.comment_task!, DECLARED.ask_requester!, DECLARED.notify_user!];

const OWN: readonly Tool[] = [
  DECLARED.get_task!,
  LIST_TASKS,
  DECLARED.create_task!,
  DECLARED.update_task!,
  DECLARED.complete_task!,
  DECLARED.cancel_task!,
  DECLARED.delete_task!,
  DECLARED.update_steps!,
  DECLARED.update_step!,
  DECLARED.create_subtask!,
  DECLARED.add_resource!,
  DECLARED.remove_resource!,
  DECLARED.create_plan!,
  DECLARED.set_plan_stage!,
  ...SPEAKING,
  DECLARED.list_history!,
  DECLARED.bulk_tasks!,
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
    { ...DECLARED.get_task!, name: 'todo_get' },
    DECLARED.create_plan!,
    { ...DECLARED.set_plan_stage!, name: 'artifact_stage' },
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
