// By which names this server may be called: a page of another name that resolves to us (DNS rebinding) is refused, and so is
// one of another origin that a browser sends to us (CSRF).
import { hostname, networkInterfaces } from 'node:os';
import { RoomError } from '../../../core/errors.ts';
import { HttpFault } from './problem.ts';

export interface Hosts {
  /** The origin that a `Host` header stands for. @throws HttpFault 421 for one that is not ours */
  originOf(host: string | null): string;
  /** @throws HttpFault 403 for a request that a page of elsewhere makes */
  assertOwnOrigin(headers: Headers, origin: string, isNavigation: boolean): void;
}

export interface Listening {
  scheme: 'http' | 'https';
  /** As it was given: `127.0.0.1`, `0.0.0.0`, `build.example`. */
  host: string;
  /** Null for a unix socket, which no browser reaches: every name is its. */
  port: number | null;
  /** Further names, as a proxy in front passes on. */
  names: readonly string[];
}

const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]'];
const EVERY_INTERFACE = ['0.0.0.0', '::'];

export function isLoopback(host: string): boolean {
  return /^127(\.\d{1,3}){3}$/.test(host) || host === '::1' || host === 'localhost';
}

/** A host as it stands in an address. */
export function inAddress(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

export function createHosts({ scheme, host, port, names }: Listening): Hosts {
  const own = new Set([
    ...LOOPBACK,
    inAddress(host),
    ...(EVERY_INTERFACE.includes(host) ? machineNames() : []),
  ]);
  const given = new Set(names.map((name) => name.toLowerCase()));
  const usual = scheme === 'http' ? 80 : 443;
  const isOurs = (said: string): boolean => {
    if (port === null || given.has(said)) return true;
    const [, name = '', saidPort] = /^(\[[0-9a-f:.]+\]|[^:]*)(?::(\d{1,5}))?$/.exec(said) ?? [];
    if (given.has(name)) return true;
    return own.has(name) && Number(saidPort ?? usual) === port;
  };
  return {
    originOf(said) {
      const called = (said ?? '').toLowerCase();
      if (isOurs(called)) return `${scheme}://${called}`;
      const error = new RoomError('not_allowed', 'the Host header names no address of this room', {
        hint: 'call it by the address it printed; a name of a proxy is given with --name',
      });
      throw new HttpFault(421, error);
    },
    assertOwnOrigin(headers, origin, isNavigation) {
      const said = headers.get('origin');
      const site = headers.get('sec-fetch-site');
      const isForeign = said !== null && said.toLowerCase() !== origin;
      // A link that a person follows from elsewhere changes nothing.
      const isSent = site !== null && site !== 'same-origin' && site !== 'none' && !isNavigation;
      if (isForeign || isSent)
        throw new RoomError('not_allowed', 'a page of another origin may not ask this room for anything');
    },
  };
}

/** Addresses and names of this machine. */
function machineNames(): string[] {
  const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  const name = hostname().toLowerCase();
  return [name, `${name}.local`, ...addresses.map(({ address }) => inAddress(address))];
}
