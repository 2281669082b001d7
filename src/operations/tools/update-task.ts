// One call that changes several things of a task. Each is an operation of its own, in a fixed order with the end of the task
// last; where one is refused, what was done before it is said.
import { RoomError } from '../../core/errors.ts';
import { DELETED, type Status } from '../../core/task/status.ts';
import { changeText } from './answers.ts';
import type { ToolCaller } from './tool.ts';

export interface TaskUpdate {
  title?: string;
  description?: string;
  status?: Status | typeof DELETED;
  paused?: boolean;
  progress?: string;
  outcome?: string;
  active_form?: string;
  owner?: string;
  priority?: string;
  labels?: string[];
  blocked_by?: string[];
  parent?: string;
  sprint?: string;
  artifact?: string;
  scope?: string;
  sort?: number;
}

type Step = readonly [what: string, run: () => Promise<Changed>];
type Changed = Parameters<typeof changeText>[0];

/** @throws RoomError, which names what was done before it */
export async function updateTask(caller: ToolCaller, ref: string, update: TaskUpdate): Promise<string> {
  const steps = stepsOf(caller, ref, update);
  if (steps.length === 0)
    throw new RoomError('bad_input', 'nothing to change was given', { hint: 'give one or more fields' });
  const done: string[] = [];
  let last: Changed | null = null;
  let changed = false;
  for (const [what, run] of steps) {
    try {
      last = await run();
    } catch (error) {
      if (!(error instanceof RoomError) || done.length === 0) throw error;
      throw new RoomError(error.code, `${what}: ${error.message}; done before that: ${done.join(', ')}`, {
        cause: error,
        ...(error.hint === undefined ? {} : { hint: error.hint }),
      });
    }
    changed ||= last.changed;
    done.push(what);
  }
  return changeText({ ...last!, changed });
}

/** Keys of a task as `set` takes them. */
export function keysOf(given: Readonly<Record<string, string | number | undefined>>): Record<string, string> {
  const set = Object.entries(given).filter(([, value]) => value !== undefined);
  return Object.fromEntries(set.map(([key, value]) => [key, String(value)]));
}

function stepsOf({ tasks, actor }: ToolCaller, ref: string, update: TaskUpdate): Step[] {
  const { status, paused, progress, outcome, description, labels, blocked_by, ...keys } = update;
  const set = keysOf({ ...keys, labels: labels?.join(', '), blocked_by: blocked_by?.join(', ') });
  const steps: Step[] = [];
  const add = (what: string, run: Step[1]) => void steps.push([what, run]);
  if (Object.keys(set).length > 0) add('keys', () => tasks.set(ref, set, actor));
  if (description !== undefined)
    add('description', () => tasks.call('describe', { ref, text: description }, actor));
  if (progress !== undefined) add('progress', () => tasks.call('progress', { ref, text: progress }, actor));
  const isEnd = status !== undefined && status !== DELETED;
  if (outcome !== undefined && !isEnd)
    add('outcome', () => tasks.call('outcome', { ref, text: outcome }, actor));
  if (isEnd)
    add('status', () => tasks.setStatus(ref, status, actor, outcome === undefined ? {} : { outcome }));
  if (paused !== undefined)
    add('paused', () =>
      paused ? tasks.call('pause', { ref }, actor) : tasks.call('resume', { ref }, actor),
    );
  if (status === DELETED) add('deleted', () => tasks.remove(ref, actor));
  return steps;
}
