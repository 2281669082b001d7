// Where the PostgreSQL of a room's queue is: named by an environment variable, since the address holds a password. Across a
// network it says itself whether it is encrypted.
import { RoomError } from '../../../core/errors.ts';
import type { Effects } from '../../../effects.ts';

const LOOPBACK = ['', 'localhost', '::1', '[::1]'];

/**
 * The address that a variable holds.
 * @throws RoomError `bad_input` for none, or one that leaves open whether it is encrypted
 */
export function queueAddress(variable: string, { env }: Pick<Effects, 'env'>): string {
  const refuse = (message: string, hint: string) => new RoomError('bad_input', message, { hint });
  const url = env[variable] ?? '';
  if (url === '')
    throw refuse(
      `the environment variable ${variable} is not set: it holds the address of PostgreSQL`,
      `set it where this starts: ${variable}=postgres://user:password@host/database?sslmode=verify-full`,
    );
  const parsed = URL.parse(url);
  if (parsed === null || !['postgres:', 'postgresql:'].includes(parsed.protocol))
    throw refuse(
      `${variable} holds no address of PostgreSQL`,
      'expected: postgres://user:password@host/database',
    );
  const host = hostOf(parsed, env);
  // The driver takes one without a value for none.
  const saysHow = (parsed.searchParams.getAll('sslmode').at(-1) ?? '') !== '';
  if (isOfThisMachine(host) || saysHow) return url;
  throw refuse(
    `${variable} names ${host} without saying whether the connection is encrypted`,
    'add ?sslmode=verify-full, or ?sslmode=disable where the network is your own',
  );
}

/** As the driver reads it: a `host` among the parameters stands before that of the address, and PGHOST in for none. */
function hostOf({ hostname, searchParams }: URL, env: Effects['env']): string {
  return searchParams.getAll('host').at(-1) || decodeURIComponent(hostname) || env.PGHOST || '';
}

/** A path is the folder of a unix socket. */
function isOfThisMachine(host: string): boolean {
  return LOOPBACK.includes(host) || host.startsWith('/') || /^127(\.\d{1,3}){3}$/.test(host);
}
