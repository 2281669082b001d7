// The board and the commands behind a reverse proxy that has the TLS, as http.md tells to set one up: a real proxy of Node's
// https, a real daemon that listens on 127.0.0.1 without TLS, a real browser.
import { once } from 'node:events';
import { mkdirSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { chromium } from 'playwright-core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { room } from '../e2e/each-room.ts';
import { certificatesIn } from '../support/certificates.ts';
import { BROWSER_ARGS, findChromium, openBoard } from './browser.ts';

const HOST = 'room.example';

/** Passes everything on as it came, the Host header too (nginx: `proxy_set_header Host $http_host`). */
async function startProxy(files: { cert: string; key: string }) {
  let target = 0;
  const tls = { cert: readFileSync(files.cert), key: readFileSync(files.key) };
  const server: Server = createServer(tls, (incoming, outgoing) => {
    const { method, url: path, headers } = incoming;
    const onward = request({ host: '127.0.0.1', port: target, method, path, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    onward.on('error', () => outgoing.destroy());
    outgoing.on('close', () => onward.destroy());
    incoming.pipe(onward);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    /** Where requests go from now on. */
    to: (port: number) => {
      target = port;
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

describe.skipIf(findChromium() === null)('behind a proxy with TLS', () => {
  test('the board loads, hears of changes, changes a task, and its session is for TLS alone', async () => {
    mkdirSync(room.at('tls'));
    const files = certificatesIn(room.at('tls')).make('proxy', `DNS:${HOST}`);
    const proxy = await startProxy(files);
    const outside = `https://${HOST}:${proxy.port}`;
    const args = [
      ...BROWSER_ARGS,
      `--host-resolver-rules=MAP ${HOST} 127.0.0.1`,
      '--ignore-certificate-errors',
    ];
    const browser = await chromium.launch({ executablePath: findChromium()!, args });
    onTestFinished(() => void proxy.close());
    onTestFinished(() => browser.close());
    room.save('tasks/Wash the car.md', '---\nid: car11111\nstatus: draft\n---\n## Task\nWith soap.\n');
    const daemon = await room.up('--port', '0', '--name', outside);
    const { url } = await daemon.see('api.ready');
    proxy.to(Number(new URL(String(url)).port));

    // The link that is printed is for a browser elsewhere: it names the address by which that browser comes.
    const { url: link } = await room.json('open', '--print');
    expect(new URL(link).origin).toBe(outside);

    const { page, context, faults } = await openBoard(browser, link);
    await page.goto(`${outside}/#/list`);
    await page.getByRole('link', { name: 'Wash the car' }).first().waitFor();
    const [cookie] = await context.cookies();
    expect(cookie).toMatchObject({ secure: true, httpOnly: true, sameSite: 'Strict' });

    // Events come through, and changes go.
    room.save('tasks/Mow the lawn.md', '---\nid: mow11111\nstatus: draft\n---\n## Task\nAll of it.\n');
    await page.getByRole('link', { name: 'Mow the lawn' }).first().waitFor();
    const changed =
      await page.evaluate(`fetch('/api/tasks/car11111', { method: 'PATCH', headers: { 'content-type': 'application/json' }, body: '{"priority":"high"}',
    }).then((answer) => answer.status)`);
    expect(changed).toBe(200);
    expect(room.read('tasks/Wash the car.md')).toContain('priority: high');
    const made = await page.evaluate(
      `fetch('/api/links', { method: 'POST' }).then((answer) => answer.json())`,
    );
    expect(new URL((made as { url: string }).url).origin).toBe(outside);
    expect(faults).toEqual([]);
  });
});
