// A change of a task as every face answers it: of which task, and what it came to.
import * as z from 'zod';
import type { Changed, Removed } from '../../tasks/contract/operations.ts';
import { once, text } from '../fields.ts';

const fields = () => ({
  id: text().nullable(),
  name: text(),
  path: text(),
  changed: z.boolean(),
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
  z.strictObject({ ...fields(), attic: attic().exactOptional() }).meta({ id: 'Changed' }),
);

export const removedAnswer: () => z.ZodType<RemovedJson> = once(() =>
  z
    .strictObject({
      ...fields(),
      attic: attic(),
      subtasks: z.lazy(() => z.array(removedAnswer())).exactOptional(),
    })
    .meta({ id: 'Removed' }),
);

export function changeJson({
  awaitsChecks,
  deferred,
  later,
  ...rest
}: Omit<Changed, 'id'> & { id: string | null }) {
  const { id, name, path, changed, attic, unreached } = rest;
  return {
    id,
    name,
    path,
    changed,
    ...(deferred ? { deferred } : {}),
    ...(later ? { later } : {}),
    ...(attic === undefined ? {} : { attic }),
    ...(unreached === undefined ? {} : { unreached }),
    ...(awaitsChecks === undefined ? {} : { awaits_checks: awaitsChecks }),
  };
}

/** A task whose file was moved to the attic, with the subtasks that went along. */
export interface RemovedJson extends ReturnType<typeof changeJson> {
  attic: string;
  subtasks?: RemovedJson[];
}

export function removedJson({ attic, subtasks, ...removed }: Removed): RemovedJson {
  const along = subtasks === undefined ? {} : { subtasks: subtasks.map(removedJson) };
  return { ...changeJson(removed), attic, ...along };
}
