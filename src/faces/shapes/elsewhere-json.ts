// What --json and the API say of a room whose turns run on other machines, beside what every room says.
import type { Elsewhere } from '../../runtime.ts';
import { workerJson } from './worker-json.ts';

/** @param trouble what is wrong with the queue; null while it answers */
export function elsewhereJson({ workers, places, unserved }: Elsewhere, trouble: string | null) {
  return {
    workers: workers.map(workerJson),
    /** Name of the worker of each turn that runs; null while it waits for one. */
    places: Object.fromEntries(places),
    unserved,
    queue: { answers: trouble === null, trouble },
  };
}
