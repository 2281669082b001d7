// What workers on other machines ask, as routes: each call of the workers' protocol. For their tokens alone, which open
// nothing else.
import * as z from 'zod';
import type { WorkerApi } from '../../app/open-room.ts';
import { WORKER_CALLS, type WorkerCall } from '../../app/worker-protocol.ts';
import { RoomError } from '../../core/errors.ts';
import { route } from '../gate/route.ts';
import type { HttpRoom } from '../room/http-room.ts';

export const WORKER_ROUTES = Object.entries(WORKER_CALLS).map(
  ([name, { path, id, about, body, told, answer }]) =>
    route({
      ...{
        method: 'post',
        path,
        id,
        about,
        group: 'workers',
        needs: 'worker',
        body: body as z.ZodType<object>,
      },
      ...(path.includes(':turn') && { params: z.strictObject({ turn: z.string() }) }),
      answers: { 200: { about: told, schema: answer } },
      async run({ room, caller, signal }, { params, body: given }) {
        const by = {
          ...{ token: caller.token, hostVersion: room.programVersion },
          signal: AbortSignal.any([signal, room.closing]),
        };
        const input = { ...given, ...params };
        return { body: await apiOf(room)[name as WorkerCall](by, input as never) };
      },
    }),
);

function apiOf({ workers }: HttpRoom): WorkerApi {
  if (workers !== null) return workers;
  throw new RoomError('refused', 'this room runs its turns itself', {
    hint: 'name a queue in its room.yaml, and start it again: docs/scaling.md',
  });
}
