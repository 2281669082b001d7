// Several tasks in one call, all or nothing (C2).
import * as z from 'zod';
import { RoomError } from '../../core/errors.ts';
import { DELETED } from '../../core/task/status.ts';
import { type BulkChange, MAX_BULK } from '../../tasks/contract/bulk.ts';
import { changeText } from './answers.ts';
import { given, listOf, statusOrDeleted, text } from './inputs.ts';
import { PARTS } from './task-tools.ts';
import { meant, type ToolCaller, tool } from './tool.ts';
import { keysOf } from './update-task.ts';

const CHANGE = z.strictObject({
  do: z.enum(['create', 'update', 'complete', 'delete']),
  id: text.optional(),
  name: text.optional().describe('to create; others of this call may name it'),
  description: text.optional(),
  title: text.optional(),
  status: statusOrDeleted.optional(),
  outcome: text.optional().describe('to complete'),
  ...PARTS,
});
type Change = z.infer<typeof CHANGE>;

export const BULK_TASKS = tool(
  'bulk_tasks',
  'readonly',
  `Make, update, complete or delete up to ${MAX_BULK} tasks at once: all of it or nothing.`,
  z.strictObject({ changes: listOf(CHANGE, MAX_BULK) }),
  (caller, { changes }) =>
    carryOutAll(
      caller,
      changes.map((change, at) => toBulk(caller, change, at)),
    ),
);

/** One line of JSON a change, in their order. */
export async function carryOutAll(
  { tasks, actor }: ToolCaller,
  changes: readonly BulkChange[],
): Promise<string> {
  if (changes.length === 0)
    throw new RoomError('bad_input', 'no change was given', { hint: 'give one or more' });
  const done = await tasks.bulk(changes, actor);
  // Nothing runs the room: one answer stands for all.
  return Array.isArray(done) ? done.map((change) => changeText(change)).join('\n') : changeText(done);
}

function toBulk(caller: ToolCaller, { do: what, id, outcome, ...parts }: Change, at: number): BulkChange {
  if (what === 'create') return createOf(parts, at);
  const ref = meant(caller, id);
  if (what === 'delete') return { do: what, ref };
  if (what === 'complete') return { do: what, ref, ...given({ outcome }) };
  const { name: _, description, status: to, labels, blocked_by, ...keys } = parts;
  const changes = keysOf({ ...keys, labels: labels?.join(', '), blocked_by: blocked_by?.join(', ') });
  return { do: what, ref, changes, ...given({ text: description, status: to }) };
}

function createOf(
  { name, description, blocked_by, ...rest }: Omit<Change, 'do' | 'id' | 'outcome'>,
  at: number,
): BulkChange {
  if (name === undefined)
    throw new RoomError('bad_input', `change at index ${at} makes a task without a name`, {
      hint: 'give its name',
    });
  const { status, ...parts } = rest;
  if (status === DELETED)
    throw new RoomError('bad_input', `change at index ${at} makes a task that is deleted`);
  const task = given({ ...parts, status, body: description, blockedBy: blocked_by });
  return { do: 'create', task: { name, ...task } };
}
