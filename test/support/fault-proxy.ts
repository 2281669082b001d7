// An HTTP proxy on loopback that stands before a test server and does to chosen requests what networks and trackers
// do on bad days. A fault waits until a request fits it and is then used up, unless it is laid for always.
import {
  Agent,
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

export interface Asked {
  method: string;
  /** Path and query. */
  path: string;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: string;
}

export interface Answered {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: string;
}

export type Fault =
  /** A server or gateway that fails without having acted. */
  | { kind: 'status'; status: 500 | 502 | 503; body?: string }
  | { kind: 'too_many'; retryAfterSec: number }
  /** GitHub's secondary limit: 403 and its words. */
  | { kind: 'secondary'; retryAfterSec?: number }
  /** Linear's limit: HTTP 400 and a code in the body. */
  | { kind: 'linear_limited'; resetAtMs?: number }
  /** The connection breaks before the server hears of it. */
  | { kind: 'cut_before' }
  /** The server acted; the connection breaks before its answer. */
  | { kind: 'cut_after' }
  /** Half of the answer, then nothing and no end. */
  | { kind: 'stall' }
  /** An answer that ends in the middle of its JSON. */
  | { kind: 'truncated' }
  /** Gives the items of the last answer of the same path once more, under this answer's headers. */
  | { kind: 'duplicated' }
  /** A Date header that is off. */
  | { kind: 'clock'; offsetMs: number }
  /** Runs when the request has come and the server has not heard of it yet. */
  | { kind: 'before'; run: (asked: Asked) => void | Promise<void> }
  /** Runs when the server has answered and the client has not heard of it yet. */
  | { kind: 'after'; run: (asked: Asked, answered: Answered) => void | Promise<void> };

type Laid = { fault: Fault; fits: (asked: Asked) => boolean; stays: boolean };

const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };
const SECONDARY_WORDS =
  'You have exceeded a secondary rate limit. Please wait a few minutes before you try again. If you reach out to ' +
  'GitHub Support for help, please include the request ID C0DE:1234:ABCDEF.';

async function readAll(stream: AsyncIterable<unknown>): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

/** What is answered in the server's place, or null when the server is to be asked. */
function standIn(fault: Fault): Answered | null {
  switch (fault.kind) {
    case 'status': {
      const headers = { 'content-type': 'text/html' };
      return { status: fault.status, headers, body: fault.body ?? '<html>Bad day</html>' };
    }
    case 'too_many': {
      const headers = { ...JSON_TYPE, 'retry-after': String(fault.retryAfterSec) };
      return { status: 429, headers, body: JSON.stringify({ message: 'Too many requests' }) };
    }
    case 'secondary': {
      const wait = fault.retryAfterSec === undefined ? {} : { 'retry-after': String(fault.retryAfterSec) };
      const body = JSON.stringify({ message: SECONDARY_WORDS, documentation_url: 'https://docs.github.com' });
      return { status: 403, headers: { ...JSON_TYPE, ...wait }, body };
    }
    case 'linear_limited': {
      const reset =
        fault.resetAtMs === undefined ? {} : { 'x-ratelimit-requests-reset': String(fault.resetAtMs) };
      const headers = { ...JSON_TYPE, 'x-ratelimit-requests-remaining': '0', ...reset };
      const extensions = {
        code: 'RATELIMITED',
        statusCode: 400,
        userPresentableMessage: 'Rate limit exceeded',
      };
      return {
        status: 400,
        headers,
        body: JSON.stringify({ errors: [{ message: 'Rate limit exceeded', extensions }] }),
      };
    }
    default:
      return null;
  }
}

function forward(target: URL, asked: Asked, agent: Agent): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const headers = { ...asked.headers, host: target.host, connection: 'keep-alive' };
    const outgoing = httpRequest(
      { host: target.hostname, port: target.port, method: asked.method, path: asked.path, headers, agent },
      (incoming) => {
        readAll(incoming).then(
          (body) => resolve({ status: incoming.statusCode ?? 502, headers: { ...incoming.headers }, body }),
          reject,
        );
      },
    );
    outgoing.on('error', reject);
    outgoing.end(asked.body);
  });
}

function sent(answered: Answered): Record<string, string | string[]> {
  const dropped = ['connection', 'keep-alive', 'transfer-encoding', 'content-length'];
  const kept = Object.entries(answered.headers).filter(
    (entry): entry is [string, string | string[]] => entry[1] !== undefined && !dropped.includes(entry[0]),
  );
  return Object.fromEntries(kept);
}

