// The link of a step to the task that was made of it.
import type { Edit } from '../document/edits.ts';
import { endWithoutBlanks, lineEndAfter } from '../markdown/blank-space.ts';
import { readSteps } from './steps.ts';

export function linkStep(body: string, index: number, task: string, offset: number): Edit[] {
  const step = readSteps(body)[index];
  if (step === undefined || step.task !== null) return [];
  const at = offset + endWithoutBlanks(body, lineEndAfter(body, step.markEnd), step.markEnd);
  return [{ start: at, end: at, insert: ` (task:${task})` }];
}
