// Refuses a Host that merely resolves to this server (DNS rebinding) and other origins' requests (CSRF).
import { hostname, networkInterfaces } from 'node:os';
import { RoomError } from '../../core/errors.ts';
import { HttpFault } from './problem.ts';

export type Hosts = ReturnType<typeof createHosts>;

export interface Listening {
  scheme: 'http' | 'https';
  host: string; // As it was given: `127.0.0.1`, `0.0.0.0`, `build.example`.
  port: number | null; // Null for a unix socket, which no browser reaches: every name is accepted.
  /** Further names, and addresses by which a proxy in front is called: `build.example`, `https://room.example:8443`. */
  names: readonly string[];
}

const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]'];
const EVERY_INTERFACE = ['0.0.0.0', '::'];

export const inAddress = (host: string): string => (host.includes(':') ? `[${host}]` : host);

export function createHosts({ scheme, host, port, names }: Listening) {
  const own = new Set([
    ...LOOPBACK,
    inAddress(host),
    ...(EVERY_INTERFACE.includes(host) ? machineNames() : []),
  ]);
  const given = givenOrigins(names);
  const usual = scheme === 'http' ? 80 : 443;
  const originAt = (said: string): string | null => {
    const asSaid = `${scheme}://${said}`;
    if (port === null) return asSaid;
    const [, name = '', saidPort] = /^(\[[0-9a-f:.]+\]|[^:]*)(?::(\d{1,5}))?$/.exec(said) ?? [];
    if (own.has(name) && Number(saidPort ?? usual) === port) return asSaid;
    // Some proxies leave the port out of the Host header that they pass on.
    const outside = given.get(said) ?? given.get(name);
    return outside === undefined ? null : (outside ?? asSaid);
  };
  return {
    /** The origin that a `Host` header stands for. @throws HttpFault 421 for one that is not ours */
    originOf(said: string | null): string {
      const origin = originAt((said ?? '').toLowerCase());
      if (origin !== null) return origin;
      throw new HttpFault(421, 'not_allowed', 'the Host header names no address of this room', {
        hint: 'call it by the address it printed; the address of a proxy in front is given to up: --name https://room.example',
      });
    },
    /** @throws RoomError `not_allowed` for a request that a page of another origin makes */
    assertOwnOrigin(headers: Headers, origin: string, isNavigation: boolean): void {
      const said = headers.get('origin');
      const site = headers.get('sec-fetch-site');
      const isForeign = said !== null && said.toLowerCase() !== origin;
      // A link that a person follows from elsewhere changes nothing.
      const isSent = site !== null && site !== 'same-origin' && site !== 'none' && !isNavigation;
      if (isForeign || isSent)
        throw new RoomError('not_allowed', 'a page of another origin may not ask this room for anything', {
          ...(isForeign && {
            hint: `the page is of ${said}, the request came to ${origin}; ${BEHIND_PROXY}`,
          }),
        });
    },
  };
}

const BEHIND_PROXY =
  'a proxy with TLS passes the Host header on, and its address is given to up: --name https://room.example';

/** By the value of a `Host` header: the origin of a name with its scheme, null for a bare name. */
function givenOrigins(names: readonly string[]): Map<string, string | null> {
  const given = new Map<string, string | null>();
  for (const name of names) {
    const outside = outsideAddress(name);
    if (outside === null) given.set(name.toLowerCase(), null);
    else for (const host of [outside.hostname, outside.host]) given.set(host, outside.origin);
  }
  return given;
}

/** Null for a bare name. @throws RoomError `bad_input` for what is neither a name nor an address */
export function outsideAddress(name: string): URL | null {
  const isAddress = name.includes('://');
  const url = URL.parse(isAddress ? name : `http://${name}`);
  // A path, a query or a user's name would be lost in an origin.
  if (url === null || !/^https?:$/.test(url.protocol) || url.href !== `${url.origin}/`)
    throw new RoomError('bad_input', `--name is ${JSON.stringify(name)}`, {
      hint: 'expected a name, or the address by which a proxy in front is called: --name https://room.example',
    });
  return isAddress ? url : null;
}

function machineNames(): string[] {
  const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  const name = hostname().toLowerCase();
  return [name, `${name}.local`, ...addresses.map(({ address }) => inAddress(address))];
}
