// Certificate and key as their files hold them, looked at before anything listens: what no caller could trust or no handshake
// could use is told at the start, by the name of the file.
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { RoomError } from '../core/errors.ts';

export interface Tls {
  cert: string;
  key: string;
}

export interface TlsReading {
  tls: Tls;
  /** When no other machine trusts the certificate any more, epoch ms. */
  endsAt: number;
}

interface TlsFiles {
  certPath: string;
  keyPath: string;
}

/** @throws RoomError `bad_input`; a certificate that has expired is none of that, since time alone makes it so */
export function readTlsFiles({ certPath, keyPath }: TlsFiles): TlsReading {
  const [cert, key] = [read(certPath), read(keyPath)];
  const certificate = parsed(
    () => new X509Certificate(cert),
    `${certPath} holds no certificate in PEM`,
    'give the certificate with --tls-cert, its authorities after it in the same file',
  );
  const secret: KeyObject = parsed(
    () => createPrivateKey(key),
    `${keyPath} holds no private key in PEM that opens without a passphrase`,
    'give the key with --tls-key',
  );
  if (!certificate.checkPrivateKey(secret))
    throw new RoomError('bad_input', `${keyPath} is not the key of ${certPath}`, {
      hint: 'give the two that were made together',
    });
  parsed(() => createSecureContext({ cert, key }), `${certPath} and ${keyPath} make no TLS`, 'make others');
  return { tls: { cert, key }, endsAt: certificate.validToDate.getTime() };
}

/**
 * What to tell of a certificate that ended at `endsAt`, epoch ms.
 * @param host the address that is not served for it; null where it is served all the same, since the daemon runs
 */
export function expired(certPath: string, endsAt: number, host: string | null): RoomError {
  const ended = `the certificate in ${certPath} expired on ${new Date(endsAt).toISOString()}`;
  const so = host === null ? 'no other machine trusts the API' : `the API is not served on ${host}`;
  return new RoomError('unavailable', `${ended}: ${so}; this machine reaches it, and tasks go on`, {
    hint: 'give a newer one, and start taskroom up again',
  });
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new RoomError('bad_input', `can't read ${path}: ${(error as Error).message}`, { cause: error });
  }
}

function parsed<T>(parse: () => T, message: string, hint: string): T {
  try {
    return parse();
  } catch (error) {
    throw new RoomError('bad_input', `${message} (${(error as Error).message})`, { cause: error, hint });
  }
}
