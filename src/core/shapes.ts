// Parts of what operations take and answer.
import * as z from 'zod';
import type { TaskId } from './ids.ts';
import { once } from './once.ts';
import { STATUSES } from './task/status.ts';

export { once } from './once.ts';

export const text = () => z.string();
export const count = () => z.int().min(0);
/** A task as callers name it. */
export const ref = () => text().meta({ description: 'id, unique prefix of an id, file name or title' });
/** The id of a task: a string. */
export const taskId = () => z.string() as unknown as z.ZodType<TaskId>;
/** The same of a task that may be made later: null until then. */
export const givenId = () => z.string().nullable() as unknown as z.ZodType<TaskId>;
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
