// What is done to one task, as a route: `POST /api/tasks/:ref/<verb>`.
import * as z from 'zod';
import { type Answer, type Exchange, type Route, route } from '../gate/route.ts';

export const onTask = z.strictObject({
  ref: z.string().meta({ description: 'id, unique prefix of an id, or file name' }),
});

type Said<Body> = Pick<Route, 'about' | 'group' | 'needs' | 'answers'> & { body: Body; id?: string };

export function taskVerb<Body extends z.ZodType>(
  verb: string,
  { id = `${verb}Task`, ...said }: Said<Body>,
  run: (on: Exchange, ref: string, body: z.infer<Body>) => Promise<Answer>,
): Route {
  return route({
    ...said,
    ...{ method: 'post', path: `/api/tasks/:ref/${verb}`, id, params: onTask },
    task: ({ params }) => params.ref,
    run: (on, { params, body }) => run(on, params.ref, body),
  });
}
