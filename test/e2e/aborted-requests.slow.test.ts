// Callers that go away in the middle of everything: standard output of the daemon stays the log of the room, one JSON
// object a line, and standard error stays empty.
import { copyFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { room } from './each-room.ts';

type Where = { port: number; host: string } | { path: string };

/** Sends these bytes and is gone: at once, or when the first bytes of an answer came. */
function abort(where: Where, text: string, when: 'at once' | 'answered' | 'reset'): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(where, () =>
      socket.write(text, () => {
        if (when === 'at once') socket.destroy();
      }),
    );
    socket.on('data', () =>
      when === 'reset' && 'port' in where ? socket.resetAndDestroy() : socket.destroy(),
    );
    socket.on('error', () => undefined);
    socket.on('close', () => resolve());
  });
}

test('readers that leave streams, and callers that leave their own bodies, are told to nobody', async () => {
  room.gate('Watch me');
  const daemon = await room.up('--port', '0');
  await daemon.see('api.ready');
  const { url, socket } = JSON.parse(room.read('.taskroom/api.json'));
  const token = room.read('.taskroom/token').trim();
  const { host, port, hostname } = new URL(url);
  await room.json('new', 'Watch me', 'Wait.');
  const { turn } = await daemon.see('turn.started');
  const head = (line: string, ...more: string[]) =>
    [`${line} HTTP/1.1`, `host: ${host}`, `authorization: Bearer ${token}`, ...more, '', ''].join('\r\n');
  const json = ['content-type: application/json', 'accept: application/json, text/event-stream'];
  const streams = ['/api/events', `/api/turns/${turn}/follow`, `/api/turns/${turn}/follow?form=events`];
  const answered = ['/api/tasks', '/', '/metrics', '/api/openapi.json'];
  const gets = [...streams, ...answered].map((path) => head(`GET ${path}`));
  const bodies = ['/api/tasks', '/mcp'].map((path) => head(`POST ${path}`, ...json, 'content-length: 500'));
  const waits = head(`GET /api/turns/${turn}/output?wait=30`);
  for (const where of [{ port: Number(port), host: hostname }, { path: socket }]) {
    for (const when of ['at once', 'answered', 'reset'] as const)
      await Promise.all(gets.flatMap((text) => [abort(where, text, when), abort(where, text, when)]));
    await Promise.all(
      [...bodies, ...bodies.map((text) => `${text}{"title":`), waits].map((text) =>
        abort(where, text, 'at once'),
      ),
    );
  }
  const ask = (path: string) => fetch(`${url}${path}`, { headers: { authorization: `Bearer ${token}` } });
  await expect.poll(async () => (await ask('/metrics')).text()).toMatch(/^taskroom_event_readers 0$/m);
  // One that is read to its end still gets all of it.
  const followed = ask(`/api/turns/${turn}/follow`);
  room.open('Watch me', 'echo "seen to the end"');
  await daemon.see('turn.ended', { turn });
  expect(await (await followed).text()).toContain('seen to the end');
  await room.ok('stop');
  expect(await daemon.ended).toEqual({ code: 0, signal: null });
  expect([daemon.strays, daemon.stderr()]).toEqual([[], '']);
});

test('what a provider from a file prints is no line of the log', async () => {
  copyFileSync(join(import.meta.dirname, '../fixtures/providers/json-file.mjs'), room.at('json-file.mjs'));
  room.edit('json-file.mjs', (text) => `${text}\nconsole.log('loaded it');\nconsole.info('and told');\n`);
  room.settings('default_agent: gate', 'providers:', '  json-file: ./json-file.mjs');
  room.save('issues.json', JSON.stringify({ serial: 0, issues: [] }));
  const mirror = ['mirror:', '  provider: json-file', `  source: ${room.at('issues.json')}`];
  room.save('chores/web.md', ['---', 'schedule: every 5m', ...mirror, '---', ''].join('\n'));
  const daemon = await room.up('--no-http');
  await daemon.see('chore.finished', { name: 'web' });
  await room.ok('stop');
  await daemon.ended;
  expect(daemon.strays).toEqual([]);
  expect(daemon.stderr()).toBe('loaded it\nand told\n');
});
