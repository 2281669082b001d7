// Steps of a task.
import type { StepChange } from '../../core/task/body/step-edits.ts';
import type { Step } from '../../core/task/task.ts';
import type { Actor } from '../task-room.ts';
import type { Changed } from './task-shapes.ts';

export type { StepChange } from '../../core/task/body/step-edits.ts';

export interface StepOperations {
  /** `index` from 0. */
  setStep(ref: string, index: number, done: boolean, actor: Actor): Promise<Changed>;
  /** Changes title, details or tick of one step, `index` from 0; its link stays (S10). @throws RoomError `not_found`, `bad_input` */
  editStep(ref: string, index: number, change: StepChange, actor: Actor): Promise<Changed>;
  addStep(ref: string, title: string, actor: Actor, details?: string): Promise<Changed>;
  /** S10: refuses to drop a linked step, and to link one. */
  setSteps(ref: string, steps: Step[], actor: Actor): Promise<Changed>;
}
