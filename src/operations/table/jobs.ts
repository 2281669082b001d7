// Jobs: shell commands in the background. Whether an agent may run programs follows from its permissions, never from its
// access to tasks.
import * as z from 'zod';
import { turnOfActor } from '../../tasks/task-room.ts';
import { count, operation, ref, text } from './entry.ts';

// A caller that waits longer asks again: its turn's other requests come between.
const MAX_WAIT_MS = 2_000;

export const JOBS = [
  operation(
    'startJob',
    'write',
    'minimal',
    z.strictObject({
      ref,
      command: text,
      description: text.exactOptional(),
      keep: z.boolean().exactOptional(),
      watch: text.exactOptional(),
    }),
    (on, { ref: task, ...job }, actor) => on.startJob(task, job, actor),
  ),
  operation(
    'job',
    'read',
    'minimal',
    z.strictObject({
      id: text,
      offset: count.exactOptional(),
      limit: count.exactOptional(),
      waitMs: count.exactOptional(),
    }),
    (on, { id, waitMs = 0, ...options }, actor) => {
      const turn = turnOfActor(actor);
      const asked = { ...options, waitMs: Math.min(waitMs, MAX_WAIT_MS), ...(turn === null ? {} : { turn }) };
      return on.job(id, asked);
    },
  ),
  operation('jobs', 'read', 'minimal', z.strictObject({ ref: ref.exactOptional() }), (on, filter) =>
    on.jobs(filter),
  ),
  operation('stopJob', 'write', 'minimal', z.strictObject({ id: text }), (on, { id }, actor) =>
    on.stopJob(id, actor),
  ),
];
