// The options of the API of a room that runs in the foreground.
import { join } from 'node:path';
import { RoomError } from '../../core/errors.ts';
import type { ApiOptions } from '../../server/shapes/faces.ts';
import type { Options } from '../command.ts';
import { packageFolder, readVersion } from '../version.ts';

const MAX_PORT = 65_535;

/** This package's version and the built files of the board. */
export function packageFacts(): Pick<ApiOptions, 'version' | 'boardDir'> {
  return { version: readVersion(), boardDir: join(packageFolder(), 'dist', 'web') };
}

/** @throws RoomError `bad_input` */
export function readApiOptions(options: Options, now: number): ApiOptions {
  const shared = packageFacts();
  const port = options.whole('port', 0);
  const [certPath, keyPath] = [options.text('tls-cert'), options.text('tls-key')];
  if (port !== null && port > MAX_PORT)
    throw new RoomError('bad_input', `--port is ${port}`, { hint: `expected 0 to ${MAX_PORT}` });
  if ((certPath === null) !== (keyPath === null))
    throw new RoomError('bad_input', 'TLS needs both', { hint: 'give --tls-cert and --tls-key' });
  if (options.flag('no-http')) {
    if (port !== null || options.text('host') !== null)
      throw new RoomError('bad_input', '--no-http opens no port', { hint: 'leave --port and --host out' });
    return { tcp: null, ...shared };
  }
  return {
    ...shared,
    tcp: {
      host: options.text('host') ?? '127.0.0.1',
      port,
      names: options.texts('name'),
      tls: certPath === null || keyPath === null ? null : { certPath, keyPath, now },
      withoutTls: options.flag('without-tls'),
    },
  };
}
