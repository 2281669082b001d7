// How tasks hang together: subtasks, what waits for what, and what a task points at.
import type { Resource } from '../../core/task/task.ts';
import type { Actor } from '../task-room.ts';
import type { Changed, NewSubtask, NewTask } from './task-shapes.ts';

export interface LinkOperations {
  /**
   * Makes a task whose `parent:` is this one, and links a step to it: that at `step` (from 0), else a new one at the end.
   * @throws RoomError `not_allowed` when an agent does not own the parent (S11), `refused` when the step has a subtask
   *   already or the parent is over, and as `create`
   */
  createSubtask(parentRef: string, task: NewTask, actor: Actor, step?: number): Promise<NewSubtask>;
  /** `ref` waits for `by`. @throws RoomError `bad_input` that names the circle it would close */
  block(ref: string, by: string, actor: Actor): Promise<Changed>;
  /** `ref` waits for `by` no more; nothing is changed when it did not. */
  unblock(ref: string, by: string, actor: Actor): Promise<Changed>;
  /** @throws RoomError `bad_input` naming the field */
  addResource(ref: string, resource: Resource, actor: Actor): Promise<Changed>;
  /** `index` from 0. @throws RoomError `not_found` without such a resource */
  removeResource(ref: string, index: number, actor: Actor): Promise<Changed>;
}
