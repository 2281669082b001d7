// An operation by its name, for commands on other machines: where it lies, and the form of what it answers.
import * as z from 'zod';
import { type Exchange, type Route, type RouteNeeds, route } from '../gate/route.ts';

export function namedOperation<Input extends z.ZodType>(
  name: string,
  needs: RouteNeeds,
  input: Input,
  run: (on: Exchange, input: z.infer<Input>) => Promise<unknown>,
): Route {
  return route({
    method: 'post',
    path: `/api/operations/${name}`,
    id: `operation_${name}`,
    about: `The operation ${name}, for taskroom's own clients.`,
    group: 'operations',
    needs,
    body: input,
    answers: { 200: { about: 'What it answers, as JSON.', schema: z.strictObject({ result: z.unknown() }) } },
    run: async (on, { body }) => ({ body: { result: (await run(on, body)) ?? null } }),
  });
}
