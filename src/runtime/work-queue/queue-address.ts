// Where the PostgreSQL of a room's queue is: named by an environment variable, since the address holds a password. Across a
// network it says itself whether it is encrypted.
import { RoomError } from '../../core/errors.ts';
import type { Effects } from '../../effects.ts';

const LOOPBACK = ['', 'localhost', '127.0.0.1', '[::1]'];

/**
 * The address that a variable holds.
 * @throws RoomError `bad_input` for none, or one that leaves open whether it is encrypted
 */
export function queueAddress(variable: string, { env }: Pick<Effects, 'env'>): string {
  const url = env[variable] ?? '';
  if (url === '')
    throw new RoomError(
      'bad_input',
      `the environment variable ${variable} is not set: it holds the address of PostgreSQL`,
      {
        hint: `set it where this starts: ${variable}=postgres://user:password@host/database?sslmode=verify-full`,
      },
    );
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (parsed === null || !['postgres:', 'postgresql:'].includes(parsed.protocol))
    throw new RoomError('bad_input', `${variable} holds no address of PostgreSQL`, {
      hint: 'expected: postgres://user:password@host/database',
    });
  if (!LOOPBACK.includes(parsed.hostname) && !parsed.searchParams.has('sslmode'))
    throw new RoomError(
      'bad_input',
      `${variable} names ${parsed.hostname} without saying whether the connection is encrypted`,
      {
        hint: 'add ?sslmode=verify-full, or ?sslmode=disable where the network is your own',
      },
    );
  return url;
}
