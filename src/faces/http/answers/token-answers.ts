// What the API says of tokens, as schemas: never the token.
import * as z from 'zod';

const text = z.string();

export const TOKEN_ACCESS = ['full', 'assistant', 'readonly', 'worker'] as const;

export const tokenAnswer = z
  .strictObject({
    id: text,
    kind: z.enum(['own', 'given', 'session']),
    name: text,
    access: z.enum(TOKEN_ACCESS),
    tasks: z.array(text).nullable(),
    agents: z.array(text).nullable(),
    created_at: z.iso.datetime().nullable(),
    expires_at: z.iso.datetime().nullable(),
    used_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'Token' });
