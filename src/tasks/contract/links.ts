// How tasks hang together: subtasks, what waits for what, and what a task points at.
import type { Actor } from '../task-room.ts';
import type { NewSubtask, NewTask } from './task-shapes.ts';

export interface LinkOperations {
  /**
   * Makes a task whose `parent:` is this one, and links a step to it: that at `step` (from 0), else a new one at the end.
   * @throws RoomError `not_allowed` when an agent does not own the parent (S11), `refused` when the step has a subtask
   *   already or the parent is over, and as `create`
   */
  createSubtask(parentRef: string, task: NewTask, actor: Actor, step?: number): Promise<NewSubtask>;
}
