// A change of a task as every face answers it: of which task, and what it came to.
import * as z from 'zod';
import type { TaskId } from '../../core/ids.ts';
import { givenId, once, ref, taskId, text } from '../../core/shapes.ts';
import { STATUSES } from '../../core/task/status.ts';

/** What adds an entry to a section of a task. */
export const entryInput = () =>
  z.strictObject({
    ref: ref(),
    text: text(),
    key: text().exactOptional().meta({ description: 'the same again adds nothing' }),
  });

export type EntryInput = z.output<ReturnType<typeof entryInput>>;

const fields = () => ({
  name: text(),
  path: text(),
  changed: z.boolean().meta({ description: 'false when the file already said so' }),
  status: z
    .enum(STATUSES)
    .exactOptional()
    .meta({ description: 'what it says now, where that matters to whoever asked' }),
  paused: z.boolean().exactOptional(),
  deferred: z
    .literal(true)
    .exactOptional()
    .meta({ description: 'it was edited meanwhile, and one more turn follows' }),
  unreached: z
    .array(z.strictObject({ who: text(), what: text(), how: text() }))
    .exactOptional()
    .meta({ description: 'it stands in the file and will not reach the issue `who`: why, and what to do' }),
  later: z.literal(true).exactOptional().meta({ description: 'it is done when something runs the room' }),
  awaits_checks: z.array(text()).exactOptional().meta({ description: 'it counts when these commands pass' }),
});

const attic = () => text().meta({ description: 'where the file of a deleted task lies now' });

export const changedAnswer = once(() =>
  z.strictObject({ id: givenId(), ...fields(), attic: attic().exactOptional() }).meta({ id: 'Changed' }),
);

/** What asking or answering a question came to. */
export const askedAnswer = once(() =>
  changedAnswer()
    .extend({ question: text().meta({ description: 'its key, unique in its task' }) })
    .meta({ id: 'Asked' }),
);

export const removedAnswer: () => z.ZodType<Removed> = once(() =>
  z
    .strictObject({
      id: taskId().nullable().meta({ description: 'null for a file that never had one' }),
      ...fields(),
      attic: attic(),
      subtasks: z.lazy(() => z.array(removedAnswer())).exactOptional(),
    })
    .meta({ id: 'Removed' }),
);

export type Changed = z.output<ReturnType<typeof changedAnswer>>;

export type Asked = z.output<ReturnType<typeof askedAnswer>>;

export interface Removed extends Omit<Changed, 'id' | 'attic'> {
  id: TaskId | null;
  attic: string;
  /** Its subtasks that went with it, deepest first; absent when there were none. */
  subtasks?: Removed[];
}
