// What --json prints of a change: of which task, and what it came to.
import type { Changed } from '../../tasks/contract/operations.ts';

export function changeJson({
  awaitsChecks,
  deferred,
  later,
  ...rest
}: Omit<Changed, 'id'> & { id: string | null }) {
  const { id, name, path, changed } = rest;
  return {
    id,
    name,
    path,
    changed,
    ...(deferred ? { deferred } : {}),
    ...(later ? { later } : {}),
    ...(awaitsChecks === undefined ? {} : { awaits_checks: awaitsChecks }),
  };
}