export class FaultProxy {
  url = '';
  /** Every request that came, also those that never reached the server. */
  readonly asked: Asked[] = [];
  private readonly target: URL;
  private readonly server = createServer((request, response) => void this.serve(request, response));
  private readonly agent = new Agent({ keepAlive: true });
  private laid: Laid[] = [];
  private readonly lastBodies = new Map<string, string>();
  private readonly sockets = new Set<Socket>();

  constructor(target: string) {
    this.target = new URL(target);
    this.server.on('connection', (socket) => {
      this.sockets.add(socket);
      socket.on('close', () => this.sockets.delete(socket));
    });
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    this.url = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** The next request that fits meets the fault. Faults of one request act in the order they were laid. */
  once(fault: Fault, fits: (asked: Asked) => boolean = () => true): void {
    this.laid.push({ fault, fits, stays: false });
  }

  /** Every request that fits meets it, until the returned function is called. */
  always(fault: Fault, fits: (asked: Asked) => boolean = () => true): () => void {
    const laid = { fault, fits, stays: true };
    this.laid.push(laid);
    return () => {
      this.laid = this.laid.filter((other) => other !== laid);
    };
  }

  /** Faults that no request has met yet. */
  waiting(): number {
    return this.laid.filter(({ stays }) => !stays).length;
  }

  async close(): Promise<void> {
    this.agent.destroy();
    for (const socket of this.sockets) socket.destroy();
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
  }

  // Hooks and clocks go together with anything; of the faults that decide the answer a request meets one.
  private take(asked: Asked): Fault[] {
    const met: Laid[] = [];
    for (const laid of this.laid) {
      const decides = !['before', 'after', 'clock'].includes(laid.fault.kind);
      const isDecided = met.some(({ fault }) => !['before', 'after', 'clock'].includes(fault.kind));
      if (!(decides && isDecided) && laid.fits(asked)) met.push(laid);
    }
    this.laid = this.laid.filter((laid) => laid.stays || !met.includes(laid));
    return met.map(({ fault }) => fault);
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const body = await readAll(request);
      const asked = {
        method: request.method ?? '',
        path: request.url ?? '/',
        headers: request.headers,
        body,
      };
      this.asked.push(asked);
      const faults = this.take(asked);
      for (const fault of faults) if (fault.kind === 'before') await fault.run(asked);
      if (faults.some(({ kind }) => kind === 'cut_before')) return void request.socket.destroy();
      const answered = await this.answer(asked, faults);
      for (const fault of faults) if (fault.kind === 'after') await fault.run(asked, answered);
      this.reply(request, response, answered, faults);
    } catch (error) {
      // The client went away, or a hook of the test failed: both show there.
      if (!response.headersSent) response.writeHead(502, { 'content-type': 'text/plain' });
      response.end(`proxy: ${String(error)}`);
    }
  }

  private async answer(asked: Asked, faults: Fault[]): Promise<Answered> {
    for (const fault of faults) {
      const inPlace = standIn(fault);
      if (inPlace) return inPlace;
    }
    const answered = await forward(this.target, asked, this.agent);
    const path = `${asked.method} ${asked.path.split('?')[0]}`;
    const last = this.lastBodies.get(path);
    if (answered.status === 200) this.lastBodies.set(path, answered.body);
    if (last !== undefined && faults.some(({ kind }) => kind === 'duplicated')) answered.body = last;
    for (const fault of faults) {
      if (fault.kind !== 'clock') continue;
      const date = Date.parse(String(answered.headers.date)) + fault.offsetMs;
      answered.headers.date = new Date(date).toUTCString();
    }
    return answered;
  }

  private reply(
    request: IncomingMessage,
    response: ServerResponse,
    answered: Answered,
    faults: Fault[],
  ): void {
    const kinds = faults.map(({ kind }) => kind);
    if (kinds.includes('cut_after')) return void request.socket.destroy();
    const half = answered.body.slice(0, Math.floor(answered.body.length / 2));
    response.writeHead(answered.status, sent(answered));
    // The connection stays open until the client gives up or the proxy is closed.
    if (kinds.includes('stall')) return void response.write(half === '' ? ' ' : half);
    response.end(kinds.includes('truncated') ? half : answered.body);
  }
}

/** Stands before the server at `target` on a free port. */
export async function startFaultProxy(target: string): Promise<FaultProxy> {
  const proxy = new FaultProxy(target);
  await proxy.listen();
  return proxy;
}
