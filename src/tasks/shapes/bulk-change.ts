// One of several changes that are made together.
import * as z from 'zod';
import { ref, text } from '../../core/shapes.ts';
import { newTask } from './new-task.ts';
import { taskChange } from './task-change.ts';

/** At most so many changes a call (C2). */
export const MAX_BULK = 25;

export const bulkChange = () => {
  const { paused: _, ...changes } = taskChange();
  return z.discriminatedUnion('do', [
    z.strictObject({ do: z.literal('create'), ...newTask() }),
    z.strictObject({ do: z.literal('update'), ref: ref(), ...changes }),
    z.strictObject({ do: z.literal('complete'), ref: ref(), outcome: text().exactOptional() }),
    z.strictObject({ do: z.literal('delete'), ref: ref() }),
  ]);
};

export type BulkChange = z.output<ReturnType<typeof bulkChange>>;
