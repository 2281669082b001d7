// TLS from end to end with certificates that openssl makes: a daemon that other machines reach, commands that trust its
// certificate or say why not, and every wrong file told by its name before anything listens.
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { type CertificateFiles, certificatesIn } from '../support/certificates.ts';
import { room } from './each-room.ts';
import type { E2eRoom } from './room.ts';

const OWN = 'IP:127.0.0.1';

function certificates(room: E2eRoom) {
  mkdirSync(room.at('tls'));
  return certificatesIn(room.at('tls'));
}

const tls = ({ cert, key }: CertificateFiles) => ['--tls-cert', cert, '--tls-key', key];

function far(room: E2eRoom, url: string, trusted: string | null) {
  const token = existsSync(room.at('.taskroom/token')) ? room.read('.taskroom/token').trim() : 'tskr_none';
  const env: Record<string, string> = trusted === null ? {} : { NODE_EXTRA_CA_CERTS: trusted };
  return (...args: string[]) => room.run([...args, '--url', url], { env: { TASKROOM_TOKEN: token, ...env } });
}

test.for(['127.0.0.1', '0.0.0.0'])(
  'commands reach a daemon on %s by TLS, and by nothing else',
  async (host) => {
    const files = certificates(room).make('own', OWN);
    const daemon = await room.up('--host', host, '--port', '0', ...tls(files));
    const { url } = await daemon.see('api.ready');
    expect(url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
    const { port } = new URL(String(url));
    const trusting = far(room, String(url), files.cert);

    const made = await trusting('new', 'Fix the build', 'CI fails.', '--json');
    expect([made.code, made.stderr]).toEqual([0, '']);
    const { id, path } = JSON.parse(made.stdout);
    await daemon.see('turn.ended', { id });
    expect((await trusting('comment', id, 'Seen from afar.')).code).toBe(0);
    expect(room.read(path)).toContain('Seen from afar.');
    const link = JSON.parse((await trusting('open', '--json')).stdout);
    expect(link.url).toMatch(new RegExp(`^${url}/open\\?key=`));

    const refusals = [
      [
        String(url),
        null,
        /is of no authority that this machine trusts \(DEPTH_ZERO_SELF_SIGNED_CERT\)[\s\S]*NODE_EXTRA_CA_CERTS/,
      ],
      [`https://localhost:${port}`, files.cert, /is for other names/],
      [`http://127.0.0.1:${port}`, files.cert, /can't reach http:/],
    ] as const;
    for (const [address, trusted, words] of refusals) {
      const ran = await far(room, address, trusted)('list');
      expect([address, ran.code, ran.stdout]).toEqual([address, 6, '']);
      expect(ran.stderr).toMatch(words);
    }
    expect((await trusting('stop')).code).toBe(0);
    expect(await daemon.ended).toEqual({ code: 0, signal: null });
  },
);

test('what can make no TLS is told before anything listens', async () => {
  const made = certificates(room);
  const own = made.make('own', OWN);
  const other = made.make('other', OWN);
  const locked = made.lock(own);
  const foreign = 'can be reached from other machines, and whoever listens would read the token';
  const cases: [args: string[], code: number, words: RegExp][] = [
    [
      ['--host', '0.0.0.0'],
      4,
      new RegExp(`0\\.0\\.0\\.0 ${foreign}.*--tls-cert and --tls-key.*--without-tls`),
    ],
    [['--host', '::'], 4, new RegExp(foreign)],
    [['--tls-cert', own.cert], 2, /TLS needs both/],
    [tls({ cert: own.cert, key: other.key }), 2, /other\.key is not the key of \S+own\.crt/],
    [tls({ cert: own.key, key: own.key }), 2, /own\.key holds no certificate in PEM/],
    [tls({ cert: own.cert, key: own.cert }), 2, /own\.crt holds no private key in PEM/],
    [tls(locked), 2, /own\.key\.locked holds no private key in PEM that opens without a passphrase/],
    [tls({ cert: own.cert, key: room.at('tls/none.key') }), 2, /can't read \S+none\.key/],
  ];
  for (const [args, code, words] of cases) {
    const ran = await room.run(['up', '--json', '--port', '0', ...args]);
    expect([args, ran.code, ran.stdout]).toEqual([args, code, '']);
    expect(ran.stderr).toMatch(words);
    expect(ran.stderr).not.toMatch(/\n +at |PRIVATE KEY/);
    expect(existsSync(room.at('.taskroom/api.json'))).toBe(false);
  }

  // The explicit word: nothing stands between the token and who listens.
  const daemon = await room.up('--host', '0.0.0.0', '--port', '0', '--without-tls');
  const { url } = await daemon.see('api.ready');
  expect(url).toMatch(/^http:/);
  expect((await far(room, String(url), null)('list')).code).toBe(0);
});

test('with a certificate that expired the room runs, for this machine alone, and says so', async () => {
  room.save('tasks/One.md', '---\nid: one11111\nstatus: todo\n---\nSay hello.\n');
  const old = certificates(room).makeExpired('old', OWN);
  const daemon = await room.up('--host', '0.0.0.0', '--port', '0', ...tls(old));
  const said = /old\.crt expired on 2020-02-01T00:00:00\.000Z: the API is not served on 0\.0\.0\.0/;
  expect(await daemon.see('room.trouble')).toMatchObject({ message: expect.stringMatching(said) });
  const { url } = await daemon.see('api.ready');
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  await daemon.see('turn.ended', { id: 'one11111' });
  expect((await far(room, String(url), null)('list')).code).toBe(0);
  const { trouble } = JSON.parse((await room.run(['status', '--json'])).stdout);
  expect(trouble).toMatchObject([
    { message: expect.stringMatching(said), hint: expect.stringContaining('newer one') },
  ]);
  expect((await room.run(['doctor'])).stdout).toMatch(said);
});

test('a certificate that expired since is told by its name', async () => {
  const { cert, key } = certificates(room).makeExpired('old', OWN);
  const server = createServer({ cert: readFileSync(cert), key: readFileSync(key) }, (_, answer) =>
    answer.end(),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());

  const { port } = server.address() as AddressInfo;
  const ran = await far(room, `https://127.0.0.1:${port}`, cert)('list');
  expect([ran.code, ran.stdout]).toEqual([6, '']);
  expect(ran.stderr).toContain(`the certificate of https://127.0.0.1:${port} has expired`);
});
