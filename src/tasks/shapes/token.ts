// A token of the API as every face shows it: never the token itself.
import * as z from 'zod';
import { instant, once, text } from '../../core/shapes.ts';

export const tokenAccess = once(() =>
  z.enum(['full', 'assistant', 'readonly', 'worker']).meta({
    description:
      '`full`: what the person may do; `assistant`: what an agent with full access may; `readonly`: it only looks; `worker`: it takes turns',
  }),
);

export const tokenShape = once(() =>
  z
    .strictObject({
      id: text(),
      kind: z.enum(['own', 'given', 'session']),
      name: text(),
      access: tokenAccess(),
      tasks: z.array(text()).nullable(),
      agents: z.array(text()).nullable(),
      created_at: instant().nullable(),
      expires_at: instant().nullable(),
      used_at: instant().nullable(),
    })
    .meta({ id: 'Token' }),
);

export type TokenJson = z.output<ReturnType<typeof tokenShape>>;
