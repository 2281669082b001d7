// Certificates for tests, made by openssl in a folder of theirs.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

export type CertificateFiles = { cert: string; key: string };

/** `req` makes none of the past; the authority that `ca` plays does. */
function authority(dir: string, names: string): string {
  const folder = `database=${dir}/index.txt\nnew_certs_dir=${dir}\nrand_serial=yes\ndefault_md=sha256`;
  const rules = 'policy=rules\nx509_extensions=more\n[rules]\ncommonName=supplied';
  return `[ca]\ndefault_ca=own\n[own]\n${folder}\n${rules}\n[more]\nsubjectAltName=${names}\n`;
}

export function certificatesIn(dir: string) {
  const openssl = (...args: string[]) => void execFileSync('openssl', args, { cwd: dir, stdio: 'pipe' });
  const filesOf = (name: string) => ({ cert: join(dir, `${name}.crt`), key: join(dir, `${name}.key`) });
  const request = (name: string) =>
    `req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout ${name}.key -subj /CN=${name}`.split(
      ' ',
    );
  return {
    /** One that nobody signed but itself, for these names, until tomorrow. */
    make(name: string, names: string) {
      openssl(
        ...request(name),
        '-x509',
        '-days',
        '1',
        '-out',
        `${name}.crt`,
        '-addext',
        `subjectAltName=${names}`,
      );
      return filesOf(name);
    },
    /** The same, of January 2020. */
    makeExpired(name: string, names: string) {
      writeFileSync(join(dir, 'authority.cnf'), authority(dir, names));
      writeFileSync(join(dir, 'index.txt'), '');
      openssl(...request(name), '-out', `${name}.csr`);
      const files = ['-keyfile', `${name}.key`, '-in', `${name}.csr`, '-out', `${name}.crt`];
      const times = ['-startdate', '20200101000000Z', '-enddate', '20200201000000Z'];
      openssl('ca', '-selfsign', '-batch', '-notext', '-config', 'authority.cnf', ...files, ...times);
      return filesOf(name);
    },
    /** The key under a passphrase. */
    lock({ cert, key }: CertificateFiles) {
      openssl('ec', '-in', key, '-aes128', '-passout', 'pass:words', '-out', `${key}.locked`);
      return { cert, key: `${key}.locked` };
    },
  };
}
