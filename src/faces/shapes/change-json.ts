// What --json prints of a change: of which task, and what it came to.
import type { Changed, Removed } from '../../tasks/contract/operations.ts';

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
