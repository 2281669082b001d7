// Certificate and key as their files hold them, looked at before anything listens: what no caller could trust or no handshake
// could use is told at the start, by the name of the file.
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { RoomError } from '../../core/errors.ts';

export interface Tls {
  cert: string;
  key: string;
}

interface TlsFiles {
  certPath: string;
  keyPath: string;
  /** Epoch ms, for the certificate's end. */
  now: number;
}

/** @throws RoomError `bad_input` */
export function readTlsFiles({ certPath, keyPath, now }: TlsFiles): Tls {
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
  const end = certificate.validToDate;
  if (end.getTime() <= now)
    throw new RoomError('bad_input', `the certificate in ${certPath} expired on ${end.toISOString()}`, {
      hint: 'give a newer one: no other machine would trust it',
    });
  parsed(() => createSecureContext({ cert, key }), `${certPath} and ${keyPath} make no TLS`, 'make others');
  return { cert, key };
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
