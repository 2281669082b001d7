// Steps of a task.
import type { Step } from '../../core/task/task.ts';
import type { Actor } from '../task-room.ts';
import type { Changed } from './task-shapes.ts';

export interface StepOperations {
  /** `index` from 0. */
  setStep(ref: string, index: number, done: boolean, actor: Actor): Promise<Changed>;
  addStep(ref: string, title: string, actor: Actor, details?: string): Promise<Changed>;
  /** S10: refuses to drop a linked step. */
  setSteps(ref: string, steps: Step[], actor: Actor): Promise<Changed>;
}
