// Stands before `emulate`'s Linear and speaks Linear's own schema: documents are held against it and priced, filters,
// order, pages and client-made ids are added, and everything that is kept is kept by `emulate`. It has no relations
// and no parents of issues, no trash, and takes any key.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { execute } from 'graphql';
import { checkDocument, schema } from '../linear-server/checked-document.ts';
import { createQueries } from '../linear-server/queries.ts';
import { createSession } from '../linear-server/session.ts';
import { createClientIds } from './client-ids.ts';
import { callAs } from './emulator.ts';
import { createMutations } from './mutations.ts';
import { readSnapshot } from './snapshot.ts';

interface Asked {
  query: string;
  variables?: Record<string, unknown> | null;
}

export interface LinearShim {
  /** Where GraphQL is asked. */
  url: string;
  /** The id by which `emulate` knows what the provider knows by this one. */
  toEmulate(id: string): string;
  close(): Promise<void>;
}

/**
 * Starts it on a free port of this machine.
 * @param endpoint where `emulate` is asked
 */
export async function startLinearShim(endpoint: string): Promise<LinearShim> {
  const ids = createClientIds();

  async function answer({ query, variables }: Asked, authorization: string) {
    const checked = checkDocument(query, variables ?? {});
    if ('errors' in checked) return { status: 400, body: { data: null, errors: checked.errors } };
    const call = callAs(endpoint, authorization);
    const { state, viewerId } = await readSnapshot(call, ids);
    const rootValue = { ...createQueries(createSession(state, viewerId)), ...createMutations(call, ids) };
    const { document } = checked;
    const body = await execute({ schema, document, rootValue, variableValues: variables ?? {} });
    return { status: body.data === undefined ? 400 : 200, body };
  }

  async function handle(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    let text = '';
    for await (const chunk of incoming.setEncoding('utf8')) text += chunk;
    const { status, body } = await answer(JSON.parse(text) as Asked, incoming.headers.authorization ?? '');
    outgoing.writeHead(status, { 'content-type': 'application/json; charset=utf-8' });
    outgoing.end(JSON.stringify(body));
  }

  const server = createServer((incoming, outgoing) => {
    handle(incoming, outgoing).catch((fault: unknown) => {
      outgoing.writeHead(500, { 'content-type': 'text/plain' });
      outgoing.end(fault instanceof Error ? (fault.stack ?? fault.message) : String(fault));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`,
    toEmulate: ids.toEmulate,
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
