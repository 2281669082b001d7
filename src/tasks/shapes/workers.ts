// Workers on other machines, and where the turns of the room run, as every face shows them.
import * as z from 'zod';
import { instant, once, text } from '../../core/shapes.ts';

export const workersShape = once(() =>
  z.strictObject({
    workers: z.array(
      z
        .strictObject({
          ...{ id: text(), name: text(), version: text(), slots: z.int() },
          agents: z.array(text()),
          live: z.boolean(),
          turns: z.array(text()).meta({ description: 'ids of the turns that it has' }),
          trouble: text().nullable().meta({ description: 'why it takes no turns' }),
          started_at: instant().nullable(),
          seen_at: instant().nullable(),
        })
        .meta({ id: 'Worker' }),
    ),
    places: z.record(text(), text().nullable()).nullable().meta({
      description:
        'worker of each turn that runs, null while it waits for one; null for a room whose turns run beside it',
    }),
    unserved: z.array(text()).meta({ description: 'agents that no living worker can run' }),
  }),
);

export type WorkersJson = z.output<ReturnType<typeof workersShape>>;
export type WorkerJson = WorkersJson['workers'][number];
