// What a provider from a file hands over, checked before anything of ours relies on it: its code was not compiled
// against the contract.
import * as z from 'zod';
import { FIELDS } from '../../core/chore/chore.ts';
import { STATUSES } from '../../core/task/status.ts';
import { PRIORITIES } from '../../core/task/task.ts';
import type { MissingConfig, Page, Profile, RemoteComment, RemoteTask, Usage } from '../provider.ts';

const word = z.string().min(1);
const time = z.number().int().nonnegative();
const words = z.array(z.string());
const field = z.enum(FIELDS);
const call = z.custom<(...args: never[]) => unknown>(
  (value) => typeof value === 'function',
  'not a function',
);

export const REMOTE_COMMENT: z.ZodType<RemoteComment> = z.object({
  id: z.string().regex(/^[0-9A-Za-z_.:-]+$/, 'letters, digits, _ . : - only'),
  author: word,
  role: z.string().nullable(),
  mine: z.boolean(),
  body: z.string(),
  key: z.string().nullable(),
  createdAt: time,
  updatedAt: time,
});

export const REMOTE_TASK: z.ZodType<RemoteTask> = z.object({
  ref: word,
  uid: word,
  url: z.string().nullable(),
  title: z.string(),
  body: z.string(),
  state: word,
  status: z.enum(STATUSES),
  labels: words,
  assignees: words,
  priority: z.enum(PRIORITIES).nullable(),
  due: z
    .string()
    .regex(/^\d{4}-\d{2}-\d{2}$/, 'YYYY-MM-DD')
    .nullable(),
  milestone: z.string().nullable(),
  parent: word.nullable(),
  blockedBy: z.array(z.object({ ref: word, finished: z.boolean() })),
  author: word,
  role: z.string().nullable(),
  mine: z.boolean(),
  key: z.string().nullable(),
  createdAt: time,
  updatedAt: time,
  locked: z.boolean(),
  admitted: z.boolean(),
  commentCount: time.nullable(),
  comments: z.object({ complete: z.boolean(), items: z.array(REMOTE_COMMENT) }),
  silent: z.array(field),
});

/** Cursors are kept in the ledger; more than this is something else than a place to go on. */
const MAX_CURSOR = 65_536;
export const PAGE: z.ZodType<Page> = z.object({
  items: z.array(REMOTE_TASK),
  next: z.string().max(MAX_CURSOR),
});
export const TASKS_BY_REF = z.map(z.string(), REMOTE_TASK);

const PROFILE: z.ZodType<Profile> = z.object({
  limits: z.object({
    title: z.number().int().positive(),
    body: z.number().int().positive(),
    comment: z.number().int().positive(),
  }),
  writable: z.array(field),
  normalise: call as z.ZodType<Profile['normalise']>,
  classOf: call as z.ZodType<Profile['classOf']>,
  trustedRoles: words,
  remote: z.boolean(),
});

export const USAGE: z.ZodType<Usage> = z.object({
  requests: time,
  notModified: time,
  remaining: z.number().nullable(),
  resetAt: z.number().nullable(),
});

export const MISSING: z.ZodType<MissingConfig[]> = z.array(z.object({ what: word, set: word }));
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
