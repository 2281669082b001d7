// Ids that a client made: `emulate` takes none and makes its own, so each pair is kept here.
import { inputError } from '../linear-server/answer-errors.ts';

export function createClientIds() {
  const made = new Map<string, string>();
  const clients = new Map<string, string>();
  return {
    /** The id as the client knows it. */
    toClient: (id: string): string => clients.get(id) ?? id,
    /** The id as `emulate` knows it. */
    toEmulate: (id: string): string => made.get(id) ?? id,
    /** Linear takes an id once. */
    assertFresh(id: string | null | undefined): void {
      if (id != null && made.has(id)) throw inputError('Entity already exists');
    },
    pair(client: string | null | undefined, emulates: string): void {
      if (client == null) return;
      made.set(client, emulates);
      clients.set(emulates, client);
    },
  };
}

export type ClientIds = ReturnType<typeof createClientIds>;
