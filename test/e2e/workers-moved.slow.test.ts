// A room that is moved to another host as docs/scaling.md tells it, while a turn of it runs at a worker: the steps in their order.
import { cpSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Postgres, startPostgres } from '../support/postgres.ts';
import { type E2eRoom, openFolder, until } from './room.ts';
import { createSite, type Site } from './workers.ts';

let postgres: Postgres;
let site: Site;
let there: E2eRoom | null = null;
const other = mkdtempSync(join(tmpdir(), 'taskroom-other-host-'));
const gates = mkdtempSync(join(tmpdir(), 'taskroom-gates-'));
beforeAll(async () => {
  postgres = await startPostgres();
  site = await createSite(postgres);
}, 60_000);
afterAll(async () => {
  await there?.close();
  await site?.close();
  await postgres?.close();
  for (const dir of [other, gates]) rmSync(dir, { recursive: true, force: true });
});

test('a turn that was out goes on meanwhile, reports to the new host once, and the tokens are as good there', async () => {
  const { room } = site;
  const script = `taskroom progress "before the move"; until test -e '${gates}/go'; do sleep 0.1; done; taskroom progress "while it moves"; taskroom done`;
  room.agent('far', { runner: 'command', command: ['/bin/sh', '-c', script] });
  let daemon = await room.up('--port', '0');
  await daemon.see('api.ready');
  const { port } = new URL(site.url());
  const worker = await site.worker('one', { args: ['--slots', '1'] });
  room.save('tasks/Move.md', '---\nid: move0001\nowner: far\nstatus: todo\n---\n\nMove.\n');
  await until('its agent has begun', () => room.read('tasks/Move.md').includes('before the move'));

  await room.ok('stop', '--now');
  expect((await daemon.ended).code).toBe(0);
  cpSync(room.dir, join(other, 'room'), { recursive: true, verbatimSymlinks: true });
  renameSync(room.dir, `${room.dir}.old`);
  writeFileSync(join(gates, 'go'), '');
  there = openFolder(join(other, 'room'));
  there.daemonEnv.ROOM_QUEUE = postgres.url;
  daemon = await there.up('--port', port);

  const end = await daemon.see('turn.ended', { id: 'move0001' });
  expect(end).toMatchObject({ state: 'completed', reason: 'ok' });
  const text = there.read('tasks/Move.md');
  for (const word of ['before the move', 'while it moves']) expect(text.split(word)).toHaveLength(2);
  // The next turn, too, by the token that the ledger brought along.
  there.save('tasks/Next.md', '---\nid: next0001\nowner: far\nstatus: todo\n---\n\nGo on.\n');
  expect(await daemon.see('turn.ended', { id: 'next0001' })).toMatchObject({ state: 'completed' });
  worker.signal('SIGTERM');
  expect(await worker.ended).toBe(0);
  await there.ok('stop');

  // To another PostgreSQL, which is empty: stopped, workers ended, the new address on all sides.
  const emptied = postgres.url.replace(/\/postgres$/, '/moved');
  await postgres.query('CREATE DATABASE moved');
  there.daemonEnv.ROOM_QUEUE = emptied;
  daemon = await there.up('--port', port);
  await daemon.see('api.ready');
  const url = `http://127.0.0.1:${port}`;
  const token = (await there.ok('token', 'new', 'again', '--worker')).trim();
  const again = await site.worker('two', { token, url, queue: emptied });
  there.save('tasks/Last.md', '---\nid: last0001\nowner: far\nstatus: todo\n---\n\nGo on.\n');
  expect(await daemon.see('turn.ended', { id: 'last0001' })).toMatchObject({ state: 'completed' });
  again.signal('SIGTERM');
  expect(await again.ended).toBe(0);
  renameSync(`${room.dir}.old`, room.dir);
}, 90_000);
