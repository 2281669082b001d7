// The address of the PostgreSQL of a room's queue. It holds a password, so an environment variable names it; across a network it says itself
// whether the connection is encrypted.
import { RoomError } from '../../../core/errors.ts';
import { isLoopback } from '../../../core/loopback.ts';
import type { Effects } from '../../../effects.ts';

/** @throws RoomError `bad_input` for no address, or one that leaves open whether it is encrypted */
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
  const { hostname, searchParams } = parsed;
  // As the driver reads it; a path is the folder of a unix socket.
  const host = searchParams.getAll('host').at(-1) || decodeURIComponent(hostname) || env.PGHOST || '';
  const isOfThisMachine = host === '' || host.startsWith('/') || isLoopback(host);
  // The driver passes over a mode without a value.
  const saysHow = (searchParams.getAll('sslmode').at(-1) ?? '') !== '';
  if (isOfThisMachine || saysHow) return url;
  throw refuse(
    `${variable} names ${host} without saying whether the connection is encrypted`,
    'add ?sslmode=verify-full, or ?sslmode=disable where the network is your own',
  );
}
