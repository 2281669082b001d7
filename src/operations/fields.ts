// Parts of inputs and outputs that several operations have.
import * as z from 'zod';
import { STATUSES } from '../core/task/status.ts';

/** A shape that is made when it is first asked for, and is the same for whoever asks. */
export function once<Shape>(make: () => Shape): () => Shape {
  let made: Shape | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

export const text = () => z.string();
export const count = () => z.int().min(0);
/** ISO 8601, in UTC. */
export const instant = () => z.iso.datetime();
/** How many tasks have which status. */
export const byStatus = () => z.record(z.enum(STATUSES), count());

export const problem = once(() =>
  z
    .strictObject({
      ...{ path: text(), line: z.int(), col: z.int(), message: text() },
      ...{ expected: text().optional(), hint: text().optional() },
    })
    .meta({ id: 'Problem', description: 'A place in a file and what is wrong there.' }),
);

export const unreadable = once(() =>
  z
    .strictObject({ path: text(), problems: z.array(problem()) })
    .meta({ id: 'Unreadable', description: 'A file, and why it can not be read as it is.' }),
);
