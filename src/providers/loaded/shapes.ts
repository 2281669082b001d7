// What a provider from a file hands over, checked before anything of ours relies on it: its code was not compiled against the contract.
import * as z from 'zod';
import { call, PROFILE, REMOTE_TASK, word } from '../provider.ts';

export const TASKS_BY_REF = z.map(z.string(), REMOTE_TASK);
export const FAULTS = z.array(
  z.object({ message: word, expected: z.string().optional(), hint: z.string().optional() }),
);

export const FACTORY = z.object({
  name: word,
  secrets: z.array(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'names of environment variables')),
  check: call,
  missing: call,
  open: call,
  shortRef: call,
  refOfUrl: call,
  owns: call,
});

export const PROVIDER = z.object({
  name: word,
  profile: PROFILE,
  list: call,
  get: call,
  write: z.object({ create: call, update: call }).optional(),
  comment: z.object({ add: call, edit: call }).optional(),
  usage: call,
  close: call,
});

/** What is wrong with a value, in words: `items.0.labels: expected array`; at most three of it. */
export function faultsOf(error: z.ZodError): string {
  const said = error.issues.map(({ path, message }) => {
    const words = message.replace(/^Invalid (input|option): /, '');
    return path.length > 0 ? `${path.join('.')}: ${words}` : words;
  });
  return said.length > 3 ? `${said.slice(0, 3).join('; ')}; and ${said.length - 3} more` : said.join('; ');
}
